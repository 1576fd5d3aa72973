"""GET /api/v2beta/search: what the search box of Marquez's web UI shows as one types.

Marquez asks OpenSearch for it, and answers 503 without one. Here it is the search by name, with what the box shows of
each hit: it calls methods of some of the members, so those that a producer filled oddly are left out.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.graph.curation import without_curation
from headwater.graph.facets import facet_text, fields_of
from headwater.graph.identity import NodeKind
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.http.paging import part_of, within_size_limit
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup import marquez_schema
from headwater.lookup.search.search import DEFAULT_LIMIT, Match, matching, text_of
from headwater.openlineage.event import Facets
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader

_EVENT_TYPES = {
    RunState.NEW: "OTHER",
    RunState.RUNNING: "RUNNING",
    RunState.COMPLETED: "COMPLETE",
    RunState.FAILED: "FAIL",
    RunState.ABORTED: "ABORT",
}
"""The box shows a run's state as the type of the event that brought it there."""
_TEXTS = {"sourceCode": "language", "processing_engine": "name"}
"""Members that the box takes for text, by their facet."""


def jobs(reader: Reader, request: ApiRequest) -> ApiResponse:
    """Jobs by name, each with its facets and its newest run."""
    return _answer(reader, request, NodeKind.JOB)


def datasets(reader: Reader, request: ApiRequest) -> ApiResponse:
    """Datasets by name, each with its facets."""
    return _answer(reader, request, NodeKind.DATASET)


def _answer(reader: Reader, request: ApiRequest, kind: NodeKind) -> ApiResponse:
    text, page = text_of(request), request.page(DEFAULT_LIMIT)
    found = matching(reader, request, text, [kind])
    part = part_of(found.matches, page, lambda match: match.by_name)
    hits = within_size_limit(_jobs(reader, part.entries) if kind is NodeKind.JOB else _datasets(reader, part.entries))
    highlights = [{"name": [highlighted(hit["name"], text)]} for hit in hits]
    return ApiResponse(
        200, {"hits": hits, "highlights": highlights, "totalCount": part.total, **part.cursor(page, len(hits))}
    )


def highlighted(name: str, text: str) -> str:
    """The name with what was searched for marked as OpenSearch does."""
    return re.sub(re.escape(text), lambda found: f"<em>{found[0]}</em>", name, flags=re.IGNORECASE)


def _jobs(reader: Reader, matches: Iterable[Match]) -> Iterator[JsonObject]:
    heads = reader.jobs([match.node for match in matches], usages=False)
    runs = reader.runs_of({job: head.latest.run_id for job, head in heads.items() if head.latest})
    for match in matches:
        if match.node in heads:
            head, run = heads[match.node], runs.get(match.node)
            node = marquez_schema.job_node(head, head.current, None)
            yield {
                "run_id": run.run_id if run else None,
                "name": match.name.name,
                "namespace": match.name.namespace,
                "eventType": _EVENT_TYPES[run.state] if run else None,
                "type": node["type"],
                "facets": _shown(without_curation(values(head.facts.facets))),
                "runFacets": _run_facets(run),
            }


def _run_facets(run: Run | None) -> dict[str, Any]:
    """What ran a job. A run's other facets may be hundreds of kilobytes long, and the box does not look at them."""
    facets = values(run.facets) if run else {}
    return _shown({name: facets[name] for name in ("processing_engine", "spark_version") if name in facets})


def _datasets(reader: Reader, matches: Iterable[Match]) -> Iterator[JsonObject]:
    heads = reader.datasets([match.node for match in matches])
    for match in matches:
        if head := heads.get(match.node):
            facets = {name: facet for name, facet in head.facets.items() if name != "schema"}
            if fields := fields_of(head.schema):
                facets["schema"] = {**head.schema, "fields": fields}
            yield {
                "run_id": None,
                "name": match.name.name,
                "namespace": match.name.namespace,
                "eventType": None,
                "facets": _shown(without_curation(facets)),
            }


def _shown(facets: Facets) -> dict[str, Any]:
    """Facets that the box can show."""
    return {
        name: facet for name, facet in facets.items() if name not in _TEXTS or facet_text(facets, name, _TEXTS[name])
    }
