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
from headwater.graph.facets.schema_diff import Columns, SchemaDiff, schema_diff
from headwater.graph.names.identity import DatasetId, JobRunId, SchemaId
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
    """The difference between two consecutive versions of a dataset. `run` wrote the newer version, if a run did."""

    at: Instant
    diff: SchemaDiff
    run: Run | None

    @property
    def columns(self) -> set[str]:
        """The columns that the change touched."""
        return {*self.diff.added, *self.diff.removed, *(column.name for column in self.diff.retyped)}


class SchemaVersion(NamedTuple):
    """A schema that a dataset had from a time on. `run` wrote the dataset, if a run did."""

    at: Instant
    schema: SchemaId
    run: JobRunId | None


def versions_of(writes: Iterable[DatasetWrite]) -> Iterator[SchemaVersion]:
    for write in writes:
        if write.schema:
            yield SchemaVersion(write.output.first, write.schema, write.id.run)


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


def changes_of(
    reader: Reader, versions: Mapping[DatasetId, Iterable[SchemaVersion]], window: Window
) -> dict[DatasetId, list[SchemaChange]]:
    """The differences between each version in the window and the version before, in the order of the versions.

    A change has the time of its alert: the first event with the schema, if that came after the first of the run.
    Trino, dbt and Airflow name a table as a run starts, and its columns as the run ends.
    """
    pairs = [
        (dataset, before, after)
        for dataset, schemas in versions.items()
        for before, after in pairwise(sorted(set(schemas)))
        if before.schema != after.schema and window.has(after.at)
    ]
    read = reader.store.read(
        ReadRequest(
            schemas={version.schema for _, *pair in pairs for version in pair},
            runs={after.run for *_, after in pairs if after.run},
        )
    )
    changes: dict[DatasetId, list[SchemaChange]] = defaultdict(list)
    for dataset, before, after in pairs:
        old, new = read.schemas.get(before.schema), read.schemas.get(after.schema)
        if old and new and (diff := schema_diff(old.value, new.value)) and window.has(at := max(after.at, new.time)):
            changes[dataset].append(SchemaChange(at, diff, read.runs.get(after.run) if after.run else None))
    return changes
