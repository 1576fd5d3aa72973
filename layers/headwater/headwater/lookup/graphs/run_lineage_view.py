"""GET /runlineage/upstream: the runs that made the inputs of a run, the runs upstream of those, and so on."""

from collections.abc import Mapping

from headwater.graph.names.identity import DatasetId
from headwater.graph.states.edges import Edges, job_version
from headwater.graph.states.run import Run, RunState
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import shown
from headwater.read.input_writes import RunInput
from headwater.read.reader import Reader
from headwater.read.run_details import input_version
from headwater.traversal.run_lineage import walk_run_lineage


def upstream(reader: Reader, request: ApiRequest, run: Run) -> JsonObject:
    """The runs upstream of a run, nearest first, at most `depth` hops away; `truncated` if there are too many."""
    lineage = walk_run_lineage(reader, run, request.depth())
    runs = [_as_json(upstream_run, lineage.made_by) for upstream_run in lineage.runs.values()]
    return {"runs": runs, "truncated": True} if lineage.is_truncated else {"runs": runs}


def _as_json(run: Run, made_by: Mapping[RunInput, str]) -> JsonObject:
    version = job_version(run.job, Edges.of(run)) if run.names_datasets else None
    ended = run.ended_at
    inputs = sorted(run.inputs.items(), key=lambda entry: entry[1].name)
    return {
        "job": {**run.job.as_json(), "version": version},
        "run": {
            "id": run.run_id,
            "start": None if run.state is RunState.NEW else shown(run.started_at),
            "end": shown(ended) if ended else None,
            "status": run.state.value,
        },
        "inputs": [_input(run, dataset, made_by.get((run.job, run.run_id, dataset))) for dataset, _ in inputs],
    }


def _input(run: Run, dataset: DatasetId, producer: str | None) -> JsonObject:
    name, version = run.inputs[dataset].name, input_version(run, dataset, producer)
    return {**name.as_json(), "version": version, "producedByRunId": producer}
