"""What flows through a job, as far as the catalogue shows it.

A run often says at its START what it reads and only at its end what it writes, and a run that fails may never say all.
Were the newest run always right, a table would lose its upstream tables with each START and get them back with each
COMPLETE. So a run that is not complete adds to what the last complete one said, and takes nothing away.
"""

from collections.abc import Mapping

from headwater.concurrent import concurrent_map
from headwater.graph.identity import NodeId
from headwater.graph.job import NO_EDGES, Edges, JobHead
from headwater.graph.run import RunState
from headwater.read.reader import Reader

RUNS_LOOKED_AT = 20
"""Of a job whose newest run is not complete, the newest runs among which the last complete one is looked for."""

Flow = tuple[NodeId | None, NodeId | None]
"""From an input to the output that is made of it; an input or output alone, too."""


def flows(edges: Edges) -> frozenset[Flow]:
    made = {(source, output) for output in edges.output_ids for source in edges.upstream_of(output)}
    used = {(source, None) for source in edges.input_ids}
    return frozenset({*made, *used, *((None, output) for output in edges.output_ids)})


def is_complete(head: JobHead) -> bool:
    """Whether what a job does now was said by a run that is complete, or by a JobEvent."""
    said_by, latest = head.current.run_id, head.latest
    return not said_by or (latest is not None and latest.run_id == said_by and latest.state == RunState.COMPLETED)


def affects_tables(before: JobHead | None, after: JobHead) -> bool:
    """Whether a change of a job's head bears on what the catalogue shows of its tables."""
    if before is None or before.facts.is_deleted != after.facts.is_deleted:
        return True
    if not is_complete(after):
        return not flows(after.current) <= flows(before.current)
    return not is_complete(before) or flows(before.current) != flows(after.current)


def known_flows(reader: Reader, heads: Mapping[NodeId, JobHead]) -> dict[NodeId, frozenset[Flow]]:
    """What flows through jobs: by the last complete run of each, and what a later one adds."""

    def last_complete(job: NodeId) -> frozenset[Flow]:
        runs = reader.read_runs(reader.newest_runs(job, RUNS_LOOKED_AT))
        complete = (Edges.of(run) for run in runs if run.state is RunState.COMPLETED and run.names_datasets)
        return flows(next(complete, NO_EDGES))

    incomplete = [job for job, head in heads.items() if not is_complete(head)]
    before = dict(zip(incomplete, concurrent_map(last_complete, incomplete), strict=True))
    return {job: flows(head.current) | before.get(job, frozenset()) for job, head in heads.items()}
