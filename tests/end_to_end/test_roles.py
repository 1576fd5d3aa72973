"""With the roles of template.yaml enforced the whole path works; without one of their permissions it does not."""

import gzip
import json
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.openlineage import exact_json
from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.end_to_end.recorded import folded_without_aws, recorded_documents, versions

pytestmark = [
    pytest.mark.emulator,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="the emulator makes its certificate with openssl"),
]


@pytest.fixture(scope="module")
def guarded_stack() -> Iterator[Stack]:
    with embedded_stack("guarded", iam=True) as running:
        yield running


@pytest.fixture(scope="module")
def guarded(guarded_stack: Stack) -> Deployed:
    return Deployed(guarded_stack.deployment)


@pytest.fixture(scope="module")
def api(guarded_stack: Stack) -> Api:
    return Api.of(guarded_stack.url, guarded_stack.key)


@contextmanager
def without(deployed: Deployed, role: str, *actions: str) -> Iterator[None]:
    """For the length of a `with` block, a role of the template may not do this; its policies are put back after."""
    iam, name = deployed.account.iam, deployed.role(role)
    policies = {
        policy: iam.get_role_policy(RoleName=name, PolicyName=policy)["PolicyDocument"]
        for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]
    }
    for policy, document in policies.items():
        put(
            iam,
            name,
            policy,
            {**document, "Statement": [less(statement, actions) for statement in document["Statement"]]},
        )
    try:
        yield
    finally:
        for policy, document in policies.items():
            put(iam, name, policy, document)


