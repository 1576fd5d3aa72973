"""The activity of jobs and datasets in a window: runs, writes, schema changes, and quality results.

A job takes two queries: one for its runs in the window, one for the last runs before the window. The first run of the
window is compared with the last run before. A dataset takes three queries: two for its writes, likewise, and one for
its quality results. If no write of the dataset is known, a fourth query lists its schemas; if its schema changed before
these writes, a fourth finds the change. The queries are concurrent. Then the states are read, a hundred a call, and
after them the schemas of the schema changes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.facets.schema_diff import SchemaDiff
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, WriteId
from headwater.graph.states.rhythm import Rhythm
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.schema_changes import (
    NameOfDataset,
    SchemaChange,
    SchemaVersion,
    changes_of,
    versions_before,
    versions_of,
    versions_seen,
    with_recorded_renames,
)
from headwater.read.window import Window, history
from headwater.store.ranges import TimeLine
from headwater.store.snapshot import ReadRequest, Snapshot

Value = TypeVar("Value")


class KnownDataset(NamedTuple):
    """A dataset with all its ids, and the time of its first event."""

    ids: Collection[DatasetId]
    created: Instant


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity by node. The first few runs and writes may be from before the window. Schema changes are those since
    the time from which they count."""

    runs: Mapping[JobId, list[Run]]
    rhythms: Mapping[JobId, Rhythm]
    writes: Mapping[DatasetId, list[DatasetWrite]]
    checks: Mapping[DatasetId, list[QualityResult]]
    schema_changes: Mapping[DatasetId, list[SchemaChange]]
    is_truncated: bool


def read_activity(
    reader: Reader,
    window: Window,
    changed_since: Instant,
    jobs: Collection[JobId],
    datasets: Mapping[DatasetId, KnownDataset],
) -> Activity:
    """The activity of jobs, and of datasets by their representatives; schema changes since an earlier time."""
    store = reader.store
    ids = [(representative, dataset) for representative, known in datasets.items() for dataset in sorted(known.ids)]
    lines: list[tuple[TimeLine[Any], bool]] = [(store.runs_of(job), True) for job in jobs]
    lines += [(store.writes_of(dataset), True) for _, dataset in ids]
    lines += [(store.quality_of(dataset), False) for _, dataset in ids]
    histories = concurrent_map(lambda line: history(line[0], window, with_earlier=line[1]), lines)
    of_jobs, of_datasets = histories[: len(jobs)], histories[len(jobs) :]
    of_writes, of_checks = of_datasets[: len(ids)], of_datasets[len(ids) :]
    read = store.read(
        ReadRequest(
            runs=[run for runs in of_jobs for run in runs.ids],
            rhythms=jobs,
            writes=[write for writes in of_writes for write in writes.ids],
            quality=[check for checks in of_checks for check in checks.ids],
        )
    )
    return Activity(
        runs={job: _runs(read, runs.ids) for job, runs in zip(jobs, of_jobs, strict=True)},
        rhythms=read.rhythms.all(),
        writes=_by_dataset(
            (representative, _writes(read, writes.ids))
            for (representative, _), writes in zip(ids, of_writes, strict=True)
        ),
        checks=_by_dataset(
            (representative, read.quality.of(checks.ids))
            for (representative, _), checks in zip(ids, of_checks, strict=True)
        ),
        schema_changes=_schema_changes(
            reader,
            Window(changed_since, window.until),
            ids,
            [_writes(read, writes.ids) for writes in of_writes],
            {dataset: max(changed_since, known.created) for dataset, known in datasets.items()},
        ),
        is_truncated=any(line.is_cut for line in histories),
    )


def with_renames_between(
    reader: Reader,
    diffs: Mapping[DatasetId, SchemaDiff],
    ids: Mapping[DatasetId, Collection[DatasetId]],
    window: Window,
) -> dict[DatasetId, SchemaDiff]:
    """The differences between the two times of a window, with the columns that seem renamed by what was written in
    between. Only datasets that lost columns and got others are read."""
    asked = {
        dataset: KnownDataset(ids[dataset], window.since)
        for dataset, diff in diffs.items()
        if diff.added and diff.removed
    }
    changes = read_activity(reader, window, window.since, (), asked).schema_changes if asked else {}
    return {dataset: with_recorded_renames(diff, changes.get(dataset, ())) for dataset, diff in diffs.items()}


def _runs(read: Snapshot, ids: Iterable[JobRunId]) -> list[Run]:
    """The runs with these ids that are still stored, the earliest first."""
    return sorted(read.runs.of(ids), key=lambda run: run.order)


def _writes(read: Snapshot, ids: Iterable[WriteId]) -> list[DatasetWrite]:
    return read.writes.of(ids)


def _schema_changes(
    reader: Reader,
    window: Window,
    ids: Sequence[NameOfDataset],
    writes: Sequence[Iterable[DatasetWrite]],
    began: Mapping[DatasetId, Instant],
) -> Mapping[DatasetId, list[SchemaChange]]:
    of_ids = {dataset: list(versions_of(id_writes)) for dataset, id_writes in zip(ids, writes, strict=True)}
    versions: dict[DatasetId, list[SchemaVersion]] = _by_dataset(
        (representative, of_id) for (representative, _), of_id in of_ids.items()
    )
    of_known = ((dataset, [each for each in of_id if not each.is_drop]) for dataset, of_id in of_ids.items())
    oldest = {dataset: min(of_id) for dataset, of_id in of_known if of_id}
    for dataset, earlier in versions_before(reader, oldest, began).items():
        versions[dataset] += earlier
    unwritten = [dataset for dataset in ids if all(version.is_drop for version in versions[dataset[0]])]
    for dataset, seen in versions_seen(reader, unwritten).items():
        versions[dataset] += seen
    return changes_of(reader, versions, window)


def _by_dataset(by_id: Iterable[tuple[DatasetId, Iterable[Value]]]) -> dict[DatasetId, list[Value]]:
    """The values of each dataset under all its ids."""
    by_dataset: dict[DatasetId, list[Value]] = {}
    for dataset, values in by_id:
        by_dataset.setdefault(dataset, []).extend(values)
    return by_dataset
