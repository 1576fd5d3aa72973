"""The routes by which people write. docs/routes.md lists them."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from headwater.access.principal import Scope
from headwater.answers import Answer, failure
from headwater.curate import declaring, deletion, describing, running, tagging
from headwater.curate.curator import Command, Curator
from headwater.lookup.names import NotFound
from headwater.lookup.routes import PREFIX, RUN_ID, is_known


class Route(NamedTuple):
    """A method and a path below the prefix, what answers them, and the scope that it takes."""

    method: str
    pattern: str
    respond: Callable[..., Answer]
    scope: Scope = Scope.INGEST


def respond(curator: Curator, command: Command) -> Answer:
    """The answer to a request to write. Raises Refused, or StorageError."""
    question = command.question
    found = [(route, parts) for route, parts in _routes(question.path) if route.method == question.method]
    if not found:
        return _nothing(question.path)
    permitted = [(route, parts) for route, parts in found if question.principal.may(route.scope)]
    if not permitted:
        question.principal.require(found[0][0].scope)
    missing: NotFound | None = None
    for route, parts in permitted:
        try:
            return route.respond(curator, command, *parts)
        except NotFound as not_found:
            missing = missing or not_found
    return failure(404, missing.message if missing else "HTTP 404 Not Found")


def _nothing(path: str) -> Answer:
    if any(_routes(path)) or is_known(path):
        return failure(405, "HTTP 405 Method Not Allowed")
    return failure(404, "HTTP 404 Not Found")


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
    Route("POST", "/namespaces/(.+/jobs/.+)/runs", running.create_run),
    Route("POST", f"/jobs/runs/{RUN_ID}/(start|complete|fail|abort)", running.mark_run),
    Route("PUT", "/namespaces/(.+/(?:datasets|jobs)/.+)", declaring.put_node),
    Route("PUT", _NAMESPACE, describing.put_namespace),
    Route("PUT", "/sources/(.+)", describing.put_source),
    Route("PUT", "/tags/(.+)", describing.put_tag),
    Route("DELETE", _FIELD_TAG, tagging.untag_field),
    Route("DELETE", _DATASET_TAG, tagging.untag_dataset),
    Route("DELETE", _JOB_TAG, tagging.untag_job),
    Route("DELETE", _DATASET, deletion.delete_dataset, Scope.ADMIN),
    Route("DELETE", _JOB, deletion.delete_job, Scope.ADMIN),
    Route("DELETE", _NAMESPACE, deletion.delete_namespace, Scope.ADMIN),
)
"""The first that matches and finds something answers."""
