"""Single runs, the runs of a job, and the children of a run."""

from collections.abc import Iterable, Iterator
from itertools import islice

from headwater.graph.facets.curation import is_among, without_curation
from headwater.graph.facets.members import environment_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobRunId
from headwater.graph.states.run import Run
from headwater.http.marquez import runs as marquez
from headwater.http.paging import chunked, listed_page, next_cursor
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.run_details import read_run_details
from headwater.store.ranges import Entry, Listing, run_position

MAX_COUNTED, READ_AT_A_TIME = 1_000, 100
"""Children of a run that are read for their number, or runs of a job for their tags."""


def job_runs(reader: Reader, request: ApiRequest, job: NamedNode) -> JsonObject:
    """The runs of a job, newest first. The first page reads all ids, for the total; a page after a cursor reads only
    its own ids."""
    page, tag = request.page(), request.query.get("tag")
    most = None if page.after is None else page.limit + 1
    newest = reader.store.runs_of(job.job).newest(before=page.after, limit=None if tag else most)
    ids = list(islice(_tagged(reader, newest, tag) if tag else newest, most))
    runs = reader.runs(ids[page.offset :][: page.limit])
    total = len(ids) if page.total is None else page.total
    more = len(ids) > page.offset + page.limit
    cursor = {"cursor": page.cursor(run_position(runs[-1]), total)} if more and runs else {}
    shown = [marquez.run(details) for details in read_run_details(reader, runs, _now(request))]
    return {"runs": shown, "totalCount": total, **cursor}


def _now(request: ApiRequest) -> Instant:
    return instant_of(request.received_at)


def _tagged(reader: Reader, newest: Iterable[JobRunId], tag: str) -> Iterator[JobRunId]:
    """The runs with a tag, among the first `MAX_COUNTED`."""
    for ids in chunked(islice(newest, MAX_COUNTED), READ_AT_A_TIME):
        yield from (run.id for run in reader.runs(ids) if is_among(tag, run.tags))


def run(reader: Reader, request: ApiRequest, run: Run) -> JsonObject:
    """A run, with its job (which Marquez leaves out) and where it ran."""
    answer = marquez.run_of_job(*read_run_details(reader, [run], _now(request)))
    environment = environment_of(values(run.facets))
    return {**answer, **({"environment": environment} if environment else {})}


def run_children(reader: Reader, request: ApiRequest, parent: Run) -> JsonObject:
    """The runs that name a run as their parent: the queries of a Spark application, the tasks of a DAG's run."""
    page, children = request.page(), reader.store.children_of(parent.run_id)
    entries, total = listed_page(children, page)
    runs = _children(reader, parent, entries)
    shown = [marquez.run_of_job(details) for details in read_run_details(reader, runs, _now(request))]
    return {"runs": shown, "totalCount": _count(reader, parent, children, total), **next_cursor(page, entries, total)}


def _children(reader: Reader, parent: Run, entries: Iterable[Entry[JobRunId]]) -> list[Run]:
    return [run for run in reader.runs([entry.id for entry in entries]) if run.is_child_of(parent)]


def _count(reader: Reader, parent: Run, children: Listing[JobRunId], total: int) -> int:
    """The number of children that the caller sees. The list goes by run id only, without namespaces. So the first
    `MAX_COUNTED` children are read for a caller who may not read everything, and for a run id in several namespaces."""
    if reader.store.visibility is None and not reader.is_in_several_namespaces(parent.run_id):
        return total
    return len(_children(reader, parent, islice(children.entries(), MAX_COUNTED)))


def run_facets(_reader: Reader, request: ApiRequest, run: Run) -> JsonObject:
    facet_type = request.query.get("type")
    if facet_type not in ("run", "job"):
        raise InvalidRequest(Fault("type", "expected run or job"))
    facets = without_curation(values(run.facets if facet_type == "run" else run.job_facets))
    return {"runId": run.run_id, "facets": facets}
