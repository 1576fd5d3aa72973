"""Writes of wrappers: the edges from wrappers to the datasets that the query within writes (read/good_writes.py).

A graph shows a statement as one job. Only datasets that several queries of one application write cost a read: of the
runs of these queries. If the query within ran again since, its runs in the time of the wrapper cost a read, too.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from itertools import chain, islice, permutations

from headwater.concurrent import concurrent_map
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, JobRunId
from headwater.graph.producers import is_query_job
from headwater.graph.states.edges import Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.read.good_writes import wraps
from headwater.read.reader import RUNS_AT_A_TIME, Reader

Representative = Callable[[DatasetId], DatasetId]


def writes_of_wrappers(
    reader: Reader,
    writers: Mapping[DatasetId, Collection[JobId]],
    heads: Mapping[JobId, JobHead],
    edges: Mapping[JobId, Edges],
    representative: Representative,
) -> set[tuple[JobId, DatasetId]]:
    """Those edges from the writers of datasets that are by wrappers. Only jobs with these edges are writers."""
    groups = [(dataset, group) for dataset, jobs in writers.items() for group in _of_applications(jobs, heads)]
    ids = {JobRunId(job, edges[job].run_id) for _, group in groups for job in group}
    runs = {run.id.job: run for run in reader.runs(sorted(ids))} if ids else {}
    pairs = [
        (dataset, runs[wrapper], inner)
        for dataset, group in groups
        for wrapper, inner in permutations(sorted(runs.keys() & set(group)), 2)
        if edges[wrapper].input_ids <= edges[inner].input_ids
    ]

    def is_wrapped(pair: tuple[DatasetId, Run, JobId]) -> bool:
        dataset, wrapper, inner = pair
        candidates = chain([runs[inner]], _earlier_runs(reader, inner, runs[inner], wrapper))
        return any(
            wraps(wrapper, run) and dataset in map(representative, run.outputs) and not _only_inner_failed(wrapper, run)
            for run in candidates
        )

    found = zip(pairs, concurrent_map(is_wrapped, pairs), strict=True)
    return {(wrapper.id.job, dataset) for (dataset, wrapper, _), is_found in found if is_found}


def _of_applications(jobs: Collection[JobId], heads: Mapping[JobId, JobHead]) -> list[list[JobId]]:
    """The jobs that are queries of one application, if they are several."""
    groups = defaultdict(list)
    for job in jobs:
        if (application := heads[job].parent_name) and is_query_job(values(heads[job].facts.facets)):
            groups[application].append(job)
    return [group for group in groups.values() if len(group) > 1]


def _earlier_runs(reader: Reader, job: JobId, known: Run, wrapper: Run) -> list[Run]:
    """The runs of a job in the time of a wrapper, if the run that is known began later."""
    if wrapper.ended_at is None or known.started_at <= wrapper.ended_at:
        return []
    within = reader.store.runs_of(job).newest(since=wrapper.started_at, until=wrapper.ended_at, limit=RUNS_AT_A_TIME)
    return reader.runs(list(islice(within, RUNS_AT_A_TIME)))


def _only_inner_failed(wrapper: Run, inner: Run) -> bool:
    return bool(inner.ending and inner.ending.failed and not (wrapper.ending and wrapper.ending.failed))
