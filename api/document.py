"""The OpenAPI document of the routers' tables."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from api.answers import ANSWERS, GRAPHS
from api.json_schema import FREE, TRUE, Schema, component
from api.nodes import NODES
from headwater import __doc__ as headwater_in_words
from headwater.curate import routes as curate
from headwater.curate.run_lifecycle import create_run, judge_good
from headwater.http.parameters import Parameter
from headwater.http.paths import PREFIX, Path
from headwater.http.router import Route
from headwater.ingest import routes as ingest
from headwater.lookup import routes as lookup
from headwater.lookup.export import FORMATS
from headwater.lookup.parameters import TEXT

AnyRoute = Route[Any, Any, Any]
_EVENT_PATHS = {".*/batch/?": "/lineage/batch", ".*": "/lineage"}
_SPLITS = {"(?>.+?/jobs/).+": "jobs/{job}", "(?>.+?/datasets/).+": "datasets/{dataset}"}
"""The two halves of a name are one parameter of the pattern, and two of the path."""
_STATUSES = {
    "400": "a parameter or a member of the body is wrong; the details name each",
    "401": "no key, or one that is unknown or expired",
    "403": "a key without the scope or the namespace",
    "404": "not found",
    "503": "not available for the moment; the client sends the request again",
}

_CONFLICTS = {create_run: "the run belongs to another job", judge_good: "the run did not go well"}


def document() -> dict[str, Any]:
    """The description of every route."""
    paths: dict[str, dict[str, Any]] = {}
    for route in (*ingest.ROUTES, *lookup.ROUTES, *curate.ROUTES):
        for path in paths_of(route):
            operations = paths.setdefault(path, {})
            operations[route.method.lower()] = _operation(route, path)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Headwater", "version": "1", "description": headwater_in_words or ""},
        "paths": dict(sorted(paths.items())),
        "components": {"schemas": _components(), "securitySchemes": _KEYS},
        "security": [{name: []} for name in _KEYS],
    }


_KEYS = {"bearer": {"type": "http", "scheme": "bearer"}, "key": {"type": "apiKey", "in": "header", "name": "x-api-key"}}


def paths_of(route: AnyRoute) -> Iterator[str]:
    """The paths of a route, with its parameters in braces."""
    pattern = _EVENT_PATHS.get(route.pattern, route.pattern)
    patterns = [pattern]
    if pattern == curate.JOB_OR_DATASET:
        patterns = [f"/namespaces/(?P<node>{split})" for split in _SPLITS]
    for text in patterns:
        for split, words in _SPLITS.items():
            text = text.replace(f"(?P<node>{split})", f"{{namespace}}/{words}")  # noqa: PLW2901
        path = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"{\1}", text)
        yield path if path.startswith("/api/") else PREFIX + path


def answer_schema(pattern: str) -> Schema:
    """The type of a lookup's answer. `truncated` says that an answer is cut, or lacks an item that cannot be read."""
    schema = ANSWERS[pattern]
    return {**schema, "items": _cut(schema["items"])} if schema.get("type") == "array" else _cut(schema)


def _components() -> dict[str, Schema]:
    """The types by name; those that are answers may have `truncated`."""
    answered = {schema["$ref"].rpartition("/")[2] for schema in ANSWERS.values() if "$ref" in schema}
    schemas = {**NODES, **GRAPHS}
    return {name: _cut(schema) if name in answered else schema for name, schema in sorted(schemas.items())}


def _cut(schema: Schema) -> Schema:
    if "properties" not in schema:
        return schema
    return {**schema, "properties": {**schema["properties"], "truncated": schema["properties"].get("truncated", TRUE)}}


def _operation(route: AnyRoute, path: str) -> dict[str, Any]:
    summary = (route.use_case.__doc__ or "").partition("\n\n")[0]
    return {
        "operationId": _operation_id(route, path),
        **({"summary": " ".join(summary.split())} if summary else {}),
        "x-scope": str(route.scope),
        "parameters": [*_in_path(path, route), *map(_in_query, route.parameters or ())],
        **({"requestBody": {"content": _json(FREE)}} if _has_body(route) else {}),
        "responses": {**_answers(route), **{status: _error(text) for status, text in _statuses(route).items()}},
    }


def _statuses(route: AnyRoute) -> dict[str, str]:
    conflict = _CONFLICTS.get(route.use_case)
    return _STATUSES | ({"409": conflict} if conflict else {})


def _operation_id(route: AnyRoute, path: str) -> str:
    """The method and the words of the path; a parameter stands for the list it is of: getNamespaceJobRuns."""
    single = re.sub(r"/\w+/\{(\w+)\}", r"/\1", path.removeprefix(PREFIX))
    words = re.findall(r"[A-Za-z0-9]+", single)
    return route.method.lower() + "".join(word[0].upper() + word[1:] for word in words)


def _in_path(path: str, route: AnyRoute) -> list[dict[str, Any]]:
    words = re.search(r"\(\?P<transition>([^)]+)\)", route.pattern)
    schemas: Mapping[str, Schema] = {
        "run": {"type": "string", "format": "uuid"},
        "version": {"type": "string", "format": "uuid"},
        "transition": {"type": "string", "enum": words[1].split("|") if words else []},
    }
    names = re.findall(r"\{(\w+)\}", path)
    return [
        {"name": name, "in": "path", "required": True, "schema": schemas.get(name, {"type": "string"})}
        for name in names
    ]


def _in_query(parameter: Parameter) -> dict[str, Any]:
    described = {"description": parameter.description} if parameter.description else {}
    required = {"required": True} if parameter.required else {}
    return {"name": parameter.name, "in": "query", **required, "schema": parameter.schema, **described}


def _has_body(route: AnyRoute) -> bool:
    return route.method == "PUT" or route in ingest.ROUTES or route.pattern.endswith("/runs")


def _answers(route: AnyRoute) -> dict[str, Any]:
    if route.method != "GET":
        status = "201" if route.use_case in (ingest.post_event, create_run) else "200"
        return {status: {"description": "done", "content": _json(FREE)}}
    content = _json(answer_schema(route.pattern))
    if set(TEXT) & set(route.parameters or ()):
        content["text/plain"] = {"schema": {"type": "string"}}
    if route.pattern == Path.EXPORT:
        types = [each.content_type.partition(";")[0] for each in FORMATS.values()]
        content = {name: {"schema": {"type": "string"}} for name in types} | content
    return {"200": {"description": "the answer", "content": content}}


def _json(schema: Schema) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


def _error(text: str) -> dict[str, Any]:
    return {"description": text, "content": _json(component("Error"))}
