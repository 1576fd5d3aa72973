"""The flows from inputs to outputs through a job, as the catalogue shows them.

A run often reports its inputs with its START and its outputs with its end, and a run that fails may never report all.
If only the newest run counted, a table would lose its upstream tables with each START and get them back with each
COMPLETE. So a run that is not complete adds flows to those of the last complete run, and removes none.
"""

from collections.abc import Collection, Mapping

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.edges import Edges
from headwater.graph.states.generation import Generation, RunOfGeneration
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import RunState
from headwater.read.reader import Reader

MAX_RUNS = 20
"""Newest runs of a job among which the last complete run is searched."""

Flow = tuple[DatasetId | None, DatasetId | None]
"""An input, and an output that is made of it. One of the two is None for an input without output, or the reverse."""


def flows(edges: Edges) -> frozenset[Flow]:
    pairs = {(source, output) for output in edges.output_ids for source in edges.upstream_of(output)}
    inputs = {(source, None) for source in edges.input_ids}
    return frozenset({*pairs, *inputs, *((None, output) for output in edges.output_ids)})


def is_complete(head: JobHead) -> bool:
    """Whether a job's current edges come from a complete run or from a JobEvent."""
    run_id, latest = head.current.run_id, head.latest
    return not run_id or (latest is not None and latest.run_id == run_id and latest.state == RunState.COMPLETED)


def affects_tables(before: JobHead | None, after: JobHead) -> bool:
    """Whether a change of a job's head may change the lineage of any table.

    The flows of a run that did not complete are gone with the next run.
    """
    if before is None or before.facts.is_deleted != after.facts.is_deleted:
        return True
    if before.reads_candidates != after.reads_candidates:
        return True
    if not is_complete(after):
        known, told = flows(before.current), flows(after.current)
        return not told <= known if is_complete(before) else told != known
    return not is_complete(before) or flows(before.current) != flows(after.current)


def last_complete(reader: Reader, heads: Mapping[JobId, JobHead]) -> dict[JobId, Generation]:
    """The last generation of the complete runs of each job that is not complete."""

    def of_job(job: JobId) -> Generation:
        runs = reader.newest_runs(job, MAX_RUNS)
        complete = (run for run in runs if run.state is RunState.COMPLETED and run.names_datasets)
        return Generation.of(map(RunOfGeneration.of, complete))

    incomplete = [job for job, head in heads.items() if not is_complete(head)]
    return dict(zip(incomplete, concurrent_map(of_job, incomplete), strict=True))


def known_flows(heads: Mapping[JobId, JobHead], complete: Mapping[JobId, Generation]) -> dict[JobId, frozenset[Flow]]:
    """The flows through jobs: for each job, the flows of the last generation of its complete runs, and further flows of
    later runs."""
    before = {job: flows(generation.edges) for job, generation in complete.items()}
    return {job: flows(head.current) | before.get(job, frozenset()) for job, head in heads.items()}


def datasets_of_newest_runs(reader: Reader, jobs: Collection[JobId]) -> dict[JobId, set[DatasetId]]:
    """The datasets that the newest runs of jobs use. After a change of the known flows of a job, the flows until then
    were among them: a table that the last complete run uses no longer has to lose its parameters."""
    newest = concurrent_map(lambda job: reader.newest_runs(job, MAX_RUNS), jobs)
    return {
        job: {dataset for run in runs for dataset in (*run.inputs, *run.outputs)}
        for job, runs in zip(jobs, newest, strict=True)
    }