def less(statement: dict[str, Any], actions: tuple[str, ...]) -> dict[str, Any]:
    """A statement without these actions; one that is left with none allows nothing that is there."""
    named = [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
    return {**statement, "Action": [action for action in named if action not in actions] or ["none:None"]}


def put(iam: Any, role: str, policy: str, document: dict[str, Any]) -> None:
    iam.put_role_policy(RoleName=role, PolicyName=policy, PolicyDocument=json.dumps(document))


def large_event(run: int) -> factory.Document:
    """An event that is too long for a message and for a record of the archive."""
    noise = random.Random(run).randbytes(600_000).hex()
    return factory.run_event("COMPLETE", run=run, run_facets={"noise": factory.facet(hex=noise)})


def test_the_whole_path_works(api: Api, guarded: Deployed) -> None:
    documents = [*recorded_documents(), large_event(run=1)]
    for document in documents:
        assert api.post(exact_json.dumps(document).encode()).status == 201
    guarded.wait_for_ingestion()
    assert versions(guarded.items()) == folded_without_aws(documents, guarded.retention())
    assert len(gzip.decompress(b"".join(guarded.objects("events/").values())).splitlines()) >= len(documents)


def test_lookups_work(api: Api) -> None:
    assert {namespace["name"] for namespace in api.get("namespaces").json["namespaces"]} == {"demo", "file"}
    node_id = "dataset:file:/data/revenue_daily"
    upstream = {node["id"] for node in api.get("lineage", nodeId=node_id).json["graph"]}
    assert {node_id, "dataset:file:/data/orders_clean", "dataset:file:/data/raw/orders"} <= upstream
    assert len(api.get("column-lineage", nodeId=node_id).json["graph"]) > 2
    assert api.get("jobs", "runs", recorded_documents()[0]["run"]["runId"], "facets", type="run").status == 200


def test_a_run_that_is_too_long_for_an_item_is_found(api: Api) -> None:
    assert api.get("jobs", "runs", factory.run_id(1)).status == 200


def test_ingest_that_may_not_send_is_not_available_until_it_may(api: Api, guarded: Deployed) -> None:
    event = factory.run_event(run=2)
    with without(guarded, "IngestRole", "sqs:SendMessage", "sqs:SendMessageBatch"):
        refused = api.post_event(event)
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert refused.json.keys() == {"code", "message", "details", "faults"}
        assert guarded.queued() == 0
    assert api.post_event(event).status == 201


def test_ingest_that_may_not_store_is_not_available_for_long_events(api: Api, guarded: Deployed) -> None:
    with without(guarded, "IngestRole", "s3:PutObject"):
        assert api.post_event(large_event(run=3)).status == 503
        assert api.post_event(factory.run_event(run=4)).status == 201
    assert api.post_event(large_event(run=3)).status == 201


def test_authorise_that_may_not_read_the_keys_does_not_call_a_key_unknown(api: Api, guarded: Deployed) -> None:
    """The authoriser caches the keys, and reads them again for an unknown key if they are over 5 s old."""
    stranger = Api.of(api.url, "unknown")
    deadline = time.monotonic() + 15
    with without(guarded, "AuthoriseRole", "secretsmanager:GetSecretValue"):
        while (refused := stranger.get("namespaces")).status == 401:
            assert time.monotonic() < deadline, "the keys are not read again"
            time.sleep(0.5)
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert api.get("namespaces").status == 200


def test_an_event_that_normalise_may_not_store_waits_until_it_may(api: Api, guarded: Deployed) -> None:
    run = factory.run_event("COMPLETE", run=5)
    guarded.wait_for_ingestion()  # what an earlier test posted would fail too, and stay away for the usual two minutes
    with guarded.visibility(seconds=2):
        with without(guarded, "NormaliseRole", "dynamodb:PutItem"):
            assert api.post_event(run).status == 201
            guarded.wait_until_logged("normalise", "a message could not be folded for now")
            assert api.get("jobs", "runs", run["run"]["runId"]).status == 404
        guarded.wait_for_ingestion()
    assert api.get("jobs", "runs", run["run"]["runId"]).json["state"] == "COMPLETED"


def test_lookup_that_may_not_read_is_not_available_until_it_may(api: Api, guarded: Deployed) -> None:
    with without(guarded, "LookupRole", "dynamodb:BatchGetItem"):
        refused = api.get("namespaces")
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert api.get("namespaces").status == 200


REVENUE = "/api/v1/namespaces/file/datasets/%2Fdata%2Frevenue_daily"


def test_curating_works(api: Api, guarded: Deployed) -> None:
    """With every permission: the queue, items of all kinds, both indexes, and a dataset's jobs for a deletion."""
    owned = api.request("PUT", "/api/v1/namespaces/file", b'{"ownerName": "me"}', {"Content-Type": "application/json"})
    assert (owned.status, owned.json["ownerName"]) == (200, "me")
    assert api.request("POST", f"{REVENUE}/tags/GOLD").json["tags"] == ["GOLD"]
    assert api.request("POST", f"/api/v1/jobs/runs/{factory.run_id(4)}/complete").json["state"] == "COMPLETED"
    assert api.request("DELETE", REVENUE).status == 200
    assert api.request("GET", REVENUE).status == 404
    assert api.request("DELETE", "/api/v1/namespaces/file").status == 200
    assert api.get("namespaces", "file", "datasets").json["datasets"] == []
    guarded.wait_for_ingestion()
    assert api.request("GET", REVENUE).status == 404


def test_curate_without_permission_to_send_changes_nothing(api: Api, guarded: Deployed) -> None:
    run = f"/api/v1/jobs/runs/{factory.run_id(2)}"
    with without(guarded, "CurateRole", "sqs:SendMessage", "sqs:SendMessageBatch"):
        refused = api.request("POST", f"{run}/fail")
        assert (refused.status, refused.headers["retry-after"]) == (503, "1")
        assert api.request("GET", run).json["state"] == "RUNNING"
    assert api.request("POST", f"{run}/fail").json["state"] == "FAILED"


def each_two_hours(until: datetime, job: str, numbers: range) -> list[factory.Document]:
    """The runs of a job for more than a week until a time."""
    begun = [until - timedelta(hours=2 * place) for place in range(len(numbers))]
    return [
        {**factory.run_event("COMPLETE", run=number, job=job), "eventTime": begin.isoformat()}
        for begin, number in zip(reversed(begun), numbers, strict=True)
    ]


def test_the_sweep_tells_what_is_due_and_gives_up_what_was_due_long_ago(api: Api, guarded: Deployed) -> None:
    now = datetime.now(UTC)
    late = each_two_hours(now - timedelta(hours=4), "late", range(2_000, 2_100))
    forgotten = each_two_hours(now - timedelta(days=10), "forgotten", range(2_200, 2_300))
    posted = api.post(json.dumps([*late, *forgotten]).encode(), "/api/v1/lineage/batch")
    assert posted.json["summary"]["successful"] == len(late) + len(forgotten)
    guarded.wait_for_ingestion()
    assert due(api) == {("late", "LATE"), ("forgotten", "LATE")}
    guarded.lambda_.invoke(FunctionName=guarded.function("sweep"))
    assert due(api) == {("late", "LATE")}
    told = {alert["name"] for alert in api.get("alerts").json["alerts"] if alert["type"] == "Run Missing"}
    assert told == {"late"}


def due(api: Api) -> set[tuple[str, str]]:
    return {(each["job"]["name"], each["state"]) for each in api.get("expectations").json["expectations"]}
