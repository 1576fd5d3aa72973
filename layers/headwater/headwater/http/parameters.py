"""The query parameters of a route: their names for the router, their types and defaults for `openapi.json`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater.http.request import DEFAULT_DEPTH, DEFAULT_LIMIT, MAX_DEPTH, MAX_LIMIT, MAX_OFFSET


@dataclass(frozen=True)
class Parameter:
    """A query parameter. `schema` is its type in JSON Schema."""

    name: str
    schema: Mapping[str, Any] = field(hash=False)
    description: str = ""
    required: bool = False


def text(name: str, description: str = "", *, required: bool = False) -> Parameter:
    return Parameter(name, {"type": "string"}, description, required)


def number(name: str, default: int, most: int, least: int = 0) -> Parameter:
    """A whole number. A number above `most` counts as `most`."""
    schema = {"type": "integer", "default": default, "minimum": least}
    return Parameter(name, schema, f"more than {most} counts as {most}")


def choice(name: str, choices: Iterable[str], default: str | None = None, *, required: bool = False) -> Parameter:
    """One of some words, in any case."""
    schema = {"type": "string", "enum": list(map(str, choices))}
    return Parameter(name, schema | ({"default": str(default)} if default else {}), required=required)


def choices(name: str, of: Collection[str], description: str = "") -> Parameter:
    """A parameter that may be repeated, with one of some words each time."""
    return Parameter(name, {"type": "array", "items": {"type": "string", "enum": sorted(of)}}, description)


def time(name: str, description: str = "") -> Parameter:
    return Parameter(name, {"type": "string", "format": "date-time"}, description)


def flag(name: str) -> Parameter:
    return Parameter(name, {"type": "boolean", "default": False})


def page(default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> tuple[Parameter, ...]:
    """The parameters of `ApiRequest.page`."""
    cursor = text("cursor", "the `cursor` of the page before")
    return number("limit", default, most), number("offset", 0, MAX_OFFSET), cursor


def page_by_cursor(default: int = DEFAULT_LIMIT, most: int = MAX_LIMIT) -> tuple[Parameter, ...]:
    """The parameters of `ApiRequest.page_by_cursor`."""
    limit, _, cursor = page(default, most)
    return limit, cursor


PAGE = page()
DEPTH = number("depth", DEFAULT_DEPTH, MAX_DEPTH, least=-1)
NODE_ID = text(
    "nodeId", "job:NAMESPACE:NAME, dataset:NAMESPACE:NAME or datasetField:NAMESPACE:NAME:FIELD", required=True
)
RUN_ID = Parameter("runId", {"type": "string", "format": "uuid"}, required=True)
NAMED_BY_OTHERS = flag("namedByOthers")
AS_OF = time("asOf", "the state at that time, in place of now")
