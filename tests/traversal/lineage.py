"""Requests to GET /lineage and /column-lineage, and the events for them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.caches import CheckedCache
from tests.factory import Document
from tests.lookup.requests import LookupClient

ANYONE = Principal("test", frozenset({"read"}), ("*",))
RETENTION = factory.RETENTION
LAKE = "s3://lake"
Get = Callable[..., Any]


def after(*documents: Document, namespaces: tuple[str, ...] = ("*",)) -> Get:
    """Sends lookups to a table that has folded these events, by a key that reads some namespaces."""
    table = MemoryTable()
    fold(factory.received(*documents), GraphStore(table, RETENTION, CheckedCache()))

    client = LookupClient(table, replace(ANYONE, namespaces=namespaces))
    return lambda path, **query: client.answer(path, **query)[1]


def ran(job: str, reads: str, writes: str, *, run: int, seconds: float = 0, **changes: Any) -> Document:
    """A run of a job, with the names of its datasets a word each."""
    sides = {"inputs": reads.split(), "outputs": writes.split()}
    datasets = {side: [factory.dataset(name) for name in names] for side, names in sides.items()}
    return factory.run_event("COMPLETE", job=job, run=run, seconds=seconds, **{**datasets, **changes})


def nodes(answer: Any) -> set[str]:
    return {node["data"]["name"] for node in answer["graph"]}


def edges(answer: Any) -> set[tuple[str, str]]:
    """The edges by the names of their ends; each is on both of them."""
    names = {node["id"]: node["data"]["name"] for node in answer["graph"]}
    out = {(edge["origin"], edge["destination"]) for node in answer["graph"] for edge in node["outEdges"]}
    into = {(edge["origin"], edge["destination"]) for node in answer["graph"] for edge in node["inEdges"]}
    assert out == into
    return {(names[origin], names[destination]) for origin, destination in out}


TABLE = factory.dataset("sales.orders", "hive://h:9083")


def child(number: int, kind: str, inputs: str, outputs: str) -> Document:
    event = ran(f"app.action{number}", inputs, outputs, run=number, run_facets={"parent": factory.parent(9, "app")})
    return {**event, "eventType": kind}


APPLICATION = (
    child(1, "COMPLETE", "raw", "clean"),
    child(2, "FAIL", "clean", "daily"),
    factory.run_event("COMPLETE", job="app", run=9, seconds=10),
)
