"""The edges of jobs as finished runs have them, for a comparison of two times.

An open or failed run has not named all its datasets, and a restarted loop has only its first source: a comparison would
report as removed what comes an hour later (decision 55).
"""

from collections.abc import Mapping
from datetime import timedelta

from headwater.graph.names.identity import JobId, JobRunId
from headwater.graph.states.edges import Edges, RenamedAway, RunOrder
from headwater.graph.states.generation import Generation, united
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.openlineage.instant import FOREVER, Instant, moved_back
from headwater.read.good_writes import commits_as_it_goes
from headwater.read.reader import Reader

LOOKED_BACK = 3
"""Generations of a job before one that did not go well."""


def settled_edges(
    reader: Reader, heads: Mapping[JobId, JobHead], at: Instant | None, renamed: RenamedAway
) -> dict[JobId, Edges]:
    """The edges of jobs at a time, or now, for a comparison of times. A generation that was open at the time, or had
    failed, may not have named all its datasets: the job has the edges of those before, too, up to one that went well.

    Beside those of `edges` it takes no read but one for the parents of runs, where they have any.
    """
    edges = reader.edges(heads, at, renamed)
    known = reader.generations_at(heads, at) if at else {job: head.generation for job, head in heads.items()}
    for _ in range(LOOKED_BACK):
        begun = _begun_before(reader, known, at or FOREVER)
        for job, earlier in begun.items():
            older = reader.edges({job: heads[job]}, earlier, renamed)[job]
            edges[job] = united(RunOrder(edges[job].time, edges[job].run_id), [edges[job], older])
        known = {job: reader.generations_at([job], earlier)[job] for job, earlier in begun.items()}
    return edges


def _begun_before(reader: Reader, known: Mapping[JobId, Generation], at: Instant) -> dict[JobId, Instant]:
    """The jobs whose generation had not gone well by a time, each with a moment before the generation began."""
    ids = [run for job, generation in known.items() for run in _runs_of(job, generation)]
    runs = {run.id: run.until(at) for run in (reader.runs(ids) if ids else ())}
    named = [generation.newest.parent for generation in known.values() if generation.newest.parent]
    parents = {run.id: run.until(at) for run in (reader.runs(named) if named else ()) if run.last}
    begun: dict[JobId, Instant] = {}
    for job, generation in known.items():
        own = [runs[run] for run in _runs_of(job, generation) if run in runs]
        parent = parents.get(generation.newest.parent) if generation.newest.parent else None
        if own and not (_is_settled(own[0]) and (parent is None or _is_settled(parent) or commits_as_it_goes(own[0]))):
            first = min([*(run.started_at for run in own), *([parent.created] if parent else [])])
            begun[job] = moved_back(first, timedelta(microseconds=1))
    return begun


def _runs_of(job: JobId, generation: Generation) -> list[JobRunId]:
    return [JobRunId(job, run.order.run_id) for run in generation.runs if run.order.run_id]


def _is_settled(run: Run) -> bool:
    return commits_as_it_goes(run) or (run.ending is not None and not run.ending.failed)
