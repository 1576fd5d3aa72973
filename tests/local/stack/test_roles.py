"""The whole path with the roles of template.yaml enforced, and its answers while a permission is missing."""

import gzip
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.failure import CommandFailure
from headwater.cli.machine.ports import free_port
from local.alerts.queue import subscribe
from local.layout import Layout
from local.stack.function_logs import log_lines
from local.stack.lifecycle import Stack, StackOptions, run_stack
from local.stack.metrics import Metrics
from tests.alert_samples import put, schema_changed

pytestmark = pytest.mark.emulator

EVENTS = (Path(__file__).parents[2] / "fixtures" / "spark-3.5" / "orders.jsonl").read_bytes().splitlines()
INGESTION_SECONDS = 120


@pytest.fixture(scope="module")
def running() -> Iterator[Stack]:
    with run_stack(StackOptions(Layout.here(), "test-roles", free_port(), iam=True), lambda _: None) as running:
        yield running


def post(running: Stack, event: bytes) -> tuple[int, dict[str, str], Any]:
    headers = {"Authorization": f"Bearer {running.key}", "Content-Type": "application/json", "Content-Encoding": "gzip"}
    request = urllib.request.Request(f"{running.url}/api/v1/lineage", gzip.compress(event), headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
            return answer.status, dict(answer.headers), json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, dict(refused.headers), json.load(refused)


def folded(running: Stack, count: int) -> Metrics:
    deployment, deadline = running.deployment, time.monotonic() + INGESTION_SECONDS
    while True:
        metrics = Metrics(log_lines(deployment.account, deployment.resources["AWS::Logs::LogGroup"]))
        if metrics.total("EventsNormalised") >= count or time.monotonic() > deadline:
            return metrics
        time.sleep(0.2)


def test_events_go_all_the_way_with_the_roles_of_the_template(running: Stack) -> None:
    assert {post(running, event)[0] for event in EVENTS} == {201}
    metrics = folded(running, len(EVENTS))
    assert (metrics.total("EventsNormalised"), metrics.total("EventsQuarantined")) == (len(EVENTS), 0)
    sources = {
        (source["dataset"], source["field"])
        for node in running.api.ask("column-lineage", nodeId="dataset:file:/data/revenue_daily").document["graph"]
        if node["data"]["dataset"] == "/data/revenue_daily" and node["data"]["field"] == "total_revenue"
        for source in node["data"]["inputFields"]
    }
    assert ("/data/orders_clean", "order_total") in sources


def test_ingest_takes_nothing_that_it_may_not_send(running: Stack) -> None:
    with without(running, "Ingest", "sqs:SendMessageBatch"):
        status, headers, body = post(running, EVENTS[0])
    assert (status, body["code"]) == (503, 503)
    assert int(headers["Retry-After"]) >= 1
    assert post(running, EVENTS[0])[0] == 201


def test_lookup_reads_nothing_that_it_may_not_query(running: Stack) -> None:
    with (
        without(running, "Lookup", "dynamodb:Query"),
        pytest.raises(CommandFailure, match=r"cannot answer now \(503\)"),
    ):
        running.api.ask("namespaces")
    deadline = time.monotonic() + INGESTION_SECONDS
    while not any("AccessDenied" in line and "dynamodb:Query" in line for line in logged(running, "lookup")):
        assert time.monotonic() < deadline
    assert running.api.ask("namespaces").document["namespaces"]


def test_alerts_are_delivered_with_the_roles_and_policies_of_the_template(running: Stack) -> None:
    account, outputs = running.deployment.account, running.deployment.outputs
    queue = subscribe(account, outputs["AlertTopicArn"], "alerts")
    put(account.events, outputs["AlertBusName"], sent := schema_changed("a" * 32))
    assert [alert.detail for alert in queue.receive(10)] == [sent]
    deadline = time.monotonic() + INGESTION_SECONDS
    while not running.datadog.events() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [event["title"] for event in running.datadog.events()] == [sent["title"]]


@contextmanager
def without(running: Stack, function: str, action: str) -> Iterator[None]:
    """Take the permission for one action from a function's role for the length of a `with` block."""
    iam = running.deployment.account.iam
    (role,) = (role for role in running.deployment.resources["AWS::IAM::Role"] if f"-{function}Role-" in role)
    names = iam.list_role_policies(RoleName=role)["PolicyNames"]
    policies = {name: iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"] for name in names}
    for name, document in policies.items():
        put_policy(running, role, name, [less(statement, action) for statement in document["Statement"]])
    try:
        yield
    finally:
        for name, document in policies.items():
            put_policy(running, role, name, document["Statement"])


def less(statement: dict[str, Any], action: str) -> dict[str, Any]:
    actions = [statement["Action"]] if isinstance(statement["Action"], str) else statement["Action"]
    return statement | {"Action": [kept for kept in actions if kept != action] or ["none:Nothing"]}


def put_policy(running: Stack, role: str, name: str, statements: list[dict[str, Any]]) -> None:
    document = json.dumps({"Version": "2012-10-17", "Statement": statements})
    running.deployment.account.iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=document)


def logged(running: Stack, function: str) -> Iterator[str]:
    groups = [group for group in running.deployment.resources["AWS::Logs::LogGroup"] if group.endswith(f"/{function}")]
    return log_lines(running.deployment.account, groups)
