"""Runs, one by one, and in the lists of their jobs and of their parents."""

from headwater.graph.curation import without_curation
from headwater.graph.identity import NodeKind
from headwater.graph.register import values
from headwater.graph.run import Run
from headwater.http.paging import next_page
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.request_nodes import node_from_path, permit
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.name_resolution import NotFound
from headwater.read.reader import Reader
from headwater.store import keys
from headwater.store.table import LOWEST


def job_runs(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    node = node_from_path(reader, request, NodeKind.JOB, path)
    page = request.page()
    pk = keys.job_head(node.id).pk
    found = list(reader.table.newest(pk, before=page.after or keys.QUALITY, limit=page.limit if page.after else None))
    runs = reader.read_runs(found[page.offset : page.offset + page.limit])
    total = len(found) if page.total is None else page.total
    more = len(found) > page.offset + page.limit or (page.after is not None and len(runs) == page.limit)
    cursor = {"cursor": page.cursor(keys.time_key(*runs[-1].order), total)} if more and runs else {}
    return ApiResponse(200, {"runs": [marquez_schema.run(run) for run in runs], "totalCount": total, **cursor})


def run(reader: Reader, request: ApiRequest, run_id: str) -> ApiResponse:
    return ApiResponse(200, marquez_schema.run(known_run(reader, request, run_id)))


def run_children(reader: Reader, request: ApiRequest, run_id: str) -> ApiResponse:
    """The runs that name a run as their parent: the actions of a Spark application, the tasks of a DAG's run."""
    of = known_run(reader, request, run_id)
    page = request.page()
    after = page.after or LOWEST
    found, total = reader.table.page_with_count(keys.children_of(of.run_id), page.offset + page.limit, after=after)
    found = [each for each in found if each.place != page.after][page.offset :]
    total = total if page.total is None else page.total
    runs = reader.read_runs([each.key for each in found])
    shown = [{"job": each.job.as_json(), **marquez_schema.run(each)} for each in runs]
    return ApiResponse(200, {"runs": shown, "totalCount": total, **next_page(page, found, total)})


def run_facets(reader: Reader, request: ApiRequest, run_id: str) -> ApiResponse:
    of, asked = known_run(reader, request, run_id), request.query.get("type")
    if asked not in ("run", "job"):
        raise InvalidRequest(Fault("type", "expected run or job"))
    facets = without_curation(values(of.facets if asked == "run" else of.job_facets))
    return ApiResponse(200, {"runId": of.run_id, "facets": facets})


def known_run(reader: Reader, request: ApiRequest, run_id: str) -> Run:
    """A run by its id. Raises NotFound."""
    found = reader.run(run_id.lower())
    if found is None:
        raise NotFound(f"Run '{run_id}' not found.")
    permit(request, found.job.namespace)
    return found
