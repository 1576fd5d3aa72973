"""A declared dataset or job is in the next lookup, with the declared members."""

from datetime import timedelta
from typing import Any

import pytest

from headwater.graph.names.naming import Naming
from tests import factory
from tests.curate.conftest import LAKE, Api

TABLE = {
    "type": "DB_TABLE",
    "physicalName": "public.customers",
    "sourceName": "shop",
    "description": "who bought",
    "fields": [{"name": "id", "type": "INTEGER", "tags": ["key"]}, {"name": "email", "description": "an address"}],
    "tags": ["gold"],
}
CUSTOMERS = "namespaces/shop/datasets/customers"
JOB = {
    "type": "STREAM",
    "inputs": [{"namespace": LAKE, "name": "orders"}],
    "outputs": [{"namespace": "shop", "name": "customers"}],
    "location": "https://example.com/job.sql",
    "description": "finds customers",
}
FIND = "namespaces/shop/jobs/find"


def test_a_dataset_is_declared(api: Api) -> None:
    put = api.put(CUSTOMERS, TABLE)
    assert put.status == 200
    assert put == api.get(CUSTOMERS)
    assert (
        put.body.items()
        >= {
            "id": {"namespace": "shop", "name": "customers"},
            "type": "DB_TABLE",
            "name": "customers",
            "physicalName": "public.customers",
            "sourceName": "shop",
            "description": "who bought",
            "tags": ["gold"],
        }.items()
    )
    assert put.body["fields"] == [
        {"name": "id", "type": "INTEGER", "tags": ["KEY"], "description": None},
        {"name": "email", "type": None, "tags": [], "description": "an address"},
    ]
    assert {"gold", "KEY"} <= {tag["name"] for tag in api.get("tags").body["tags"]}
    assert api.datasets("shop") == ["customers"]


def test_a_stream_is_a_stream(api: Api) -> None:
    assert api.put(CUSTOMERS, {**TABLE, "type": "STREAM"}).body["type"] == "STREAM"


def test_members_that_a_declaration_lacks_stay(api: Api) -> None:
    api.put(CUSTOMERS, TABLE)
    least = {name: TABLE[name] for name in ("type", "physicalName", "sourceName")}
    again = api.put(CUSTOMERS, least).body
    assert (again["description"], len(again["fields"]), again["tags"]) == ("who bought", 2, ["gold"])
    changed = api.put(CUSTOMERS, {**least, "fields": [{"name": "id", "type": "LONG"}], "description": "other"}).body
    assert (changed["description"], changed["fields"][0]["type"], len(changed["fields"])) == ("other", "LONG", 1)


def test_a_dataset_that_its_jobs_know_is_declared_anew(api: Api) -> None:
    orders = f"namespaces/{LAKE}/datasets/orders"
    put = api.put(orders, {**TABLE, "fields": [{"name": "who", "type": "text"}]})
    assert [field["name"] for field in put.body["fields"]] == ["who"]
    assert "job:demo:load" in api.graph(f"dataset:{LAKE}:orders")


def test_a_declaration_brings_a_deleted_dataset_back(api: Api) -> None:
    api.put(CUSTOMERS, TABLE)
    ahead = (api.now + timedelta(minutes=5) - factory.EPOCH).total_seconds()
    api.fold_events(factory.run_event(seconds=ahead, run=7, inputs=[factory.dataset("customers", "shop")]))
    api.delete(CUSTOMERS)
    assert api.get(CUSTOMERS).status == 404
    assert api.put(CUSTOMERS, TABLE).status == 200
    assert api.get(CUSTOMERS).status == 200


def test_a_declared_name_means_what_the_rules_of_identity_make_of_it(api: Api) -> None:
    api.naming = Naming({"old://shop": "shop"})
    assert api.put("namespaces/old://shop/datasets/customers", TABLE).body["namespace"] == "shop"
    assert api.put(f"namespaces/{LAKE}/datasets/events/day=1", TABLE).body["name"] == "events"
    assert api.get(f"namespaces/{LAKE}/datasets/events/day=1").status == 200


