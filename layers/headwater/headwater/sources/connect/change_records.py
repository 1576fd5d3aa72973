"""The columns of Debezium's change records, which have a row before and after a change in an envelope.

op, ts_ms, source    of the change
before.id, after.id  of the row: the column `id` of the table
"""

from collections.abc import Iterable, Sequence

from headwater.sources.connect.record_columns import Columns, ColumnSource

_ROWS = ("before.", "after.")
KEY = "_key"
"""The key of a topic's records, among the columns from a schema registry. No transformation of values sees it."""


def change_record(columns: Sequence[str]) -> Columns | None:
    """The columns of a topic of change records, each made of the column of the table. None if the topic's schema is not
    known."""
    nested = {name: column for name in columns for row in _ROWS if (column := _inside(name, row))}
    return Columns({name: frozenset([ColumnSource(column)]) for name, column in nested.items()}) if nested else None


def row_of_change(columns: Sequence[str]) -> Columns | None:
    """The row that `ExtractNewRecordState` takes out of a change record. None if the record has no envelope."""
    nested = {column: name for name in columns if (column := _inside(name, "after."))}
    if not nested or "op" not in columns:
        return None
    return Columns({column: frozenset([ColumnSource(name)]) for column, name in nested.items()})


def outermost(columns: Iterable[str]) -> list[str]:
    """The columns of a record's value that are in no other column."""
    return [name for name in columns if "." not in name and "[]" not in name and name != KEY]


def _inside(name: str, row: str) -> str:
    """The name of a column of a row, empty for any other name."""
    column = name.removeprefix(row)
    return column if column != name and outermost([column]) else ""
