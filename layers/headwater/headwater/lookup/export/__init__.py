"""The responses to GET /lineage and GET /column-lineage in the formats of other tools.

Each format is a function of only the response. Equal graphs have equal exports, whatever the order of nodes and edges
in the response.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headwater.lookup.export import dot, events, mermaid, plain


@dataclass(frozen=True, slots=True)
class Format:
    """A format of the graph. `render` takes the JSON document of a response, and returns a text or a JSON document."""

    content_type: str
    render: Callable[[dict[str, Any]], str | list[Any] | dict[str, Any]]


FORMATS: Mapping[str, Format] = {
    "dot": Format("text/vnd.graphviz; charset=utf-8", dot.render),
    "mermaid": Format("text/vnd.mermaid; charset=utf-8", mermaid.render),
    "json": Format("application/json", plain.render),
    "openlineage": Format("application/json", events.render),
}
"""By the value of the parameter `format`."""
