"""The fixture `lineage`: what the events of one test say, and assertions about it."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches, unified_diff
from pathlib import Path

from headwater.cli.load.sources import events, normalised
from headwater.cli.testing.folded import snapshot_of
from headwater.cli.testing.snapshot import ColumnSnapshot, LineageSnapshot, TableSnapshot
from headwater.graph.names.naming import Naming
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage.faults import InvalidRequest

NO_EVENT = """\
no event of this test names a table
next: run the job with the fixture `lineage_spark`, or with a session made with `lineage_settings`; or name a folder of
events: `lineage.load(path)`"""

_BETWEEN = re.compile("([/.:])")
"""What is between the words of a name."""


@dataclass(frozen=True)
class SnapshotFile:
    """Where the snapshot of a test is, and whether to write it. `test` is what pytest calls the test."""

    path: Path
    test: str
    is_updated: bool = False


class LineageOfTest:
    """The lineage of one test. `sent` returns the lines of the events so far, `name_of` the name to show of a table."""

    def __init__(self, file: SnapshotFile, sent: Callable[[], list[str]], name_of: Callable[[str], str] = str) -> None:
        self._file, self._sent, self._name_of = file, sent, name_of
        self._loaded: list[NormalisedEvent] = []
        self._known: tuple[int, LineageSnapshot] | None = None

    def load(self, path: str | Path) -> None:
        """Adds the events of a file, or of the files below a folder: JSON lines, as OpenLineage's file transport and
        `dbt-ol` write them, also gzipped. Raises ValueError if an event cannot be read, or there is none."""
        found = list(events([path]))
        for event in found:
            self._loaded.append(_read(event.text, event.place, event.fault))
        if not found:
            raise ValueError(f"there is no event in {path}")

    @property
    def snapshot(self) -> LineageSnapshot:
        """What the events of the test say, as of now."""
        lines = self._sent()
        number = len(lines) + len(self._loaded)
        if self._known is None or self._known[0] != number:
            of_spark = [_read(line, "an event of Spark") for line in lines]
            self._known = number, snapshot_of([*of_spark, *self._loaded], self._name_of)
        return self._known[1]

    def assert_matches_snapshot(self) -> None:
        """Compares the lineage of the test with its snapshot file. Raises AssertionError with the difference."""
        __tracebackhide__ = True
        found = self.snapshot
        if not found.tables:
            raise AssertionError(NO_EVENT)
        path, text = self._file.path, found.to_yaml()
        if self._file.is_updated:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        if not path.is_file():
            raise AssertionError(f"there is no snapshot {path} yet; this is the lineage:\n{text}{self._next('it')}")
        try:
            expected = LineageSnapshot.of_yaml(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise AssertionError(f"{path} cannot be read: {error}\n{self._next('what the test does')}") from error
        if LineageSnapshot.of_yaml(text) != expected:
            before, after = expected.to_yaml().splitlines(), text.splitlines()
            difference = "\n".join(unified_diff(before, after, "snapshot", "this run", lineterm=""))
            raise AssertionError(f"the lineage is not that of {path}\n{difference}\n{self._next('the difference')}")

    def column(self, name: str) -> "AssertedColumn":
        """A column by the end of its table's name and its own: `revenue.total`. Raises AssertionError."""
        __tracebackhide__ = True
        return AssertedColumn(self.snapshot, *_column(self.snapshot, name))

    def table(self, name: str) -> "AssertedTable":
        """A table by the end of its name, such as `revenue` or `sales/revenue`. Raises AssertionError."""
        __tracebackhide__ = True
        return AssertedTable(self.snapshot, _table(self.snapshot, name))

    def _next(self, what: str) -> str:
        return f"next: if {what} is meant, run `pytest '{self._file.test}' --lineage-update` and commit the file"


@dataclass(frozen=True)
class AssertedTable:
    snapshot: LineageSnapshot
    name: str

    def reads(self, other: str) -> None:
        """Asserts that a job that wrote this table read the other one. Raises AssertionError with what is known."""
        __tracebackhide__ = True
        wanted, read = _table(self.snapshot, other), self.snapshot.tables[self.name].reads
        if wanted not in read:
            raise AssertionError(_told(f"{self.name} does not read {wanted}", "it reads", read))


