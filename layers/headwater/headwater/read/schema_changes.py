"""The schema changes of datasets: from each known schema to the next."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.schema_diff import SchemaDiff, schema_diff
from headwater.graph.names.identity import DatasetId, JobRunId, SchemaId
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.window import Window
from headwater.store.snapshot import ReadRequest


class SchemaChange(NamedTuple):
    """The difference between two consecutive versions of a dataset. `run` wrote the newer version, if a run did."""

    at: Instant
    diff: SchemaDiff
    run: Run | None


class SchemaVersion(NamedTuple):
    """A schema that a dataset had from a time on. `run` wrote the dataset, if a run did."""

    at: Instant
    schema: SchemaId
    run: JobRunId | None


def versions_of(writes: Iterable[DatasetWrite]) -> Iterator[SchemaVersion]:
    """The writes with a schema."""
    for write in writes:
        if write.schema:
            yield SchemaVersion(write.output.first, write.schema, write.id.run)


def versions_seen(
    reader: Reader, datasets: Collection[tuple[DatasetId, DatasetId]]
) -> dict[DatasetId, list[SchemaVersion]]:
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


def changes_of(
    reader: Reader, versions: Mapping[DatasetId, Iterable[SchemaVersion]], window: Window
) -> dict[DatasetId, list[SchemaChange]]:
    """The differences between each version in the window and the version before."""
    pairs = [
        (dataset, before, after)
        for dataset, schemas in versions.items()
        for before, after in pairwise(sorted(schemas))
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
        diff = schema_diff(old.value, new.value) if old and new else None
        if diff:
            changes[dataset].append(SchemaChange(after.at, diff, read.runs.get(after.run) if after.run else None))
    return changes
