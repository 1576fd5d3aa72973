"""`format=text`: the answers of graph lookups as text, for a person at a terminal. JSON stays as it is.

The renderers are imported by the first request for text: few cold starts need them.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Any, TypeVar

from headwater.graph.names.identity import NodeKind, node_id
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.exact_json import JsonObject
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.traversal.lineage import Direction

CONTENT_TYPE = "text/plain; charset=utf-8"
DEFAULT_WIDTH, MIN_WIDTH, MAX_WIDTH = 100, 80, 1_000

Named = TypeVar("Named")
Lookup = Callable[[Reader, ApiRequest, Named], JsonObject]
Render = Callable[[JsonObject, ApiRequest], str]


class AnswerFormat(StrEnum):
    JSON = "json"
    TEXT = "text"


def or_text(
    lookup: Lookup[Named], render: Render, as_sent: Lookup[Named] | None = None
) -> tuple[Lookup[Named], Callable[[ApiRequest, JsonObject], ApiResponse]]:
    """A lookup and its serialiser, for a route that answers in either format. `as_sent` makes the answer that is JSON,
    if parts of it may be written already."""

    def use_case(reader: Reader, request: ApiRequest, node: Named) -> JsonObject:
        is_text = _is_text(request)
        answer = (lookup if is_text else as_sent or lookup)(reader, request, node)
        return {"nodeId": _shown(reader, node), **answer} if is_text and isinstance(node, NamedNode) else answer

    def serialise(request: ApiRequest, answer: JsonObject) -> ApiResponse:
        if not _is_text(request):
            return ApiResponse(200, answer)
        return ApiResponse(200, render(answer, request), {"content-type": CONTENT_TYPE})

    return use_case, serialise


def lineage(answer: JsonObject, request: ApiRequest) -> str:
    from headwater.lookup.text import lineage as text  # noqa: PLC0415

    return text.render(answer, _display(request), request.choice("direction", Direction))


def column_lineage(answer: JsonObject, request: ApiRequest) -> str:
    from headwater.lookup.text import columns as text  # noqa: PLC0415

    with_downstream = Direction.BOTH if request.flag("withDownstream") else Direction.UPSTREAM
    return text.render(answer, _display(request), request.choice("direction", Direction) or with_downstream)


def impact(answer: JsonObject, request: ApiRequest) -> str:
    from headwater.lookup.text import impact as text  # noqa: PLC0415

    return text.render(answer, _display(request))


def root_cause(answer: JsonObject, request: ApiRequest) -> str:
    from headwater.lookup.text import root_cause as text  # noqa: PLC0415

    return text.render(answer, _display(request))


def diff(answer: JsonObject, request: ApiRequest) -> str:
    from headwater.lookup.text import diff as text  # noqa: PLC0415

    return text.render({"namespace": request.query.get("namespace"), **answer}, _display(request))


def _is_text(request: ApiRequest) -> bool:
    """Whether the request asks for text. Raises InvalidRequest for an unknown format, or a width that is none."""
    is_text = request.choice("format", AnswerFormat) is AnswerFormat.TEXT
    if is_text:
        _width(request)
    return is_text


def _width(request: ApiRequest) -> int:
    return request.number("width", DEFAULT_WIDTH, MAX_WIDTH, least=MIN_WIDTH)


def _display(request: ApiRequest) -> Any:
    """All of the answer, in plain text."""
    from headwater.lookup.text.display import Display  # noqa: PLC0415

    return Display(_width(request))


def _shown(reader: Reader, node: NamedNode) -> str:
    """The nodeId by which answers have a node: of a dataset with several names, the one that stands for all."""
    name = node.name
    if node.kind is not NodeKind.JOB:
        neighbourhood = reader.neighbourhood([node.dataset], ())
        head = neighbourhood.heads.get(neighbourhood.representative(node.dataset))
        name = head.facts.name if head else name
    shown = node_id(node.kind, name)
    return shown if node.field is None else f"{shown}:{node.field}"
