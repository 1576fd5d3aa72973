"""Which changes upstream still count: a wrong run that completes once more fixes nothing.

A change of a schema stands, from the last run that a person called good, until one of these happens:

    the change is undone       the schema of the dataset is as it was before
    its readers were changed   each job that reads it on the way to the node runs other code than before the change. A
                               job that reports no code of its own stays with the change: its plan is not compared
    its readers were good      a person called a run of such a job good, which began after the change

A change since the last completed run always counts. The other changes no longer count, and are listed separately.
"""

from collections.abc import Collection, Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.schema_diff import Columns
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.run import Run, RunState
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.read.schema_changes import SchemaChange, changed_columns
from headwater.traversal.run_findings import is_other_code, tells_code


class Way(NamedTuple):
    """What is on the way to the node: the columns of each dataset now, its readers, and the runs of these that were
    read, the earliest first, with the newest that a person called good."""

    columns: Mapping[DatasetId, Columns]
    readers: Mapping[DatasetId, Collection[JobId]]
    runs: Mapping[JobId, Collection[Run]]
    good: Mapping[JobId, Run]


class StandingChanges(NamedTuple):
    """The changes that count, and the readers that might have reacted to one but do not report their code."""

    changes: Collection[tuple[DatasetId, Instant]]
    untold: Collection[JobId]


def standing_changes(
    reader: Reader, changes: Mapping[DatasetId, Collection[SchemaChange]], recent: Instant, way: Way
) -> StandingChanges:
    """The changes of schemas that count: those since the time `recent`, and those that stand. For a change before the
    runs that were read, each reader takes a query."""
    of_all = {(dataset, change.at): change for dataset, found in changes.items() for change in found}
    changed = {dataset: changed_columns(found, way.columns.get(dataset, {})) for dataset, found in changes.items()}
    older = {key for key, change in of_all.items() if change.at < recent and change.columns & changed[key[0]]}
    asked = {(job, at) for dataset, at in older for job in way.readers.get(dataset, ())}
    is_met = _met(reader, asked, way)
    settled = {
        (dataset, at)
        for dataset, at in older
        if way.readers.get(dataset) and all(is_met[job, at] for job in way.readers[dataset])
    }
    stand = older - settled
    unmet = {job for dataset, at in stand for job in way.readers.get(dataset, ()) if not is_met[job, at]}
    untold = {job for job in unmet if (runs := [*way.runs.get(job, ())]) and not tells_code(runs[-1])}
    return StandingChanges({key for key in of_all if key[1] >= recent} | stand, untold)


def _met(reader: Reader, asked: Iterable[tuple[JobId, Instant]], way: Way) -> dict[tuple[JobId, Instant], bool]:
    """Whether each of these jobs met a change at a time: it runs other code since, or had a good run."""
    is_met = {(job, at): job in way.good and way.good[job].started_at >= at for job, at in asked}
    newest = {
        key: after[-1]
        for key, done in is_met.items()
        if not done
        and (after := [run for run in way.runs.get(key[0], ()) if run.started_at > key[1] and _completed(run)])
    }

    def before(key: tuple[JobId, Instant]) -> Run | None:
        job, at = key
        if known := [run for run in way.runs[job] if run.started_at < at]:
            return known[-1]
        ids = list(islice(reader.store.runs_of(job).newest(before=at, limit=1), 1))
        return next(iter(reader.runs(ids)), None)

    earlier = dict(zip(newest, concurrent_map(before, newest), strict=True))
    return is_met | {key: bool(run and is_other_code(run, newest[key])) for key, run in earlier.items()}


def _completed(run: Run) -> bool:
    return run.state is RunState.COMPLETED and not run.failed_children
