"""A declared dataset or job is in the next lookup, with the declared members."""

from datetime import timedelta
from typing import Any

import pytest

from headwater.access.principal import Principal, Scope
from headwater.graph.names.naming import Naming
from tests import factory
from tests.curate.conftest import LAKE, Api

TABLE = {
    "type": "DB_TABLE",
    "physicalName": "public.customers",
    "sourceName": LAKE,
    "description": "who bought",
    "fields": [{"name": "id", "type": "INTEGER", "tags": ["key"]}, {"name": "email", "description": "an address"}],
    "tags": ["gold"],
}
CUSTOMERS = "namespaces/shop/datasets/customers"
JOB: dict[str, Any] = {
    "type": "STREAM",
    "inputs": [{"namespace": LAKE, "name": "orders"}],
    "outputs": [{"namespace": LAKE, "name": "sums"}],
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
            "sourceName": LAKE,
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
    put = api.put(f"namespaces/{LAKE}/datasets/orders", {**TABLE, "fields": [{"name": "who", "type": "text"}]})
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
    assert api.graph(f"dataset:{LAKE}:sums") >= {"job:shop:find", f"dataset:{LAKE}:orders", "job:demo:load"}
    assert api.jobs("shop") == ["find"]


def test_a_job_is_declared_anew(api: Api) -> None:
    api.put(FIND, JOB)
    again = api.put(FIND, {"type": "BATCH", "inputs": JOB["outputs"], "outputs": []}).body
    assert (again["type"], again["description"]) == ("BATCH", JOB["description"])
    assert (again["inputs"], again["outputs"]) == (JOB["outputs"], [])


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


def test_the_schema_location_of_a_stream_stays_until_another_is_declared(api: Api) -> None:
    stream = {"type": "STREAM", "physicalName": "clicks", "sourceName": LAKE}
    for location, expected in (("https://a/1", "https://a/1"), (None, "https://a/1"), ("https://a/2", "https://a/2")):
        put = api.put(CUSTOMERS, {**stream, "schemaLocation": location})
        assert put.body["schemaLocation"] == api.get(CUSTOMERS).body["schemaLocation"] == expected
    locations = [version["schemaLocation"] for version in api.get(f"{CUSTOMERS}/versions").body["versions"]]
    assert locations == ["https://a/2", "https://a/1", "https://a/1"]


def test_a_dataset_is_declared_as_the_output_of_a_run(api: Api) -> None:
    run = api.post("namespaces/demo/jobs/report/runs").body
    assert len(api.put(CUSTOMERS, {**TABLE, "runId": run["id"]}).body["fields"]) == 2
    (version,) = api.get(f"{CUSTOMERS}/versions").body["versions"]
    assert (version["createdByRun"]["id"], len(version["fields"])) == (run["id"], 2)
    assert api.get(f"jobs/runs/{run['id']}").body["state"] == "NEW"
    assert [output["name"] for output in api.get("namespaces/demo/jobs/report").body["outputs"]] == ["customers"]


def test_a_job_is_declared_with_what_one_of_its_runs_reads_and_writes(api: Api) -> None:
    api.put(FIND, {"type": "BATCH"})
    run = api.post(f"{FIND}/runs").body
    assert api.put(FIND, {**JOB, "runId": run["id"]}).body["latestRun"]["id"] == run["id"]
    known = api.get(f"jobs/runs/{run['id']}").body
    sides = [known[f"{side}DatasetVersions"] for side in ("input", "output")]
    assert [use["datasetVersionId"]["name"] for side in sides for use in side] == ["orders", "sums"]
    assert known["state"] == "NEW"


REFERENCES: list[tuple[str, Any, str]] = [
    (CUSTOMERS, {**TABLE, "sourceName": "nowhere"}, "sourceName: Source 'nowhere' not found."),
    (CUSTOMERS, {**TABLE, "runId": factory.run_id(99)}, f"runId: Run '{factory.run_id(99)}' not found."),
    (FIND, {**JOB, "inputs": [*JOB["inputs"], {"namespace": LAKE, "name": "x"}]}, "inputs[1]: Dataset 'x' not found."),
    (FIND, {**JOB, "outputs": [{"namespace": LAKE, "name": "x"}]}, "outputs[0]: Dataset 'x' not found."),
    (FIND, {**JOB, "runId": factory.run_id(99)}, f"runId: Run '{factory.run_id(99)}' not found."),
    (FIND, {**JOB, "runId": factory.run_id(1)}, f"runId: Run '{factory.run_id(1)}' not found."),
]


@pytest.mark.parametrize(("path", "body", "message"), REFERENCES)
def test_what_a_declaration_refers_to_has_to_be_there(api: Api, path: str, body: Any, message: str) -> None:
    answer = api.put(path, body)
    assert (answer.status, answer.body["message"]) == (404, message)
    assert api.queue.sent == []


def test_a_declared_source_is_there(api: Api) -> None:
    api.put("sources/shop-db", {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://db/shop"})
    assert api.put(CUSTOMERS, {**TABLE, "sourceName": "shop-db"}).body["sourceName"] == "shop-db"


def test_of_the_datasets_of_others_a_declaration_does_not_tell_which_are_there(api: Api) -> None:
    api.caller = Principal("team", frozenset({Scope.INGEST}), ("shop",))
    assert api.put(FIND, {**JOB, "inputs": [{"namespace": LAKE, "name": "x"}]}).status == 200
