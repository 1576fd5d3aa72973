"""What happened to jobs and datasets in a window: runs, changes of schemas, and what was found out about the data.

A job takes two queries: one for what is within, and one for what came just before, to compare the first of a window
with. A dataset takes three, a third for what was found out; or four, if nobody is seen to write it. They are made side
by side. Then come the items, a hundred a read, and once more those that tell what changed.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.identity import NodeId
from headwater.graph.register import Registers
from headwater.graph.run import Run
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.schema_changes import SchemaChange, SchemaVersion, changes_of, versions_of, versions_seen
from headwater.read.window import Window, history
from headwater.store import item_codec, keys
from headwater.store.table import Item


class DataQualityResult(NamedTuple):
    """What a run found out about a dataset's data."""

    at: Instant
    run_id: str
    found: Registers


@dataclass(frozen=True, slots=True)
class Activity:
    """What happened, by node. The first few runs of a job may be from before the window."""

    runs: Mapping[NodeId, list[Run]]
    checks: Mapping[NodeId, list[DataQualityResult]]
    schema_changes: Mapping[NodeId, list[SchemaChange]]
    is_truncated: bool


class _Part(NamedTuple):
    """A partition of a node; `prefix` is QUALITY for the checks in it, else it is about its runs or versions."""

    node: NodeId
    pk: str
    prefix: str = ""


_Found = Mapping[_Part, list[Item]]


def read_activity(
    reader: Reader, window: Window, jobs: Collection[NodeId], datasets: Mapping[NodeId, Collection[NodeId]]
) -> Activity:
    """What happened to jobs, and to datasets, each of which may have several ids."""
    of_jobs = [_Part(job, keys.job_head(job).pk) for job in jobs]
    writes = [_Part(one, keys.dataset_head(each).pk) for one, ids in datasets.items() for each in sorted(ids)]
    checks = [part._replace(prefix=keys.QUALITY) for part in writes]
    found, is_truncated = _read(reader, window, [*of_jobs, *writes, *checks])
    runs = {part.node: [item_codec.read_run(item) for item in found[part]] for part in of_jobs}
    return Activity(
        runs={job: sorted(of_job, key=lambda run: run.order) for job, of_job in runs.items()},
        checks=_quality_results(checks, found),
        schema_changes=_schema_changes(reader, window, writes, found),
        is_truncated=is_truncated,
    )


def _read(reader: Reader, window: Window, parts: list[_Part]) -> tuple[_Found, bool]:
    """What the parts have, the newest first, and whether one of them has more."""
    histories = concurrent_map(lambda part: history(reader.table, part.pk, window, part.prefix), parts)
    items = reader.table.read([key for each in histories for key in each.keys]) if parts else {}
    there = [[items[key] for key in each.keys if key in items] for each in histories]
    return dict(zip(parts, there, strict=True)), any(each.is_cut for each in histories)


def _schema_changes(
    reader: Reader, window: Window, writes: list[_Part], found: _Found
) -> Mapping[NodeId, list[SchemaChange]]:
    versions: dict[NodeId, list[SchemaVersion]] = {}
    for part in writes:
        versions.setdefault(part.node, []).extend(versions_of(found[part]))
    unknown = [(part.node, part.pk) for part in writes if not versions[part.node]]
    return changes_of(reader, {**versions, **versions_seen(reader, unknown)}, window)


def _quality_results(parts: list[_Part], found: _Found) -> dict[NodeId, list[DataQualityResult]]:
    checks: dict[NodeId, list[DataQualityResult]] = {}
    for part in parts:
        checks.setdefault(part.node, []).extend(map(_quality_result, found[part]))
    return checks


def _quality_result(item: Item) -> DataQualityResult:
    found = item_codec.read_quality(item)
    return DataQualityResult(max(register.time for register in found.values()), keys.run_of(item.key.sk)[0], found)
