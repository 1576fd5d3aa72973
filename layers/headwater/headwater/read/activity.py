"""The activity of jobs and datasets in a window: runs, schema changes, and quality results.

A job takes two queries: one for its runs in the window, one for the last runs before the window. The first run of the
window is compared with the last run before. A dataset takes three queries: two for its writes, likewise, and one for
its quality results. If no write of the dataset is known, a fourth query lists its schemas. The queries are concurrent.
Then the states are read, a hundred a call, and after them the schemas of the schema changes.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, QualityId, WriteId
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite, QualityResult
from headwater.read.reader import Reader
from headwater.read.schema_changes import SchemaChange, SchemaVersion, changes_of, versions_of, versions_seen
from headwater.read.window import Window, history
from headwater.store.ranges import TimeLine
from headwater.store.snapshot import ReadRequest, Snapshot

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Activity:
    """The activity by node. The first few runs of a job may have started before the window."""

    runs: Mapping[JobId, list[Run]]
    checks: Mapping[DatasetId, list[QualityResult]]
    schema_changes: Mapping[DatasetId, list[SchemaChange]]
    is_truncated: bool


def read_activity(
    reader: Reader, window: Window, jobs: Collection[JobId], datasets: Mapping[DatasetId, Collection[DatasetId]]
) -> Activity:
    """The activity of jobs and of datasets. Each dataset comes as its representative with all its ids."""
    store = reader.store
    ids = [(representative, dataset) for representative, same in datasets.items() for dataset in sorted(same)]
    lines: list[tuple[TimeLine[Any], bool]] = [(store.runs_of(job), True) for job in jobs]
    lines += [(store.writes_of(dataset), True) for _, dataset in ids]
    lines += [(store.quality_of(dataset), False) for _, dataset in ids]
    histories = concurrent_map(lambda line: history(line[0], window, with_earlier=line[1]), lines)
    of_jobs, of_datasets = histories[: len(jobs)], histories[len(jobs) :]
    of_writes, of_checks = of_datasets[: len(ids)], of_datasets[len(ids) :]
    read = store.read(
        ReadRequest(
            runs=[run for runs in of_jobs for run in runs.ids],
            writes=[write for writes in of_writes for write in writes.ids],
            quality=[check for checks in of_checks for check in checks.ids],
        )
    )
    return Activity(
        runs={job: _runs(read, runs.ids) for job, runs in zip(jobs, of_jobs, strict=True)},
        checks=_by_dataset(
            (representative, _checks(read, checks.ids))
            for (representative, _), checks in zip(ids, of_checks, strict=True)
        ),
        schema_changes=_schema_changes(reader, window, ids, [_writes(read, writes.ids) for writes in of_writes]),
        is_truncated=any(line.is_cut for line in histories),
    )


def _runs(read: Snapshot, ids: Iterable[JobRunId]) -> list[Run]:
    """The runs with these ids that are still stored, the earliest first."""
    return sorted(read.runs.of(ids), key=lambda run: run.order)


def _writes(read: Snapshot, ids: Iterable[WriteId]) -> list[DatasetWrite]:
    return read.writes.of(ids)


def _checks(read: Snapshot, ids: Iterable[QualityId]) -> list[QualityResult]:
    return read.quality.of(ids)


def _schema_changes(
    reader: Reader,
    window: Window,
    ids: Sequence[tuple[DatasetId, DatasetId]],
    writes: Sequence[Iterable[DatasetWrite]],
) -> Mapping[DatasetId, list[SchemaChange]]:
    versions: dict[DatasetId, list[SchemaVersion]] = _by_dataset(
        (representative, versions_of(id_writes)) for (representative, _), id_writes in zip(ids, writes, strict=True)
    )
    unwritten = [(representative, dataset) for representative, dataset in ids if not versions[representative]]
    return changes_of(reader, {**versions, **versions_seen(reader, unwritten)}, window)


def _by_dataset(by_id: Iterable[tuple[DatasetId, Iterable[Value]]]) -> dict[DatasetId, list[Value]]:
    """The values of each dataset under all its ids."""
    by_dataset: dict[DatasetId, list[Value]] = {}
    for dataset, values in by_id:
        by_dataset.setdefault(dataset, []).extend(values)
    return by_dataset
