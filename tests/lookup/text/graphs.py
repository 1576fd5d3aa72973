"""Answers of lookups for the tests of their texts: written in a few words, or asked of a table."""

import json
from collections.abc import Sequence
from typing import Any

from headwater.access.principal import Principal
from headwater.http.request import ApiRequest
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import ANYONE, NOON, response_to

LAKE = "s3://lake"


def response(
    table: MemoryTable, path: str, principal: Principal = ANYONE, **query: Any
) -> tuple[int, dict[str, str], str]:
    parameters = {name: str(value) for name, value in query.items()}
    request = ApiRequest(principal, "GET", f"/api/v1/{path}", parameters, received_at=NOON)
    answer = response_to(table, request).to_gateway()
    return answer["statusCode"], answer["headers"], answer["body"]


def answer(table: MemoryTable, path: str, **query: Any) -> Any:
    status, _, body = response(table, path, **query)
    assert status == 200, body
    return json.loads(body)


def flow(text: str) -> list[Document]:
    """Events of jobs, one a line: `raw, rates > clean > orders`."""
    events = []
    for number, line in enumerate(text.strip().splitlines(), start=1):
        inputs, job, outputs = (part.strip() for part in line.split(">"))
        events.append(
            factory.run_event(
                "COMPLETE",
                run=number,
                seconds=number,
                job=job,
                inputs=[factory.dataset(name) for name in _names(inputs)],
                outputs=[factory.dataset(name) for name in _names(outputs)],
            )
        )
    return events


def graph(text: str, **members: Any) -> Document:
    """An answer of GET /lineage: one edge a line, `raw > job clean`. `NAMESPACE|NAME` is a name elsewhere."""
    lines = [line for line in text.split("\n") if line.strip()]
    edges = [tuple(_node_id(end.strip(" ")) for end in line.split(">")) for line in lines]
    nodes = sorted({node for edge in edges for node in edge})
    return {"graph": [_node(node, edges) for node in nodes], **members}


def dataset_id(name: str) -> str:
    return _node_id(name)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _node_id(text: str) -> str:
    kind, name = ("job", text.removeprefix("job ")) if text.startswith("job ") else ("dataset", text)
    namespace, bar, rest = name.partition("|")
    home = "demo" if kind == "job" else LAKE
    return f"{kind}:{namespace}:{rest}" if bar else f"{kind}:{home}:{name}"


def _node(node_id: str, edges: Sequence[tuple[str, ...]]) -> Document:
    kind, _, rest = node_id.partition(":")
    namespace, _, name = rest.rpartition(":")
    return {
        "id": node_id,
        "type": kind.upper(),
        "data": {"namespace": namespace, "name": name},
        "inEdges": [{"origin": origin, "destination": end} for origin, end in edges if end == node_id],
        "outEdges": [{"origin": origin, "destination": end} for origin, end in edges if origin == node_id],
    }
