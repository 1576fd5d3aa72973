"""The measured lookups."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from benchmarks.graph import Job
from benchmarks.spark_events import JOBS, LAKE

PREFIX = "/api/v1"


@dataclass(frozen=True)
class Call:
    """A lookup: its name in the report, and its path and query for a job in the middle of the graph."""

    name: str
    target: Callable[[Job], str]


def calls() -> list[Call]:
    return [
        Call("get job", lambda job: _path("jobs", JOBS, job.name)),
        Call("get dataset", lambda job: _path("datasets", LAKE, job.output.name)),
        Call("job runs", lambda job: _path("jobs", JOBS, job.name) + "/runs?limit=100"),
        Call("list 100 jobs", lambda _: f"{PREFIX}/namespaces/{JOBS}/jobs?limit=100"),
        Call("list 100 datasets", lambda _: f"{PREFIX}/namespaces/{quote(LAKE, safe='')}/datasets?limit=100"),
        *[_lineage(depth) for depth in (1, 5, 6, 8, 20)],
        *[_column_lineage(depth) for depth in (3, 5, 6, 8, 20)],
    ]


def nodes_in(answer: Any) -> int:
    """The number of nodes in a response: of a graph or a list, or 1."""
    members = answer.values() if isinstance(answer, dict) and len(answer) <= 4 else ()
    lists = [member for member in members if isinstance(member, list)]
    return max(map(len, lists)) if lists else 1


def _lineage(depth: int) -> Call:
    return Call(
        f"lineage, depth {depth}", lambda job: _query("lineage", nodeId=_node("job", JOBS, job.name), depth=depth)
    )


def _column_lineage(depth: int) -> Call:
    return Call(
        f"column lineage, both ways, depth {depth}",
        lambda job: _query(
            "column-lineage", nodeId=_node("dataset", LAKE, job.output.name), depth=depth, withDownstream="true"
        ),
    )


def _path(kind: str, namespace: str, name: str) -> str:
    return f"{PREFIX}/namespaces/{quote(namespace, safe='')}/{kind}/{quote(name, safe='')}"


def _query(route: str, **parameters: str | int) -> str:
    return f"{PREFIX}/{route}?{urlencode(parameters)}"


def _node(kind: str, namespace: str, name: str) -> str:
    return f"{kind}:{namespace}:{name}"
