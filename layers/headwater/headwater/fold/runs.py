"""Folds runs, the parents that runs name, and writes."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from headwater.fold.batch import Batch
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, JobRunId, job_id
from headwater.graph.producers import is_query_job, is_test, schedule_of
from headwater.graph.states.job import JobFacts
from headwater.graph.states.rhythm import (
    NO_SCHEDULE,
    Rhythm,
    Schedule,
    backfill_run,
    is_backfill,
    observation,
    short_id,
)
from headwater.graph.states.run import Run
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot

AT_A_TIME, MOST_READ_AGAIN = 100, 2_000
"""How many runs of a job are read in one call, and at most, when one began earlier than was known."""


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

    A run reports to its parents only what follows from its own events. So no parent has to pass anything on to its own
    parent, and child, parent and grandparent may arrive in any order.

    A job's rhythm follows from its runs, so it is read before they are written: a writer that saw less of a run also
    loses the race for the rhythm.
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
    saved = write_rhythms(rhythms, store, saved)
    return FoldedRuns(folded, _parent_jobs(reported.values()), saved)


def write_rhythms(rhythms: Mapping[JobId, Rhythm], store: GraphStore, read: Snapshot) -> Snapshot:
    """Writes the rhythms of jobs by runs that are stored, with what is known of them; `read` has the stored rhythms.

    If several runs of a job ended, each unusual amount is written by itself, so that the table's stream shows it
    however the events are batched.
    """
    for job, rhythm in rhythms.items():
        for unusual in _unusual_before_last(rhythm, read.rhythms.get(job)):
            read = store.save([unusual], read)
    known = [_with_known(store, job, rhythm, read) for job, rhythm in rhythms.items()]
    changed = [rhythm for rhythm in known if rhythm != read.rhythms.get(rhythm.id)]  # otherwise it may no longer be due
    return store.save(changed, read) if changed else read


def _unusual_before_last(rhythm: Rhythm, stored: Rhythm | None) -> Iterator[Rhythm]:
    """The rhythm after each of its runs but the last that wrote an unusual amount."""
    if stored is None or len(rhythm.observations) < 2 or rhythm.differs_from(stored):
        return
    from headwater.graph.expectations.usual import unusual  # noqa: PLC0415 - seldom, and not to start with

    for number, seen in enumerate(rhythm.observations[:-1], start=1):
        until = Rhythm(rhythm.job, rhythm.observations[:number]).join(stored)
        if until.observations[-1] == seen and seen not in stored.observations and unusual(until.observations):
            yield until


def rhythms_of(runs: Iterable[Run]) -> dict[JobId, Rhythm]:
    """The rhythms of jobs from those of these runs that have ended, each with all of its runs: what is kept is known
    once they are joined with the others. Queries come with their application, tests with what they test, and streams
    never end: none of these is due by itself."""
    seen: dict[JobId, list[Rhythm]] = {}
    for run in runs:
        if run.ending and run.last:
            seen.setdefault(job_id(run.job), []).append(_rhythm_of(run))
    return {
        job: Rhythm(
            min(each.job for each in of),
            tuple(sorted(observed for each in of for observed in each.observations)),
            max(each.schedule for each in of),
            tuple(sorted(run for each in of for run in each.backfills)),
        )
        for job, of in seen.items()
    }


def _rhythm_of(run: Run) -> Rhythm:
    """The rhythm by one run."""
    if is_backfill(run):
        return Rhythm(run.job, backfills=(backfill_run(run),))
    facets = values(run.job_facets)
    is_stream = facet_text(facets, "jobType", "processingType") == "STREAMING"
    is_due = not (is_query_job(facets) or is_test(facets) or is_stream)
    observed, schedule = observation(run)._replace(is_due=is_due), schedule_of(values(run.facets))
    said = NO_SCHEDULE if schedule is None else Schedule(run.last, observed.run, schedule)
    return Rhythm(run.job, (observed,), said)


def _with_known(store: GraphStore, job: JobId, rhythm: Rhythm, read: Snapshot) -> Rhythm:
    """The rhythm of a job with what is stored of it.

    If one of its runs began at another time than was known, or is one of a backfill, the newest runs are read again.
    For runs that are gone or older, the stored rhythm counts.
    """
    stored = read.rhythms.get(job)
    if stored is None or not rhythm.differs_from(stored):
        return rhythm.join(stored)
    ids = list(islice(store.runs_of(job).newest(), MOST_READ_AGAIN))
    chunks = (_runs(store, ids[start : start + AT_A_TIME]) for start in range(0, len(ids), AT_A_TIME))
    again = rhythms_of(run for chunk in chunks for run in chunk).get(job, rhythm)
    ids_read = {short_id(run.run_id) for run in ids}
    before = stored.without(ids_read)
    return again.join(replace(before, schedule=NO_SCHEDULE) if stored.schedule.run in ids_read else before)


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
