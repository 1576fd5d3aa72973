"""The schema changes of datasets: from each known schema to the next.

A change is found as long as its writes are stored, also if very many writes came after it: the item of the schema since
has the time at which it began.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.column_type import Retyping, retyping
from headwater.graph.facets.dataset_reference import Document, schema_register
from headwater.graph.facets.schema import COLUMN, LAST, ONLY_DOCUMENTED
from headwater.graph.facets.schema_diff import Columns, SchemaDiff, columns_of, schema_diff
from headwater.graph.names.identity import DatasetId, JobRunId, SchemaId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import DatasetUsage
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.reader import Reader
from headwater.read.window import BEFORE, Window
from headwater.store.snapshot import ReadRequest

MOST_BEFORE = 3
"""Changes of a dataset that are looked up before the writes that were read."""

NameOfDataset = tuple[DatasetId, DatasetId]
"""A dataset by its representative, and the id under which its states are stored."""


class SchemaChange(NamedTuple):
    """The difference between two consecutive versions of a dataset, and when the newer schema was first reported. `run`
    wrote the newer version, if a run did."""

    at: Instant
    diff: SchemaDiff
    run: Run | None

    @property
    def columns(self) -> set[str]:
        """The columns that the change touched."""
        return {*self.diff.added, *self.diff.removed, *(column.name for column in self.diff.retyped)}


class SchemaVersion(NamedTuple):
    """A schema that a dataset had from a time on. `run` wrote the dataset, if a run did, and reported the schema until
    `last`."""

    at: Instant
    last: Instant
    schema: SchemaId
    run: JobRunId | None


def versions_of(writes: Iterable[DatasetWrite]) -> Iterator[SchemaVersion]:
    for write in writes:
        if (schema := write.schema) and (register := schema_register(write.output.facets)):
            yield SchemaVersion(write.output.first, register.time, schema, write.id.run)


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
            dataset: [each for each in around if each.schema != pending[dataset].schema]
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
        versions[representative] += [
            SchemaVersion(document.time, document.time, schema, None) for schema, document in known
        ]
    return versions


class Withdrawal(NamedTuple):
    """The job that no longer makes some columns of a partial schema. `last` is its last event with all columns that it
    makes, `run` its first run that wrote the dataset without the columns, if that is known."""

    last: Instant
    job: JobHead
    run: JobRunId | None


def withdrawal(
    columns: Collection[str], users: Iterable[tuple[JobHead, DatasetUsage]], writes: Collection[DatasetWrite]
) -> Withdrawal | None:
    """Who withdrew columns of a dataset, by its writers and its newest versions."""
    names = {f"{COLUMN}{name}" for name in columns}
    writers = [
        (usage.facets[LAST].time, max(usage.facets[name].time for name in names & usage.facets.keys()), head)
        for head, usage in users
        if LAST in usage.facets and names & usage.facets.keys()
    ]
    if not writers:
        return None
    last, named, job = max(writers, key=lambda writer: writer[0])
    of_job = sorted((each for each in writes if each.id.job == job.facts.id), key=lambda each: each.output.first)
    is_all = any(write.output.first <= named for write in of_job)  # else an older one may have been the first
    first = next((write.id.run for write in of_job if is_all and write.output.first > named), None)
    return Withdrawal(last, job, first)


def withdrawn(
    reader: Reader,
    dataset: DatasetHead,
    users: Collection[tuple[JobHead, DatasetUsage]],
    writes: Collection[DatasetWrite],
    window: Window,
) -> Iterator[SchemaChange]:
    """The changes in a window by which a dataset of partial schemas lost the columns that it has no more."""
    spelled = {name.lower() for name in columns_of(dataset.schema)}
    gone: dict[JobRunId, list[str]] = defaultdict(list)
    for name in dataset.gone if dataset.schema_digest is None else ():
        known = [usage.facets[f"{COLUMN}{name}"].value for _, usage in users if f"{COLUMN}{name}" in usage.facets]
        by = withdrawal([name], users, writes)
        if by and by.run and name.lower() not in spelled and any(ONLY_DOCUMENTED not in field for field in known):
            gone[by.run].append(name)
    for run in reader.runs(list(gone)):
        at = run.ended_at or run.updated
        if window.has(at):
            yield SchemaChange(at, SchemaDiff((), tuple(gone[run.id]), ()), run)


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


def changes_of(
    reader: Reader, versions: Mapping[DatasetId, Collection[SchemaVersion]], window: Window
) -> dict[DatasetId, list[SchemaChange]]:
    """The differences between each version in the window and the version before, the earliest first.

    A version dates from the first event that has its schema, as in the alert (alerts/attribution.py): dbt, Airflow and
    Trino name a table when a run starts, and its schema when the run ends.
    """
    of_changed = {dataset: found for dataset, found in versions.items() if len({each.schema for each in found}) > 1}
    ids = {version.schema for of_dataset in of_changed.values() for version in of_dataset}
    schemas = reader.store.read(ReadRequest(schemas=ids)).schemas.all()
    found = [
        (dataset, after, diff)
        for dataset, of_dataset in of_changed.items()
        for before, after in pairwise(_dated(of_dataset, schemas))
        if before.schema != after.schema and window.has(after.at)
        if (diff := schema_diff(schemas[before.schema].value, schemas[after.schema].value))
    ]
    runs = reader.store.read(ReadRequest(runs={after.run for _, after, _ in found if after.run})).runs
    changes: dict[DatasetId, list[SchemaChange]] = defaultdict(list)
    for dataset, after, diff in found:
        changes[dataset].append(SchemaChange(after.at, diff, runs.get(after.run) if after.run else None))
    return changes


def _dated(versions: Iterable[SchemaVersion], schemas: Mapping[SchemaId, Document]) -> list[SchemaVersion]:
    """Versions with the time from which each has its schema, the earliest first; of two that began before their schema
    was known, as a CREATE TABLE AS SELECT of Spark and the query inside it, first the one that ended first."""
    known = (version for version in set(versions) if version.schema in schemas)
    return sorted(version._replace(at=max(version.at, schemas[version.schema].time)) for version in known)