def test_a_job_is_declared_with_what_it_reads_and_writes(api: Api) -> None:
    put = api.put(FIND, JOB)
    assert put.status == 200
    assert put == api.get(FIND)
    assert put.body.items() >= {"name": "find", **JOB}.items()
    assert api.graph("dataset:shop:customers") >= {"job:shop:find", f"dataset:{LAKE}:orders", "job:demo:load"}
    assert api.jobs("shop") == ["find"]


def test_a_job_is_declared_anew(api: Api) -> None:
    api.put(FIND, JOB)
    again = api.put(FIND, {"type": "BATCH", "inputs": [{"namespace": "shop", "name": "other"}], "outputs": []}).body
    assert (again["type"], again["description"]) == ("BATCH", JOB["description"])
    assert (again["inputs"], again["outputs"]) == ([{"namespace": "shop", "name": "other"}], [])


def test_a_declaration_brings_a_deleted_job_back(api: Api) -> None:
    api.put(FIND, JOB)
    api.delete(FIND)
    assert api.get(FIND).status == 404
    assert api.put(FIND, JOB).status == 200
    assert api.jobs("shop") == ["find"]


NAMES = ["orders by day", "wh/orders", "a/datasets/b", "a/jobs/b", "100%", "ünï", "data/orders/", "x/runs", "a%2Fb"]


@pytest.mark.parametrize("name", NAMES)
def test_a_declared_node_may_have_any_name(api: Api, name: str) -> None:
    sent = name.replace("%", "%25")
    for kind, body in (("datasets", TABLE), ("jobs", JOB)):
        assert api.put(f"namespaces/s3://new/{kind}/{sent}", body).body["name"] == name
        assert api.get(f"namespaces/s3://new/{kind}/{sent}").body["id"] == {"namespace": "s3://new", "name": name}


def test_of_the_ways_to_read_a_path_the_namespace_that_is_known_counts(api: Api) -> None:
    api.put("namespaces/s3://a/datasets/b", {"ownerName": "me"})
    assert api.put("namespaces/s3://c", {"ownerName": "me"}).status == 200
    api.fold_events(factory.dataset_event(factory.dataset("x", "s3://d/datasets/e"), seconds=1))
    put = api.put("namespaces/s3://d/datasets/e/datasets/f", TABLE).body
    assert put["id"] == {"namespace": "s3://d/datasets/e", "name": "f"}
    assert api.put("namespaces/s3://d/datasets/e", {"ownerName": "me"}).body["name"] == "s3://d/datasets/e"


WRONG: list[tuple[str, Any, str]] = [
    (CUSTOMERS, None, "body: empty"),
    (CUSTOMERS, {}, "type: missing; physicalName: missing; sourceName: missing"),
    (CUSTOMERS, {**TABLE, "type": "VIEW"}, "type: "),
    (CUSTOMERS, {**TABLE, "fields": {}}, "fields: expected an array"),
    (CUSTOMERS, {**TABLE, "fields": [{"type": "text"}]}, "fields[0].name: missing"),
    (CUSTOMERS, {**TABLE, "tags": [1]}, "tags[0]: expected a string"),
    (FIND, None, "body: empty"),
    (FIND, {}, "type: missing"),
    (FIND, {**JOB, "type": "batch"}, "type: "),
    (FIND, {**JOB, "inputs": [{"name": "x"}]}, "inputs[0].namespace: missing"),
    (FIND, {**JOB, "outputs": ["x"]}, "outputs[0]: expected an object"),
    (FIND, {**JOB, "location": 1}, "location: expected a string"),
]


@pytest.mark.parametrize(("path", "body", "message"), WRONG)
def test_each_fault_of_a_body_is_named(api: Api, path: str, body: Any, message: str) -> None:
    answer = api.put(path, body)
    assert answer.status == 400
    assert message in answer.body["message"]
    assert api.queue.sent == []
