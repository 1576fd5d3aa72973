"""The routes of the lookup API. docs/routes.md lists them."""

import re
from collections.abc import Callable, Iterator

from headwater.access.principal import Scope
from headwater.answers import Answer, failure
from headwater.lookup import (
    aliases,
    dataset_versions,
    datasets,
    events,
    graphs,
    hits,
    impact_answer,
    job_versions,
    jobs,
    namespaces,
    quality,
    rootcause_answer,
    run_lineage,
    runs,
    search,
    sources,
    stats,
    tags,
)
from headwater.lookup.names import NotFound
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.store.remembering import RememberingTable

PREFIX = "/api/v1"

Route = Callable[..., Answer]


def respond(reader: Reader, question: Question) -> Answer:
    """The answer to a question. Raises Refused, or StorageError."""
    question.principal.require(Scope.READ)
    reader = Reader(RememberingTable(reader.table), reader.naming)
    routes = list(_routes(question.path))
    if routes and question.method not in ("GET", "HEAD"):
        return failure(405, "HTTP 405 Method Not Allowed")
    missing: NotFound | None = None
    for route, parts in routes:
        try:
            return route(reader, question, *parts)
        except NotFound as not_found:
            missing = missing or not_found
    return failure(404, missing.message if missing else "HTTP 404 Not Found")


def is_known(path: str) -> bool:
    """Whether there are questions of that path."""
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
    ("/lineage", graphs.lineage),
    ("/column-lineage", graphs.column_lineage),
    ("/export", graphs.export),
    ("/impact", impact_answer.at_risk),
    ("/rootcause", rootcause_answer.rootcause),
    ("/runlineage/upstream", run_lineage.upstream),
    ("/events/lineage", events.lineage_events),
    ("/search", search.search),
    ("/api/v2beta/search/jobs", hits.jobs),
    ("/api/v2beta/search/datasets", hits.datasets),
    ("/stats/lineage-events", stats.lineage_events),
    ("/stats/jobs", stats.jobs),
    ("/stats/datasets", stats.datasets),
    ("/stats/sources", stats.sources),
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
