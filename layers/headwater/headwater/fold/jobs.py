"""Folds the heads of jobs: facts, the latest run, and the chosen edges."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from headwater.fold.head_selection import HeadSelection
from headwater.fold.runs import FoldedRun
from headwater.graph.names.identity import JobId
from headwater.graph.states.edges import NO_EDGES, Edges
from headwater.graph.states.job import JobFacts, JobHead, LatestRun
from headwater.graph.states.run import Run
from headwater.store.errors import Conflict
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Preconditions, ReadRequest, Snapshot

RUNS_AT_A_TIME = 20


def fold_jobs(
    facts: Mapping[JobId, JobFacts], store: GraphStore, runs: Sequence[FoldedRun], read: Snapshot
) -> tuple[dict[JobId, JobHead], Preconditions]:
    """Writes the heads of jobs that changed. Returns all heads, and the preconditions of this fold."""
    heads = {job: _with_facts(read.jobs.get(job), job_facts) for job, job_facts in facts.items()}
    stale = {job for job, head in heads.items() if head.reselecting}
    for folded in runs:
        job = folded.id.job
        if heads[job].is_stale_after(folded.run):
            stale.add(job)
        heads[job] = heads[job].with_run(folded.run)
    saved = store.save([head for job, head in heads.items() if job not in stale], read)
    preconditions = _preconditions([run for run in runs if run.id.job not in stale], heads, read, saved)
    selection = HeadSelection(store, saved)
    for job in sorted(stale):
        heads[job] = selection.reselect(heads[job], lambda job=job: _newest(store, job, heads[job].facts))  # type: ignore[misc]
    return heads, preconditions


def choose_job_anew(store: GraphStore, facts: JobFacts, runs: Sequence[Run] = ()) -> JobHead:
    """Joins runs of a job with the stored runs, and writes the job's head by these facts, by those of the stored head,
    and by all stored runs. Raises Conflict.

    The runs are written while the head is marked: whoever is interrupted leaves the mark.
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

    A head that was left alone although a run of its job is new: a concurrent choice of that head may have missed the
    run. And a run that a head names from now on: the run's start may have changed before the head was written.
    """
    unwritten: set[JobId] = set()
    chosen = []
    for folded in runs:
        job, before = folded.id.job, read.jobs.get(folded.id.job)
        if saved.preconditions(jobs=[job]) == read.preconditions(jobs=[job]):
            if folded.is_new:
                unwritten.add(job)
        elif heads[job].chooses(folded.run) and not (before and before.chooses(folded.run)):
            chosen.append(folded.id)
    return saved.preconditions(jobs=unwritten, runs=chosen)


def _newest(store: GraphStore, job: JobId, facts: JobFacts) -> JobHead:
    """A job's head by its newest run, and by its newest run that names a dataset.

    The index gives the order, and the runs are read after the index. Raises Conflict if the order of the runs changed
    in between.
    """
    latest: LatestRun | None = None
    newest = store.runs_of(job).newest()
    while page := list(islice(newest, RUNS_AT_A_TIME)):
        read = store.read(ReadRequest(runs=page))
        runs = read.runs.of(page)
        if runs != sorted(runs, key=lambda run: run.order, reverse=True):
            raise Conflict("the order of a job's runs changed while they were read")
        for run in runs:
            latest = latest or LatestRun.of(run)
            if run.names_datasets:
                return JobHead(facts, latest, Edges.of(run))
    return JobHead(facts, latest, NO_EDGES)
