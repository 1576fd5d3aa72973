"""The steps of a request. A use case runs after the principal is known and permitted.

    step            does                                                   refused with
    request_of      reads the principal of the request                     401, or 503 if the keys cannot be read
    route           matches method and path                                404, 405
    parameters      finds query parameters that the route does not know    400
    scope           checks the scope of the principal                      403
    subject         finds the node, run or namespace of the request        400, 404
    namespaces      checks the namespaces of the principal                 403
    use_case        returns a value
    serialise       turns the value into the response

A path may match several routes, because names contain slashes. The first route whose subject is found responds.
"""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, TypeVar

from headwater.access.principal import Principal, Scope
from headwater.http.parameters import Parameter
from headwater.http.paths import is_known, spellings, template_of
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, error_response
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound

Services = TypeVar("Services")
Resolved = TypeVar("Resolved")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Subject(Generic[Services, Resolved]):
    """The node, run or namespace of a request: `resolve` finds it, `namespaces` are those that the key needs for it.
    `node_id` names it in the audit; a list of what the caller may see has no such name."""

    resolve: Callable[[Services, ApiRequest], Resolved]
    namespaces: Callable[[Resolved], Collection[str]]
    node_id: Callable[[Resolved], str] | None = None


CALLER: Subject[Any, Principal] = Subject(lambda _, request: request.principal, lambda _: ())
"""The subject of requests that name no node. The use case shows the nodes of the caller's namespaces."""


@dataclass(frozen=True)
class Route(Generic[Services, Resolved, Value]):
    """A method, the pattern of a path, and the use case that responds to them.

    parameters  the query parameters; None permits any, as for events, which are not lost for a parameter
    """

    method: str
    pattern: str
    scope: Scope
    subject: Subject[Services, Resolved]
    use_case: Callable[[Services, ApiRequest, Resolved], Value]
    serialise: Callable[[ApiRequest, Value], ApiResponse] = lambda _request, value: ApiResponse(200, value)
    parameters: Sequence[Parameter] | None = ()

    @cached_property
    def match(self) -> Callable[[str], re.Match[str] | None]:
        """Matches a whole path: a request tries all routes."""
        return re.compile(self.pattern, re.DOTALL).fullmatch

    @cached_property
    def template(self) -> str:
        """The route in an audit entry: `GET /namespaces/{namespace}/jobs/{job}`."""
        return f"{self.method} {template_of(self.pattern)}"

    def answer(self, services: Services, request: ApiRequest) -> Value:
        """The value of the use case. Raises InvalidRequest without permission, or an error of the use case."""
        request.annotations.route = self.template
        request.principal.require(self.scope)
        resolved = self.subject.resolve(services, request)
        namespaces = self.subject.namespaces(resolved)
        if self.subject.node_id:
            request.annotations.namespaces = namespaces
            request.annotations.node = self.subject.node_id(resolved)
        for namespace in namespaces:
            request.principal.require_namespace(namespace, "namespace", self.scope)
        return self.use_case(services, request, resolved)


@dataclass(frozen=True)
class Router(Generic[Services]):
    routes: Sequence[Route[Services, Any, Any]]

    def respond(
        self, services: Services, request: ApiRequest, is_incomplete: Callable[[], bool] = lambda: False
    ) -> ApiResponse:
        """The response to a request. Raises InvalidRequest, RequestError or StorageError.

        `is_incomplete` says whether an item was left out because it cannot be read. Then the response has `truncated`;
        and if no node is found, the response is 503 and not 404, since the node may exist.
        """
        matching = list(self._matching_routes(request))
        if not matching:
            return self._no_route(request)
        permitted = [(route, parsed) for route, parsed in matching if request.principal.may(route.scope)]
        if permitted:
            _require_known_parameters(request, [route for route, _ in permitted])
        tried = permitted or matching[:1]
        missing: NotFound | None = None
        for route, parsed in tried:
            try:
                value = route.answer(services, parsed)
                return route.serialise(parsed, truncated(value) if is_incomplete() else value)
            except NotFound as not_found:
                missing = missing or not_found
        request.annotations.route = tried[0][0].template
        if is_incomplete():
            return error_response(503, "an item of the table cannot be read; try again later")
        return error_response(404, missing.message if missing else "HTTP 404 Not Found")

    def _matching_routes(self, request: ApiRequest) -> Iterator[tuple[Route[Services, Any, Any], ApiRequest]]:
        """The routes that match a request, each with the parameters that its pattern finds in the path."""
        method = "GET" if request.method == "HEAD" else request.method
        for text in spellings(request.path):
            for route in self.routes:
                if route.method == method and (match := route.match(text)):
                    yield route, replace(request, parameters=match.groupdict())

    def _no_route(self, request: ApiRequest) -> ApiResponse:
        """404 or 405. A caller without a scope of the first route, nor of any other route, learns of no route."""
        if not any(request.principal.may(route.scope) for route in self.routes):
            request.principal.require(self.routes[0].scope)
        texts = list(spellings(request.path))
        fits = any(route.match(text) for route in self.routes for text in texts)
        if fits or is_known(request.path):
            return error_response(405, "HTTP 405 Method Not Allowed")
        return error_response(404, "HTTP 404 Not Found")


def _require_known_parameters(request: ApiRequest, routes: Collection[Route[Any, Any, Any]]) -> None:
    """Raises InvalidRequest for a query parameter that none of the routes takes, such as `limt`: a request must not be
    answered as if the parameter was not there."""
    if any(route.parameters is None for route in routes):
        return
    known = dict.fromkeys(parameter.name for route in routes for parameter in route.parameters or ())
    expected = f"expected one of {', '.join(known)}" if known else "this request takes no query parameter"
    if faults := [Fault(name, f"unknown query parameter; {expected}") for name in request.query if name not in known]:
        raise InvalidRequest(*faults)


def truncated(value: Any) -> Any:
    """A JSON document with `truncated`; of a list, each document has `truncated`."""
    return [truncated(entry) for entry in value] if isinstance(value, list) else {**value, "truncated": True}
