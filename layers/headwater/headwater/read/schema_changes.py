"""How the schemas of datasets changed: from one version to the next that any is known of."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.dataset_reference import SCHEMA
from headwater.graph.identity import NodeId
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.graph.schema_diff import SchemaDiff, schema_diff
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.window import Window
from headwater.store import item_codec, keys
from headwater.store.keys import Key
from headwater.store.table import Item


class SchemaChange(NamedTuple):
    """Two versions of a dataset, one after the other, differ; and the run that wrote the newer one, if a run did."""

    at: Instant
    diff: SchemaDiff
    run: Run | None


class SchemaVersion(NamedTuple):
    """A schema that a dataset had from some moment on, and where its run is, if it was a run's."""

    at: Instant
    schema: Key
    run: Key | None


def versions_of(items: Iterable[Item]) -> Iterator[SchemaVersion]:
    """The versions of which the schema is known."""
    for item in items:
        use, node = item_codec.read_write(item), keys.node_of(item.key.pk)
        digest = values(use.facets).get(SCHEMA)
        if digest:
            yield SchemaVersion(use.first, keys.schema(node, digest), run_of_write(item.key))


def run_of_write(write: Key) -> Key:
    """Where the run is that wrote a version. There is none if it was a JobEvent or DatasetEvent."""
    run_id, job = keys.run_of(write.sk)
    return keys.run(job, run_id)


def versions_seen(reader: Reader, partitions: Collection[tuple[NodeId, str]]) -> dict[NodeId, list[SchemaVersion]]:
    """The schemas of datasets that nobody is seen to write, like those of a topic, by when each was first seen."""
    found = concurrent_map(lambda each: list(reader.table.partition(each[1], "S#")), partitions)
    items = reader.table.read([key for of_one in found for key in of_one]) if partitions else {}
    versions: dict[NodeId, list[SchemaVersion]] = defaultdict(list)
    for (one, _), of_one in zip(partitions, found, strict=True):
        first = {key: Instant(items[key].labels["first"]) for key in of_one if key in items}
        versions[one] += [SchemaVersion(at, key, None) for key, at in first.items()]
    return versions


def changes_of(
    reader: Reader, versions: Mapping[NodeId, Iterable[SchemaVersion]], window: Window
) -> dict[NodeId, list[SchemaChange]]:
    """Where a version that is in the window is not what the one before it was."""
    pairs = [
        (node, before, after)
        for node, of_node in versions.items()
        for before, after in pairwise(sorted(of_node))
        if before.schema != after.schema and window.has(after.at)
    ]
    schemas = {version.schema for _, *pair in pairs for version in pair}
    items = reader.table.read(schemas | {after.run for *_, after in pairs if after.run}) if pairs else {}
    changes: dict[NodeId, list[SchemaChange]] = defaultdict(list)
    for node, before, after in pairs:
        diff = schema_diff(*(item_codec.read_document(items[each.schema]) for each in (before, after)))
        run = items.get(after.run) if after.run else None
        if diff:
            changes[node].append(SchemaChange(after.at, diff, item_codec.read_run(run) if run else None))
    return changes
