"""Folds the heads of jobs: facts, the latest run, and the chosen edges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.fold.head_selection import HeadSelection
from headwater.fold.runs import FoldedRun, FoldedRuns
from headwater.graph.names.identity import DatasetId, JobId, JobRunId
from headwater.graph.states.generation import Generation, RunOfGeneration, read_back_to
from headwater.graph.states.job import JobFacts, JobHead, LatestRun
from headwater.graph.states.run import Run
from headwater.openlineage.instant import NEVER, Instant
from headwater.store.errors import Conflict
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Preconditions, ReadRequest, Snapshot

FIRST_RUNS, RUNS_AT_A_TIME = 20, 100
"""How many runs of a job one call reads, at first and then at a time."""


class FoldedJobs(NamedTuple):
    """The heads of the jobs of a batch, and the preconditions of this fold. `claimed_anew` are datasets that the batch
    does not name but whose column lineage a job may now claim differently: fold their heads before
    `selection.finish()`."""

    heads: dict[JobId, JobHead]
    preconditions: Preconditions
    claimed_anew: set[DatasetId]
    selection: HeadSelection


def fold_jobs(
    batch: Batch,
    facts: Mapping[JobId, JobFacts],
    store: GraphStore,
    folded_runs: FoldedRuns,
    lost: Snapshot | None = None,
) -> FoldedJobs:
    """Writes the heads of jobs that changed. `lost` is what an earlier attempt of this fold had read before it lost a
    race."""
    runs, _, read = folded_runs
    before = {job: _with_facts(read.jobs.get(job), job_facts) for job, job_facts in facts.items()}
    parents = _Parents({folded.id: folded.run for folded in runs})
    heads = _with_runs(before, runs, parents)

    def elsewhere(head: JobHead) -> set[DatasetId]:
        return head.outputs_with_columns - batch.datasets.keys()

    stale = {job for job, head in heads.items() if head.reselecting or not head.generation.is_known}
    stale |= {folded.id.job for folded in runs if before[folded.id.job].was_thought_newer(folded.run)}
    stale |= {folded.id.job for folded in runs if lost and _took_over(folded, lost)}
    changed = {job for job, head in heads.items() if head.generation != before[job].generation}
    stale |= {job for job in changed - stale if _claims_otherwise(before[job], heads[job], elsewhere(heads[job]))}
    saved = store.save([head for job, head in heads.items() if job not in stale], read)
    preconditions = _preconditions([run for run in runs if run.id.job not in stale], heads, read, saved)
    selection = HeadSelection(store, saved)
    for job in sorted(stale):
        choose = lambda job=job: _newest(store, job, heads[job].facts)  # noqa: E731
        marked = replace(heads[job], generation=heads[job].generation._replace(is_known=True))  # the mark says it
        heads[job] = selection.reselect(marked, choose, elsewhere)
    claimed_anew = {dataset for job in stale for dataset in elsewhere(heads[job])}
    return FoldedJobs(heads, preconditions.joined(saved.preconditions(runs=parents.relied_on)), claimed_anew, selection)


class _Parents:
    """The runs of a batch and their parents; `relied_on` are the parents whose first event decided a choice."""

    def __init__(self, runs: Mapping[JobRunId, Run]) -> None:
        self._runs = runs
        self.relied_on: set[JobRunId] = set()

    def began(self, parent: JobRunId) -> Instant:
        """The time before which no run of a parent began. A run that is itself a parent may be read without its own
        parent; then nothing is known."""
        if parent not in self._runs:
            return NEVER
        self.relied_on.add(parent)
        return self._runs[parent].created


def _with_runs(heads: Mapping[JobId, JobHead], runs: Iterable[FoldedRun], parents: _Parents) -> dict[JobId, JobHead]:
    with_runs = dict(heads)
    for folded in sorted(runs, key=lambda folded: folded.run.order):
        with_runs[folded.id.job] = with_runs[folded.id.job].with_run(folded.run, parents.began)
    return with_runs


def _claims_otherwise(before: JobHead, after: JobHead, datasets: Iterable[DatasetId]) -> bool:
    return any(list(before.column_lineages(node)) != list(after.column_lineages(node)) for node in datasets)


def choose_job_anew(store: GraphStore, facts: JobFacts, runs: Sequence[Run] = ()) -> JobHead:
    """Joins runs of a job with the stored runs, and writes the job's head from these facts, the stored head and all
    stored runs. Raises Conflict.

    The runs are written while the head is marked, so an interrupted writer leaves its mark.
    """
    read = store.read(ReadRequest(jobs=[facts.id]))
    head = _with_facts(read.jobs.get(facts.id), facts)

    def choose() -> JobHead:
        store.join(runs, store.read(ReadRequest(runs=[run.id for run in runs])))
        return _newest(store, facts.id, head.facts)

    return HeadSelection(store, read).reselect(head, choose)


def _with_facts(head: JobHead | None, facts: JobFacts) -> JobHead:
    return replace(head, facts=facts.join(head.facts)) if head else JobHead(facts)


def _preconditions(
    runs: Iterable[FoldedRun], heads: Mapping[JobId, JobHead], read: Snapshot, saved: Snapshot
) -> Preconditions:
    """The versions of items that must still stand when the heads of datasets are read.

    An unchanged head of a job with a new run: a concurrent choice of the head may have missed that run. An unchanged
    head whose runs have parents: the first read may have missed the mark of an interrupted choice. And a run that a
    head now names: its start may have changed before the head was written.
    """
    unwritten: set[JobId] = set()
    chosen = []
    for folded in runs:
        job, before = folded.id.job, read.jobs.get(folded.id.job)
        if saved.preconditions(jobs=[job]) == read.preconditions(jobs=[job]):
            if folded.is_new or folded.run.parents:
                unwritten.add(job)
        elif heads[job].chooses(folded.run) and not (before and before.chooses(folded.run)):
            chosen.append(folded.id)
    return saved.preconditions(jobs=unwritten, runs=chosen)


def _took_over(folded: FoldedRun, lost: Snapshot) -> bool:
    """Whether the first attempt may have made the run the newest of its job through a parent that has changed since."""
    head, run = lost.jobs.get(folded.id.job), RunOfGeneration.of(folded.run)
    return head is not None and run.parent not in (None, head.generation.newest.parent)


def _newest(store: GraphStore, job: JobId, facts: JobFacts) -> JobHead:
    """A job's head by its newest run, and by the generation of its newest run that names a dataset.

    The index gives the order; the runs are read after it. Raises Conflict if the order of the runs changed in between.
    """
    latest: LatestRun | None = None
    chosen: list[RunOfGeneration] = []
    earliest = NEVER
    newest = store.runs_of(job).newest()
    while page := list(islice(newest, RUNS_AT_A_TIME if chosen else FIRST_RUNS)):
        read = store.read(ReadRequest(runs=page))
        runs = read.runs.of(page)
        if runs != sorted(runs, key=lambda run: run.order, reverse=True):
            raise Conflict("the order of a job's runs changed while they were read")
        for run in runs:
            latest = latest or LatestRun.of(run)
            if chosen and run.started_at < earliest:
                return JobHead(facts, latest, Generation.of(chosen))
            if run.names_datasets:
                chosen.append(RunOfGeneration.of(run))
                earliest = earliest or _read_back_to(store, chosen[0])
    return JobHead(facts, latest, Generation.of(chosen))


def _read_back_to(store: GraphStore, newest: RunOfGeneration) -> Instant:
    parents = [newest.parent] if newest.parent else []
    return read_back_to(newest, next(iter(store.read(ReadRequest(runs=parents)).runs.of(parents)), None))
