"""The routes by which people write. docs/routes.md lists them."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from headwater.access.principal import Scope
from headwater.curate import declarations, deletion, descriptions, run_lifecycle, tagging
from headwater.curate.curator import Command, Curator
from headwater.http.response import ApiResponse, error_response
from headwater.lookup.routes import PREFIX, RUN_ID, is_known
from headwater.read.name_resolution import NotFound


class Route(NamedTuple):
    """A method and a path below the prefix, what answers them, and the scope that it takes."""

    method: str
    pattern: str
    respond: Callable[..., ApiResponse]
    scope: Scope = Scope.INGEST


def respond(curator: Curator, command: Command) -> ApiResponse:
    """The answer to a request to write. Raises InvalidRequest, or StorageError."""
    request = command.request
    found = [(route, parts) for route, parts in _routes(request.path) if route.method == request.method]
    if not found:
        return _nothing(request.path)
    permitted = [(route, parts) for route, parts in found if request.principal.may(route.scope)]
    if not permitted:
        request.principal.require(found[0][0].scope)
    missing: NotFound | None = None
    for route, parts in permitted:
        try:
            return route.respond(curator, command, *parts)
        except NotFound as not_found:
            missing = missing or not_found
    return error_response(404, missing.message if missing else "HTTP 404 Not Found")


def _nothing(path: str) -> ApiResponse:
    if any(_routes(path)) or is_known(path):
        return error_response(405, "HTTP 405 Method Not Allowed")
    return error_response(404, "HTTP 404 Not Found")


def _routes(path: str) -> Iterator[tuple[Route, tuple[str, ...]]]:
    """Every way to read a path: a name may end in a slash, or hold what looks like a part of the path."""
    for each in dict.fromkeys([path, path.rstrip("/")]):
        for route in ROUTES:
            match = re.fullmatch(route.pattern, each.removeprefix(PREFIX), re.DOTALL)
            if match:
                yield route, match.groups()


_FIELD_TAG, _DATASET_TAG = (
    "/namespaces/(.+/datasets/.+)/fields/(.+)/tags/(.+)",
    "/namespaces/(.+/datasets/.+)/tags/(.+)",
)
_JOB_TAG = "/namespaces/(.+/jobs/.+)/tags/(.+)"
_DATASET, _JOB, _NAMESPACE = "/namespaces/(.+/datasets/.+)", "/namespaces/(.+/jobs/.+)", "/namespaces/(.+)"

ROUTES: tuple[Route, ...] = (
    Route("POST", _FIELD_TAG, tagging.tag_field),
    Route("POST", _DATASET_TAG, tagging.tag_dataset),
    Route("POST", _JOB_TAG, tagging.tag_job),
    Route("POST", "/namespaces/(.+/jobs/.+)/runs", run_lifecycle.create_run),
    Route("POST", f"/jobs/runs/{RUN_ID}/(start|complete|fail|abort)", run_lifecycle.mark_run),
    Route("PUT", "/namespaces/(.+/(?:datasets|jobs)/.+)", declarations.put_node),
    Route("PUT", _NAMESPACE, descriptions.put_namespace),
    Route("PUT", "/sources/(.+)", descriptions.put_source),
    Route("PUT", "/tags/(.+)", descriptions.put_tag),
    Route("DELETE", _FIELD_TAG, tagging.untag_field),
    Route("DELETE", _DATASET_TAG, tagging.untag_dataset),
    Route("DELETE", _JOB_TAG, tagging.untag_job),
    Route("DELETE", _DATASET, deletion.delete_dataset, Scope.ADMIN),
    Route("DELETE", _JOB, deletion.delete_job, Scope.ADMIN),
    Route("DELETE", _NAMESPACE, deletion.delete_namespace, Scope.ADMIN),
)
"""The first that matches and finds something answers."""
