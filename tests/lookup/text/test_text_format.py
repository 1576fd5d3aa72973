"""`format=text` over HTTP: the same answer, by the same rules of access, as plain text."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from headwater.lookup.text import columns, impact, lineage, root_cause
from headwater.lookup.text.display import Display
from headwater.lookup.text.inert import width_of
from headwater.store.memory import MemoryTable
from tests import factory
from tests.lookup.requests import key_of, table_after
from tests.lookup.text.graphs import answer, flow, response

ORDERS = "dataset:s3://lake:orders"
RENDERERS: Mapping[str, Callable[[Any, Display], str]] = {
    "lineage": lineage.render,
    "column-lineage": columns.render,
    "impact": impact.render,
    "rootcause": root_cause.render,
}
every_lookup = pytest.mark.parametrize("path", RENDERERS)


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    flows = factory.columns(id=("s3://lake", "raw", "id"))
    clean = factory.run_event(
        "COMPLETE", job="clean", run=9, outputs=[factory.dataset("orders", columnLineage=flows)], seconds=9
    )
    return table_after(*flow("raw > clean > orders\norders > report > daily"), clean)


@every_lookup
def test_the_text_is_that_of_the_json(table: MemoryTable, path: str) -> None:
    status, headers, text = response(table, path, nodeId=ORDERS, format="text")
    assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
    document = answer(table, path, nodeId=ORDERS)
    assert text == RENDERERS[path]({"nodeId": ORDERS, **document}, Display(100))
    assert "orders" in text


@every_lookup
def test_json_stays_as_it_is(table: MemoryTable, path: str) -> None:
    assert response(table, path, nodeId=ORDERS, format="json") == response(table, path, nodeId=ORDERS)
    assert response(table, path, nodeId=ORDERS)[1]["content-type"] == "application/json"


@every_lookup
def test_an_unknown_format_and_a_width_that_is_none_are_refused_by_name(table: MemoryTable, path: str) -> None:
    status, _, body = response(table, path, nodeId=ORDERS, format="yaml")
    assert status == 400
    assert "format: expected one of json, text" in body
    for width, fault in (("wide", "expected a whole number"), ("79", "must be greater than or equal to 80")):
        status, _, body = response(table, path, nodeId=ORDERS, format="text", width=width)
        assert (status, f"width: {fault}" in body) == (400, True)


@every_lookup
def test_a_key_for_another_namespace_gets_no_text(table: MemoryTable, path: str) -> None:
    assert response(table, path, key_of("other"), nodeId=ORDERS, format="text")[0] == 403
    assert response(table, path, key_of("s3://lake"), nodeId=ORDERS, format="text")[0] == 200


@every_lookup
def test_an_error_is_json(table: MemoryTable, path: str) -> None:
    status, headers, body = response(table, path, nodeId="dataset:s3://lake:none", format="text")
    assert (status, headers["content-type"]) == (404, "application/json")
    assert '"code":404' in body


def test_the_width_and_the_direction_are_those_of_the_request(table: MemoryTable) -> None:
    _, _, text = response(table, "lineage", nodeId=ORDERS, format="text", direction="downstream")
    assert text.startswith("downstream of orders: 1 job, 1 dataset\n")
    long = table_after(*flow(f"raw > {'long_' * 30}job > orders"))
    for width in (80, 120):
        _, _, text = response(long, "lineage", nodeId=ORDERS, format="text", width=width, direction="upstream")
        assert max(map(width_of, text.splitlines())) == width
    _, _, text = response(table, "column-lineage", nodeId="dataset:s3://lake:raw", format="text", withDownstream="true")
    assert "\nid → orders.id\n" in text


def test_a_dataset_asked_for_by_another_name_is_the_root_all_the_same() -> None:
    glue = factory.dataset("orders", symlinks=factory.symlinks("shop.orders", namespace="glue"))
    table = table_after(
        factory.run_event("COMPLETE", inputs=[factory.dataset("raw")], outputs=[glue]),
        factory.run_event("COMPLETE", job="read", run=2, inputs=[factory.dataset("shop.orders", "glue")]),
    )
    texts = {
        response(table, "lineage", nodeId=node, format="text")[2]
        for node in ("dataset:s3a://lake:orders", "dataset:glue:shop.orders", ORDERS)
    }
    (text,) = texts
    assert text.startswith("upstream of orders: 1 job, 1 dataset\n")
