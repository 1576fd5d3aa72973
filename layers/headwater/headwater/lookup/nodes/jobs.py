"""Jobs, one by one and in lists."""

from collections.abc import Iterable, Sequence
from heapq import merge
from itertools import islice

from headwater.graph.identity import NodeId, NodeKind
from headwater.http.paging import next_page
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.request_nodes import namespace_names, node_from_path, permit
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.reader import Reader
from headwater.store import keys
from headwater.store.table import HIGHEST, IndexEntry

LATEST_RUNS = 10
READ_AT_A_TIME = 100
MAX_LOOKED_THROUGH = 5_000
"""Jobs that are looked at for those whose newest run is in a certain state."""
STATES = frozenset({"NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED", "OTHER"})


def jobs(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    names = namespace_names(path)
    if len(names) > 1:
        names = [name for name in names if keys.namespace(name) in reader.table.read(list(map(keys.namespace, names)))]
    for name in names[:1]:
        permit(request, name)
    return _job_list(reader, request, names[:1])


def all_jobs(reader: Reader, request: ApiRequest) -> ApiResponse:
    return _job_list(reader, request, [name for name, _ in reader.namespaces() if request.principal.may_use(name)])


def _job_list(reader: Reader, request: ApiRequest, names: Sequence[str]) -> ApiResponse:
    """The jobs of namespaces, those first of which something was heard last: four reads for one namespace."""
    states, page = _states(request), request.page()
    ahead = READ_AT_A_TIME if states else page.offset + page.limit
    lists = [
        reader.table.list_entries(
            keys.jobs_of(name), before=page.after or HIGHEST, newest_first=True, limit=max(ahead, 1)
        )
        for name in names
    ]
    together = merge(*lists, key=lambda each: each.place, reverse=True)
    found = list(islice(_in_states(reader, together, states), page.offset, page.offset + page.limit))
    heads = reader.jobs([keys.node_of(each.key.pk) for each in found], usages=False)
    latest = reader.runs_of({job: head.latest.run_id for job, head in heads.items() if head.latest})
    order = [keys.node_of(each.key.pk) for each in found]
    listed = [
        marquez_schema.job(heads[each], [latest[each]] if each in latest else []) for each in order if each in heads
    ]
    total = sum(reader.table.count(keys.jobs_of(name)) for name in names) if page.total is None else page.total
    return ApiResponse(200, {"totalCount": total, "jobs": listed, **next_page(page, found, total)})


def _in_states(reader: Reader, together: Iterable[IndexEntry], states: frozenset[str]) -> Iterable[IndexEntry]:
    """The jobs whose newest run is in one of some states; of a long list, its beginning is looked through."""
    entries = islice(together, MAX_LOOKED_THROUGH) if states else together
    while states and (chunk := list(islice(entries, READ_AT_A_TIME))):
        heads = reader.jobs([keys.node_of(each.key.pk) for each in chunk], usages=False)
        newest = {job: head.latest.state for job, head in heads.items() if head.latest}
        yield from (each for each in chunk if newest.get(keys.node_of(each.key.pk)) in states)
    yield from entries


def job(reader: Reader, request: ApiRequest, path: str) -> ApiResponse:
    node = node_from_path(reader, request, NodeKind.JOB, path)
    return ApiResponse(200, job_as_json(reader, node.id))


def job_as_json(reader: Reader, job: NodeId) -> JsonObject:
    """A job on its own: three reads."""
    head = reader.jobs([job])[job]
    return marquez_schema.job(head, reader.read_runs(reader.newest_runs(job, LATEST_RUNS)))


def _states(request: ApiRequest) -> frozenset[str]:
    states = frozenset(each.upper() for each in request.values("lastRunStates"))
    if states - STATES:
        raise InvalidRequest(Fault("lastRunStates", f"expected some of {', '.join(sorted(STATES))}"))
    return states
