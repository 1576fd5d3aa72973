"""GET /insights: what the last analysis of the whole graph found, by kind, the most important first.

An insight may name nodes of several namespaces. A caller gets the insights whose namespaces it may all read.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from headwater.access.principal import Principal
from headwater.graph.facets.curation import INSIGHTS
from headwater.graph.facets.insights import InsightKind, frontier_in, insights_of, namespaces_in
from headwater.graph.states.dataset import DatasetHead
from headwater.http.paging import page_of, within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.namespace_details import heads_in
from headwater.read.reader import Reader


def insights(reader: Reader, request: ApiRequest, caller: Principal) -> JsonObject:
    """A page of the insights of some kinds, that the caller may read."""
    kinds = _kinds(request)
    heads = heads_in(reader, INSIGHTS, kinds)
    found = [
        (f"{kind}:{number:06}", {**insight, "kind": kind})
        for kind in kinds
        for number, insight in enumerate(insights_of(heads[kind].facets) if kind in heads else ())
        if all(map(caller.may_read, namespaces_in(insight)))
    ]
    page_request = request.page()
    page = page_of(sorted(found, key=_position), page_request, _position)
    documents = within_size_limit(insight for _, insight in page.entries)
    cursor = page.cursor(page_request, len(documents))
    return {"insights": documents, "totalCount": page.total, **cursor, "frontier": _frontier(heads, kinds).as_json()}


def _frontier(heads: Mapping[str, DatasetHead], kinds: Collection[str]) -> Frontier:
    """What the last analysis cannot see. Each kind of insights has the frontier of its analysis."""
    told = [frontier_in(head.facets) for head in heads.values()]
    frontier = Frontier.of_json(next(filter(None, told), None))
    missing = blind_spots((BlindSpot.ANALYSIS, int(len(heads) < len(kinds))))
    return replace(frontier, unseen=(*frontier.unseen, *missing))


def _kinds(request: ApiRequest) -> list[str]:
    named = {kind.lower() for kind in request.values("kind")}
    if named - set(InsightKind):
        raise InvalidRequest(Fault("kind", f"expected some of {', '.join(InsightKind)}"))
    return [kind.value for kind in InsightKind if not named or kind in named]


def _position(entry: tuple[str, JsonObject]) -> str:
    return entry[0]
