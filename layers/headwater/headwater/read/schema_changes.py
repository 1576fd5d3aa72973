"""The schema changes of datasets: from each known schema to the next.

A change is found as long as its writes are stored, also if very many writes came after it: the item of the schema since
has the time at which it began.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice, zip_longest
from typing import Any, NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.column_lineage import column_sources
from headwater.graph.facets.column_type import Retyping, retyping
from headwater.graph.facets.members import DROPPED, WAS_DROPPED, is_drop
from headwater.graph.facets.register import values
from headwater.graph.facets.schema_diff import Columns, Renamed, SchemaDiff, columns_of, schema_diff, with_renames
from headwater.graph.names.identity import DatasetId, JobRunId, SchemaId
from headwater.graph.states.run import Run, newest_column_lineage
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.good_writes import Standing, standing, wraps
from headwater.read.reader import Reader
from headwater.read.window import BEFORE, Window
from headwater.store.snapshot import ReadRequest

MOST_EARLIER = 20
"""Earlier runs of a job that are asked for the column lineage of a dataset, as for an alert (alerts/attribution.py)."""
MOST_BEFORE = 3
"""Changes of a dataset that are looked up before the writes that were read."""

NameOfDataset = tuple[DatasetId, DatasetId]
"""A dataset by its representative, and the id under which its states are stored."""


class SchemaChange(NamedTuple):
    """The difference between two consecutive versions of a dataset. `run` wrote the newer version, if a run did. A drop
    removes all columns. Columns that seem `renamed` are among those that the difference has as removed and added."""

    at: Instant
    diff: SchemaDiff
    run: Run | None
    is_drop: bool = False
    renamed: tuple[Renamed, ...] = ()

    @property
    def sentences(self) -> list[str]:
        """What the alert of the change says of the columns."""
        return [WAS_DROPPED] if self.is_drop else self.diff.with_renamed(self.renamed).sentences

    @property
    def columns(self) -> set[str]:
        """The columns that the change touched."""
        return {*self.diff.added, *self.diff.removed, *(column.name for column in self.diff.retyped)}


class SchemaVersion(NamedTuple):
    """A schema that a dataset had from a time on. `run` wrote the dataset, if a run did."""

    at: Instant
    schema: SchemaId
    run: JobRunId | None

    @property
    def is_drop(self) -> bool:
        return self.schema.digest == DROPPED


def versions_of(writes: Iterable[DatasetWrite]) -> Iterator[SchemaVersion]:
    for write in writes:
        dropped = SchemaId(write.id.dataset, DROPPED) if is_drop(values(write.output.facets)) else None
        if schema := dropped or write.schema:
            yield SchemaVersion(write.output.first, schema, write.id.run)


def versions_before(
    reader: Reader, oldest: Mapping[NameOfDataset, SchemaVersion], began: Mapping[DatasetId, Instant]
) -> dict[DatasetId, list[SchemaVersion]]:
    """The versions with the changes before the `oldest` that was read of each dataset, as far as these came after the
    time in `began`. One read for all, and for each dataset with such a change a query."""
    versions: dict[DatasetId, list[SchemaVersion]] = defaultdict(list)
    pending = dict(oldest)
    for _ in range(MOST_BEFORE):
        read = reader.store.read(ReadRequest(schemas={version.schema for version in pending.values()}))
        since = {
            dataset: document.time
            for dataset, version in pending.items()
            if (document := read.schemas.get(version.schema)) and document.time > began.get(dataset[0], NEVER)
        }
        if not since:
            break
        lines = concurrent_map(lambda entry: _written_until(reader, *entry), since.items())
        found = dict(zip(since, lines, strict=True))
        for dataset, around in found.items():
            versions[dataset[0]] += around
        others = {
            dataset: [each for each in around if not each.is_drop and each.schema != pending[dataset].schema]
            for dataset, around in found.items()
        }
        pending = {dataset: max(earlier) for dataset, earlier in others.items() if earlier}
    return versions


def _written_until(reader: Reader, dataset: NameOfDataset, time: Instant) -> list[SchemaVersion]:
    ids = list(islice(reader.store.writes_of(dataset[1]).newest(until=time, limit=BEFORE), BEFORE))
    return list(versions_of(reader.store.read(ReadRequest(writes=ids)).writes.of(ids)))


def versions_seen(reader: Reader, datasets: Collection[NameOfDataset]) -> dict[DatasetId, list[SchemaVersion]]:
    """The schemas of datasets without known writes, such as topics, each with the first event time of the schema.

    A dataset comes as a pair: its representative, and the id under which its schemas are stored.
    """
    ids = concurrent_map(lambda dataset: list(reader.store.schemas_of(dataset[1])), datasets)
    read = reader.store.read(ReadRequest(schemas=[schema for dataset_schemas in ids for schema in dataset_schemas]))
    versions: dict[DatasetId, list[SchemaVersion]] = defaultdict(list)
    for (representative, _), schemas in zip(datasets, ids, strict=True):
        known = [(schema, document) for schema in schemas if (document := read.schemas.get(schema))]
        versions[representative] += [SchemaVersion(document.time, schema, None) for schema, document in known]
    return versions


def changed_columns(changes: Iterable[SchemaChange], columns: Columns) -> set[str]:
    """The columns that are not as they were before these changes, the earliest first. Of a dataset without known
    columns, all that were touched."""
    changed: set[str] = set()
    seen: set[str] = set()
    for change in changes:
        new = change.columns - seen
        seen |= new
        changed |= new.intersection(columns or new, change.diff.added)
        changed |= new.intersection(change.diff.removed).difference(columns)
        changed |= {
            column.name
            for column in change.diff.retyped
            if column.name in new
            and (column.name not in columns or retyping(columns[column.name], column.before) is not Retyping.NONE)
        }
    return changed


def with_recorded_renames(diff: SchemaDiff, changes: Iterable[SchemaChange]) -> SchemaDiff:
    """The difference between two times, with the columns that seem renamed by the changes in between, the earliest
    first. If `a` was renamed to `b`, and `b` to `c`, `a` seems renamed to `c`."""
    renamed: dict[str, Renamed] = {}
    for change in changes:
        gone = {name: renamed.pop(name, None) for name in change.diff.removed}
        for each in change.renamed:
            first = gone.get(each.before)
            renamed[each.after] = each._replace(before=first.before) if first else each
    removed, added = set(diff.removed), set(diff.added)
    pairs = (each for each in renamed.values() if each.before in removed and each.after in added)
    return diff.with_renamed(tuple(pairs))


def changes_of(
    reader: Reader, versions: Mapping[DatasetId, Iterable[SchemaVersion]], window: Window
) -> dict[DatasetId, list[SchemaChange]]:
    """The differences between each version in the window and the version before, in the order of the versions.

    A change has the time and the run of its alert: the time of the first event with the schema, if that came after the
    first of the run (Trino, dbt and Airflow name a table as a run starts, and its columns as the run ends), and of a
    drop, the first of the run. A drop that failed is none.
    """
    drops = {each.run for schemas in versions.values() for each in schemas if each.is_drop and each.run}
    failed = {run.id for run in reader.runs(sorted(drops)) if standing(run, window.until) is Standing.FAILED}
    pairs = [
        (dataset, *pair)
        for dataset, schemas in versions.items()
        for pair in _pairs(each for each in schemas if not (each.is_drop and each.run in failed))
        if window.has(pair[1][0].at)
    ]
    read = reader.store.read(
        ReadRequest(
            schemas={version.schema for _, before, first in pairs for version in (before[-1], *first)},
            runs={version.run for *_, first in pairs for version in first if version.run},
        )
    )
    found: list[_BetweenVersions] = []
    for dataset, before, first in pairs:
        runs = [read.runs.get(each.run) if each.run else None for each in first]
        after, run = first[0], runs[0]
        match runs:
            case [Run() as outer, Run() as inner] if wraps(outer, inner):
                after, run = first[1], inner
        old, new = read.schemas.get(before[-1].schema), read.schemas.get(after.schema)
        at = max(after.at, new.time) if new else after.at
        diff = schema_diff(old.value, new.value if new else None) if old and (new or after.is_drop) else None
        if old and diff and window.has(at):
            columns = columns_of(old.value), columns_of(new.value if new else None)
            change = SchemaChange(at, diff, run, after.is_drop)
            earlier = [each.run for each in before if run and each.run and each.run.job == run.id.job]
            found.append(_BetweenVersions(dataset, after.schema.dataset, earlier[-MOST_EARLIER:], *columns, change))
    renamed = _renamed(reader, [each for each in found if each.may_rename])
    changes: dict[DatasetId, list[SchemaChange]] = defaultdict(list)
    for each in found:
        changes[each.dataset].append(each.change._replace(renamed=next(renamed) if each.may_rename else ()))
    return changes


class _BetweenVersions(NamedTuple):
    """A change of a dataset, whose states are `stored` under an id, and the `earlier` runs of the job that wrote it."""

    dataset: DatasetId
    stored: DatasetId
    earlier: Sequence[JobRunId]
    old: Columns
    new: Columns
    change: SchemaChange

    @property
    def may_rename(self) -> bool:
        """Whether a run took columns away and added others."""
        return bool(self.change.run and self.change.diff.added and self.change.diff.removed)


def _renamed(reader: Reader, found: Sequence[_BetweenVersions]) -> Iterator[tuple[Renamed, ...]]:
    """The columns that seem renamed in each change: two reads for all."""
    ids = {run for each in found for run in each.earlier}
    runs = {run.id: run for run in reader.runs(sorted(ids))} if ids else {}
    pairs = []
    for each in found:
        earlier = newest_column_lineage(each.stored, (runs[run] for run in reversed(each.earlier) if run in runs))
        pairs.append((earlier, newest_column_lineage(each.stored, filter(None, [each.change.run]))))
    facets: Mapping[Any, Any] = reader.column_lineage({lineage for pair in pairs for lineage in pair if lineage})
    for each, pair in zip(found, pairs, strict=True):
        old, new = (column_sources(facets.get(lineage)) for lineage in pair)
        yield with_renames(each.change.diff, each.old, each.new, old, new).renamed


def _pairs(versions: Iterable[SchemaVersion]) -> Iterator[tuple[list[SchemaVersion], list[SchemaVersion]]]:
    """The versions before each change, without drops, and the first two since: a statement that Spark runs as two
    queries is two."""
    groups = [
        list(same)
        for _, same in groupby(sorted(set(versions)), key=lambda version: None if version.is_drop else version.schema)
    ]
    before: list[SchemaVersion] = []
    for first, after in zip_longest(groups, groups[1:]):
        is_undone = first[0].is_drop and after is not None and before and before[-1].schema == after[0].schema
        if before and before[-1].schema != first[0].schema and not is_undone:
            yield before, first[:2]
        before = before if first[0].is_drop else [*before, *first]