@dataclass(frozen=True)
class AssertedColumn:
    snapshot: LineageSnapshot
    table: str
    name: str

    def comes_from(self, source: str) -> None:
        """Asserts that values of the source flow into this column, perhaps through other tables. Raises AssertionError
        with what is known, and what cannot be seen."""
        __tracebackhide__ = True
        own, wanted = f"{self.table}.{self.name}", ".".join(_column(self.snapshot, source))
        came, unseen = _upstream(self.snapshot, own)
        if wanted not in came:
            tables = self.snapshot.tables.items()
            rows = [
                f"{wanted} decides which rows {name} has ({of.rows[wanted]})"
                for name, of in tables
                if wanted in of.rows
            ]
            told = _told(f"{own} does not come from {wanted}", "it comes from", came)
            raise AssertionError("\n".join([told, *(f"known: {row}" for row in rows), *unseen]))


def _read(text: str, place: str, fault: str = "") -> NormalisedEvent:
    try:
        return normalised(text, Naming())
    except InvalidRequest as error:
        raise ValueError(f"{place}: {fault or error}") from error


def _told(what: str, how: str, known: Collection[str]) -> str:
    return f"{what}\nknown: {how} {', '.join(sorted(known)) or 'nothing'}"


def _upstream(snapshot: LineageSnapshot, column: str) -> tuple[list[str], list[str]]:
    """The columns that a column comes from, with those between, nearest first; and what of them cannot be seen."""
    columns = {f"{table}.{name}": of for table, each in snapshot.tables.items() for name, of in each.columns.items()}
    came, unseen = [column], []
    for each in came:
        known = columns.get(each, ColumnSnapshot())
        came += [source for source in known.sources if source not in came]
        if known.may_come_from:
            unseen.append(f"not seen: the origin of {each}; it may be {', '.join(known.may_come_from)}")
    return came[1:], unseen


def _table(snapshot: LineageSnapshot, name: str) -> str:
    __tracebackhide__ = True
    found = [table for table in snapshot.tables if _ends(table, name)]
    return _single("table", name, [name] if name in found else found, snapshot.tables)


def _column(snapshot: LineageSnapshot, name: str) -> tuple[str, str]:
    """A column's table and name. Every dot may be the one between the two."""
    __tracebackhide__ = True
    columns = {f"{table}.{column}": (table, column) for table, column in _columns(snapshot)}
    found = [full for full, (table, column) in columns.items() if _is_column(name, table, column)]
    return columns[_single("column", name, [name] if name in found else found, columns)]


def _columns(snapshot: LineageSnapshot) -> Iterator[tuple[str, str]]:
    """The columns of all tables, also those that only their readers name."""
    sources = {source for table in snapshot.tables.values() for source in _sources(table)}
    for name, table in snapshot.tables.items():
        nested = {source.removeprefix(f"{name}.") for source in sources if source.startswith(f"{name}.")}
        yield from ((name, column) for column in {*table.columns, *nested})


def _sources(table: TableSnapshot) -> Iterator[str]:
    yield from table.rows
    for column in table.columns.values():
        yield from column.sources


def _is_column(name: str, table: str, column: str) -> bool:
    return name.endswith(f".{column}") and _ends(table, name.removesuffix(f".{column}"))


def _ends(name: str, end: str) -> bool:
    """Whether a name is or ends with whole words of another: `file:TMP/sales/orders` with `orders`."""
    return name == end or (name.endswith(end) and bool(_BETWEEN.match(name[-len(end) - 1])))


def _single(kind: str, name: str, found: Collection[str], known: Iterable[str]) -> str:
    __tracebackhide__ = True
    if len(found) == 1:
        return next(iter(found))
    if found:
        raise AssertionError(f"{name} may be any of {', '.join(sorted(found))}\nnext: write more of the {kind}'s name")
    words = 2 * len(_BETWEEN.findall(name)) + 1
    ends = {"".join(_BETWEEN.split(each)[-words:]): each for each in known}
    near = get_close_matches(name, ends, n=3) or sorted(ends)
    listed = f"known: {', '.join(ends[each] for each in near)}" if ends else NO_EVENT
    raise AssertionError(f"no event of this test names a {kind} {name}\n{listed}")
