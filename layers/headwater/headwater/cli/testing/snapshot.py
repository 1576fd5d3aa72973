"""A snapshot of lineage: tables by name, with what each is made of. Written as YAML, and read back from it:

    tables:
      file:TMP/revenue:
        reads:
        - file:TMP/orders
        columns:
          total:
            type: double
            from:
              file:TMP/orders.price: AGGREGATION
          score:
            type: double
            may come from:
            - file:TMP/orders.price
        rows:
          file:TMP/orders.status: FILTER

Nothing in it depends on a time, a run, a job's name or the order of events. Everything is sorted, one fact a line.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

HEADER = "# What this test's lineage is. Written by `pytest --lineage-update`; review it like code.\n"
LINE = 1_000_000
"""Characters of a line: a long name is not folded."""
Kinds = Mapping[str, str]
"""Columns such as `file:TMP/orders.price`, each with its transformations: `AGGREGATION`, `FILTER, GROUP_BY`."""


@dataclass(frozen=True, slots=True)
class ColumnSnapshot:
    """A column. `sources` is what it is made of. `may_come_from` has columns, or tables for any of their columns, of
    which it may be made, too, since the code that makes it tells nothing."""

    type: str = ""
    sources: Kinds = field(default_factory=dict)
    may_come_from: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table: the tables that it is made of, its columns, and the columns that decide which rows it has: by filters,
    joins and groupings."""

    reads: tuple[str, ...] = ()
    columns: Mapping[str, ColumnSnapshot] = field(default_factory=dict)
    rows: Kinds = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineageSnapshot:
    tables: Mapping[str, TableSnapshot] = field(default_factory=dict)

    def to_yaml(self) -> str:
        """The text of a snapshot; equal snapshots have equal texts."""
        document = {"tables": {name: _of_table(table) for name, table in sorted(self.tables.items())}}
        return HEADER + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=LINE)

    @classmethod
    def of_yaml(cls, text: str) -> "LineageSnapshot":
        """The snapshot of a text; members that are not known are passed over. Raises ValueError."""
        try:
            tables = _mapping(_mapping(yaml.safe_load(text)).get("tables"))
            return cls({str(name): _table(_mapping(table)) for name, table in tables.items()})
        except (yaml.YAMLError, TypeError) as error:
            raise ValueError(f"it is no snapshot: {error}") from error


def _of_table(table: TableSnapshot) -> dict[str, Any]:
    columns = {
        name: _without_empty({"type": column.type, "from": _sorted(column.sources), "may come from": _list(column)})
        for name, column in sorted(table.columns.items())
    }
    return _without_empty({"reads": sorted(table.reads), "columns": columns, "rows": _sorted(table.rows)})


def _list(column: ColumnSnapshot) -> list[str]:
    return sorted(column.may_come_from)


def _sorted(kinds: Kinds) -> dict[str, str]:
    return dict(sorted(kinds.items()))


def _without_empty(members: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def _table(members: Mapping[Any, Any]) -> TableSnapshot:
    columns = {str(name): _column(_mapping(column)) for name, column in _mapping(members.get("columns")).items()}
    return TableSnapshot(_texts(members.get("reads")), columns, _kinds(members.get("rows")))


def _column(members: Mapping[Any, Any]) -> ColumnSnapshot:
    return ColumnSnapshot(
        str(members.get("type") or ""), _kinds(members.get("from")), _texts(members.get("may come from"))
    )


def _kinds(value: Any) -> dict[str, str]:
    return {str(name): str(kinds or "") for name, kinds in _mapping(value).items()}


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list | None):
        raise TypeError(f"expected a list, got {value!r}")
    return tuple(sorted(map(str, value or ())))


def _mapping(value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, dict | None):
        raise TypeError(f"expected names with values, got {value!r}")
    return value or {}
