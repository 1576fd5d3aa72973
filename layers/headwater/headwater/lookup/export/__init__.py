"""The answers of GET /lineage and GET /column-lineage in the forms that other tools take.

All are functions of the answer alone: equal answers, equal exports, whatever the order of what they hold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.lookup.export import dot, events, mermaid, plain


@dataclass(frozen=True, slots=True)
class Format:
    """A form of the graph. `render` takes an answer's document; it gives text, or a document that is sent as JSON."""

    content_type: str
    render: Callable[[dict[str, Any]], str | list[Any] | dict[str, Any]]


FORMATS: Mapping[str, Format] = {
    "dot": Format("text/vnd.graphviz; charset=utf-8", dot.render),
    "mermaid": Format("text/vnd.mermaid; charset=utf-8", mermaid.render),
    "json": Format("application/json", plain.render),
    "openlineage": Format("application/json", events.render),
}
"""By the name that a client asks for."""
