"""GET /api/v2beta/search: the hits that the search box of Marquez's web UI shows while a user types.

Marquez searches OpenSearch, and responds 503 without it. Here the hits are those of the search by name, with the
members that the search box shows. The box calls text methods on some members, so a facet is left out if such a member
is no text.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headwater.graph.facets.curation import without_curation
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import fields_of
from headwater.graph.states.run import Run, RunState
from headwater.http.marquez.jobs import job_node
from headwater.http.paging import page_of, within_size_limit
from headwater.http.request import ApiRequest
from headwater.lookup.search.search import (
    DEFAULT_LIMIT,
    AnyMatch,
    DatasetMatch,
    JobMatch,
    NodesIn,
    by_name,
    datasets_in,
    jobs_in,
    matching,
    text_of,
)
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
"""The search box shows a run's state as the type of the event that led to the state."""
_TEXTS = {"sourceCode": "language", "processing_engine": "name"}
"""Members that the search box takes for text, by facet."""


def jobs(reader: Reader, request: ApiRequest, namespaces: Sequence[str]) -> JsonObject:
    """Jobs by name, each with its facets and its newest run."""
    return _answer(reader, request, namespaces, jobs_in, _jobs)


def datasets(reader: Reader, request: ApiRequest, namespaces: Sequence[str]) -> JsonObject:
    """Datasets by name, each with its facets."""
    return _answer(reader, request, namespaces, datasets_in, _datasets)


def _answer(
    reader: Reader,
    request: ApiRequest,
    namespaces: Sequence[str],
    nodes_in: NodesIn[AnyMatch],
    hits_of: Callable[[Reader, Sequence[AnyMatch]], Iterator[JsonObject]],
) -> JsonObject:
    text, page_request = text_of(request), request.page(DEFAULT_LIMIT)
    page = page_of(matching(reader, namespaces, text, [nodes_in]).matches, page_request, by_name)
    hits = within_size_limit(hits_of(reader, page.entries))
    highlights = [{"name": [highlighted(hit["name"], text)]} for hit in hits]
    return {"hits": hits, "highlights": highlights, "totalCount": page.total, **page.cursor(page_request, len(hits))}


def highlighted(name: str, text: str) -> str:
    """The name, with the searched text in `<em>` as OpenSearch marks it."""
    return re.sub(re.escape(text), lambda match: f"<em>{match[0]}</em>", name, flags=re.IGNORECASE)


def _jobs(reader: Reader, matches: Sequence[JobMatch]) -> Iterator[JsonObject]:
    heads = reader.jobs([match.id for match in matches], usages=False)
    runs = reader.latest_runs(heads)
    for match in matches:
        if head := heads.get(match.id):
            run = runs.get(match.id)
            node = job_node(head, head.current, None)
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
    """The facets of the engine. Other facets of a run may have hundreds of kilobytes, and the box ignores them."""
    facets = values(run.facets) if run else {}
    return _shown({name: facets[name] for name in ("processing_engine", "spark_version") if name in facets})


def _datasets(reader: Reader, matches: Sequence[DatasetMatch]) -> Iterator[JsonObject]:
    heads = reader.datasets([match.id for match in matches])
    for match in matches:
        if head := heads.get(match.id):
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
    """The facets that the search box can show."""
    return {
        name: facet for name, facet in facets.items() if name not in _TEXTS or facet_text(facets, name, _TEXTS[name])
    }
