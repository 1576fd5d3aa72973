"""Folds runs, the parents that runs name, and writes."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId
from headwater.graph.producers import is_query_job, is_test
from headwater.graph.states.job import JobFacts
from headwater.graph.states.rhythm import Rhythm, moment, observation
from headwater.graph.states.run import Run
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot

AT_A_TIME, MOST_READ_AGAIN = 100, 2_000
"""Runs of a job that are read in one call, and at most, when one of them began earlier than was known."""


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

    The rhythm of a job follows from its runs, so it is read before they are written: a writer who has seen less of a
    run loses the race for the rhythm, too.
    """
    runs = {run_id: run.join(read.runs.get(run_id)) for run_id, run in batch.runs.items()}
    reported = reported_to_parents(runs.values())
    read = _with_parents(reported, store, read, batch.wanted)
    runs |= {run_id: run.join(runs.get(run_id) or read.runs.get(run_id)) for run_id, run in reported.items()}
    folded = [FoldedRun(run_id, run, is_new=run != read.runs.get(run_id)) for run_id, run in runs.items()]
    rhythms = rhythms_of(folded_run.run for folded_run in folded)
    if missing := [job for job in rhythms if job not in batch.wanted.rhythms]:  # another event has ended the run
        read = store.read(ReadRequest(rhythms=missing), beside=read)
    store.put(batch.versions, read)
    saved = store.join([*batch.writes, *(folded_run.run for folded_run in folded if folded_run.is_new)], read)
    known = [_with_known(store, job, rhythm, saved) for job, rhythm in rhythms.items()]
    changed = [rhythm for rhythm in known if rhythm != saved.rhythms.get(rhythm.id)]  # else it may be due no more
    saved = store.save(changed, saved) if changed else saved
    return FoldedRuns(folded, _parent_jobs(reported.values()), saved)


def rhythms_of(runs: Iterable[Run]) -> dict[JobId, Rhythm]:
    """The rhythms of jobs by some of their runs."""
    rhythms: dict[JobId, Rhythm] = {}
    for run in filter(has_rhythm, runs):
        rhythm = Rhythm(run.job, (observation(run),), is_due=not is_query_job(values(run.job_facets)))
        rhythms[rhythm.id] = rhythm.join(rhythms.get(rhythm.id))
    return rhythms


def has_rhythm(run: Run) -> bool:
    """Whether a run counts for the rhythm of its job: it ended, and it is no stream's, nor a test's."""
    facets = values(run.job_facets)
    is_stream = facet_text(facets, "jobType", "processingType") == "STREAMING"
    return bool(run.ending and run.last) and not is_test(facets) and not is_stream


def _with_known(store: GraphStore, job: JobId, rhythm: Rhythm, read: Snapshot) -> Rhythm:
    """The rhythm of a job with what is stored of it.

    If one of its runs began earlier than was known, its newest runs are read again, and the stored rhythm tells of the
    times before.
    """
    stored = read.rhythms.get(job)
    if stored is None or not rhythm.differs_from(stored):
        return rhythm.join(stored)
    ids = list(islice(store.runs_of(job).newest(), MOST_READ_AGAIN))
    runs = [run for start in range(0, len(ids), AT_A_TIME) for run in _runs(store, ids[start : start + AT_A_TIME])]
    earliest = moment(min(run.started_at for run in runs))
    ids_read = {observation(run).run for run in runs if has_rhythm(run)}
    before = (seen for seen in stored.observations if seen.start < earliest and seen.run not in ids_read)
    return rhythms_of(runs)[job].join(replace(stored, observations=tuple(before)))


def _runs(store: GraphStore, ids: Collection[JobRunId]) -> list[Run]:
    return store.read(ReadRequest(runs=ids)).runs.of(ids)


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
