"""The routes of the lookup API. docs/routes.md lists them."""

import re
from collections.abc import Callable, Iterator

from headwater.access.principal import Scope
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, error_response
from headwater.lookup.activity import events, statistics
from headwater.lookup.graphs import impact_view, lineage, root_cause_view, run_lineage_view
from headwater.lookup.nodes import (
    aliases,
    dataset_versions,
    datasets,
    job_versions,
    jobs,
    namespaces,
    quality,
    runs,
    sources,
    tags,
)
from headwater.lookup.search import search, search_v2beta
from headwater.read.name_resolution import NotFound
from headwater.read.reader import Reader
from headwater.store.request_cache import RequestCache

PREFIX = "/api/v1"

Route = Callable[..., ApiResponse]


def respond(reader: Reader, request: ApiRequest) -> ApiResponse:
    """The response to a request. Raises InvalidRequest, or StorageError."""
    request.principal.require(Scope.READ)
    reader = Reader(RequestCache(reader.table), reader.naming)
    routes = list(_routes(request.path))
    if routes and request.method not in ("GET", "HEAD"):
        return error_response(405, "HTTP 405 Method Not Allowed")
    missing: NotFound | None = None
    for route, parts in routes:
        try:
            return route(reader, request, *parts)
        except NotFound as not_found:
            missing = missing or not_found
    return error_response(404, missing.message if missing else "HTTP 404 Not Found")


def is_known(path: str) -> bool:
    """Whether there is a route of that path."""
    return any(True for _ in _routes(path))


def _routes(path: str) -> Iterator[tuple[Route, tuple[str, ...]]]:
    """Every way to read a path: a name may end in a slash, or hold what looks like a part of the path."""
    for each in dict.fromkeys([path, path.rstrip("/")]):
        for pattern, route in ROUTES:
            match = re.fullmatch(pattern, each.removeprefix(PREFIX), re.DOTALL)
            if match:
                yield route, match.groups()


RUN_ID = "([0-9a-fA-F-]{36})"
ROUTES: tuple[tuple[str, Route], ...] = (
    ("/namespaces", namespaces.namespaces),
    ("/jobs", jobs.all_jobs),
    (f"/jobs/runs/{RUN_ID}", runs.run),
    (f"/jobs/runs/{RUN_ID}/facets", runs.run_facets),
    (f"/jobs/runs/{RUN_ID}/children", runs.run_children),
    ("/lineage", lineage.lineage),
    ("/column-lineage", lineage.column_lineage),
    ("/export", lineage.export),
    ("/impact", impact_view.at_risk),
    ("/rootcause", root_cause_view.rootcause),
    ("/runlineage/upstream", run_lineage_view.upstream),
    ("/events/lineage", events.lineage_events),
    ("/search", search.search),
    ("/api/v2beta/search/jobs", search_v2beta.jobs),
    ("/api/v2beta/search/datasets", search_v2beta.datasets),
    ("/stats/lineage-events", statistics.lineage_events),
    ("/stats/jobs", statistics.jobs),
    ("/stats/datasets", statistics.datasets),
    ("/stats/sources", statistics.sources),
    ("/sources", sources.sources),
    ("/sources/(.+)", sources.source),
    ("/tags", tags.tags),
    ("/aliases", aliases.aliases),
    ("/namespaces/(.+/jobs/.+)/runs", runs.job_runs),
    ("/namespaces/(.+/jobs/.+)/versions", job_versions.versions),
    (f"/namespaces/(.+/jobs/.+)/versions/{RUN_ID}", job_versions.version),
    ("/namespaces/(.+/datasets/.+)/versions", dataset_versions.versions),
    (f"/namespaces/(.+/datasets/.+)/versions/{RUN_ID}", dataset_versions.version),
    ("/namespaces/(.+/datasets/.+)/quality", quality.quality),
    ("/namespaces/(.+/jobs/.+)", jobs.job),
    ("/namespaces/(.+/datasets/.+)", datasets.dataset),
    ("/namespaces/(.+)/datasets", datasets.datasets),
    ("/namespaces/(.+)/jobs", jobs.jobs),
    ("/namespaces/(.+)", namespaces.namespace),
)
"""Path below the prefix, and what answers it; the first that matches and finds something does."""
