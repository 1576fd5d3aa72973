"""GET /runlineage/upstream: the runs that made what a run read, those that made what they read, and so on."""

from collections.abc import Mapping

from headwater.graph.dataset_reference import SCHEMA, DatasetUse
from headwater.graph.identity import version_of_schema
from headwater.graph.job import Edges, job_version
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup.nodes.runs import known_run
from headwater.openlineage.event import is_uuid
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.traversal.run_lineage import RunInput, walk_run_lineage


def upstream(reader: Reader, request: ApiRequest) -> ApiResponse:
    """The runs upstream of a run, nearest first, at most `depth` steps away; `truncated` if there are too many."""
    run_id = request.query.get("runId", "")
    if not is_uuid(run_id):
        raise InvalidRequest(Fault("runId", "expected the UUID of a run"))
    lineage = walk_run_lineage(reader, known_run(reader, request, run_id), request.depth())
    runs = [_as_json(run, lineage.made_by) for run in lineage.runs.values()]
    return ApiResponse(200, {"runs": runs, "truncated": True} if lineage.is_truncated else {"runs": runs})


def _as_json(run: Run, made_by: Mapping[RunInput, str]) -> JsonObject:
    version = job_version(run.job, Edges.of(run)) if run.names_datasets else None
    ended = run.ended_at
    inputs = sorted(run.inputs.items(), key=lambda each: each[1].name)
    return {
        "job": {**run.job.as_json(), "version": version},
        "run": {
            "id": run.run_id,
            "start": None if run.state is RunState.NEW else shown(run.started_at),
            "end": shown(ended) if ended else None,
            "status": run.state.value,
        },
        "inputs": [_input(use, made_by.get((run.run_id, dataset))) for dataset, use in inputs],
    }


def _input(use: DatasetUse, producer: str | None) -> JsonObject:
    """An input. Its version is that of the run that wrote it, or, as long as none is known to have, of its schema."""
    digest = values(use.facets).get(SCHEMA)
    by_schema = version_of_schema(digest) if isinstance(digest, str) else None
    return {**use.name.as_json(), "version": producer or by_schema, "producedByRunId": producer}
