"""Folds runs, the parents that runs name, and writes."""

from collections.abc import Iterable
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.graph.names.identity import JobId, JobRunId
from headwater.graph.states.job import JobFacts
from headwater.graph.states.run import Run
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot


class FoldedRun(NamedTuple):
    """A run as it is stored now, and whether this batch changed the run."""

    id: JobRunId
    run: Run
    is_new: bool


class FoldedRuns(NamedTuple):
    """The runs of a batch with their parents, the facts of the parents' jobs, and the snapshot after the writes."""

    runs: list[FoldedRun]
    parents: dict[JobId, JobFacts]
    stored: Snapshot


def fold_runs(batch: Batch, store: GraphStore, read: Snapshot) -> FoldedRuns:
    """Writes the writes of runs, the runs, and their parents.

    A run reports to its parents what follows from its own events alone. Hence no parent has to report on to its own
    parent, and the order in which child, parent and grandparent arrive does not matter.
    """
    runs = {run_id: run.join(read.runs.get(run_id)) for run_id, run in batch.runs.items()}
    reported = reported_to_parents(runs.values())
    read = _with_parents(reported, store, read, batch.wanted)
    runs |= {run_id: run.join(runs.get(run_id) or read.runs.get(run_id)) for run_id, run in reported.items()}
    folded = [FoldedRun(run_id, run, is_new=run != read.runs.get(run_id)) for run_id, run in runs.items()]
    store.put(batch.versions, read)
    saved = store.join([*batch.writes, *(folded_run.run for folded_run in folded if folded_run.is_new)], read)
    return FoldedRuns(folded, _parent_jobs(reported.values()), saved)


def reported_to_parents(runs: Iterable[Run]) -> dict[JobRunId, Run]:
    """The states of parents by these runs."""
    reported: dict[JobRunId, Run] = {}
    for run in runs:
        for parent in sorted(run.parents):
            run_id = parent.id
            reported[run_id] = run.reported_to(parent).join(reported.get(run_id))
    return reported


def _with_parents(parents: Iterable[JobRunId], store: GraphStore, read: Snapshot, wanted: ReadRequest) -> Snapshot:
    """The snapshot with the parents that an earlier event of a run named, and with the parents' jobs."""
    runs = {run_id for run_id in parents if run_id not in wanted.runs}
    jobs = {run_id.job for run_id in parents if run_id.job not in wanted.jobs}
    return store.read(ReadRequest(runs=runs, jobs=jobs), beside=read) if runs or jobs else read


def _parent_jobs(parents: Iterable[Run]) -> dict[JobId, JobFacts]:
    jobs: dict[JobId, JobFacts] = {}
    for run in parents:
        facts = JobFacts.only_named(run)
        jobs[facts.id] = facts.join(jobs.get(facts.id))
    return jobs
