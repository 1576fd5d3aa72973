"""An alert on the bus reaches each subscriber and Datadog once, unchanged."""

import json
import re
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from local.alerts.queue import AlertQueue, SentAlert, subscribe
from local.stack.lifecycle import Stack
from tests.alert_samples import TYPES, Detail, put, schema_changed

pytestmark = pytest.mark.emulator

ROOT = Path(__file__).parents[2]

ARRIVAL_SECONDS = 10
QUIET_SECONDS = 1

NASTY = {
    "title": 'a "title" with \\ and é and 漢字',
    "lines": ['a "sentence".', "a second\nline\tand more", ""],
    "text": '%%% \n- **bold** "quoted"\n- `<title>` \\n\n %%%',
    "owners": [],
    "link": None,
    "name": 'a/"b"\n<detail>',
}
HERE = {"namespace": "s3://here", "owners": ["finance"], "severity": "critical"}
ELSEWHERE = [
    HERE | {"namespace": "s3://elsewhere"},
    HERE | {"owners": ["marketing"]},
    HERE | {"owners": []},
    HERE | {"severity": "info"},
]
FILTER = {"namespace": ["s3://here"], "owners": ["finance"], "severity": ["critical", "warning"]}


def test_a_subscriber_gets_the_alerts_that_match_its_filter_and_no_others(shared_stack: Stack) -> None:
    queue = subscribed(shared_stack, FILTER)
    wanted = [made(**HERE), made(**HERE | {"owners": ["sales", "finance"], "severity": "warning"})]
    publish(shared_stack, *wanted, *(made(**change) for change in ELSEWHERE))
    assert ids(received(queue, len(wanted))) == Counter(alert["id"] for alert in wanted)


@pytest.mark.parametrize("detail_type", TYPES)
def test_every_type_of_alert_reaches_subscribers_and_datadog_each_once(shared_stack: Stack, detail_type: str) -> None:
    run = uuid.uuid4().hex
    queue = subscribed(shared_stack, {"namespace": [run]})
    sent = [made(namespace=run) for _ in range(5)]
    publish(shared_stack, *sent, detail_type=detail_type)
    got = received(queue, len(sent))
    assert ids(got) == Counter(alert["id"] for alert in sent) == at_datadog(shared_stack, sent)
    assert {alert.message["alert"] for alert in got} == {detail_type}


def test_an_alert_arrives_unchanged(shared_stack: Stack) -> None:
    sent = made(**NASTY)
    queue = subscribed(shared_stack, {"id": [sent["id"]]})
    publish(shared_stack, sent)
    (alert,) = received(queue, 1)
    assert (alert.detail, alert.message["explanation"]) == (sent, sent["lines"])
    assert at_datadog(shared_stack, [sent]) == Counter([sent["id"]])
    (event,) = [event for event in shared_stack.datadog.events() if f"id:{sent['id']}" in event["tags"]]
    assert (event["title"], event["text"]) == (sent["title"], sent["text"])


def test_the_documented_filter_of_a_team_gets_its_own_alerts_and_those_that_name_it(shared_stack: Stack) -> None:
    document = (ROOT / "docs" / "alerts.md").read_text()
    pattern = next(block for block in re.findall(r"```json\n(.*?)```", document, re.DOTALL) if "$or" in block)
    queue = subscribed(shared_stack, json.loads(pattern))
    own = [
        made(namespace="team-a", owners=[]),
        made(namespace="s3://a-lake", owners=[]),
        made(namespace="s3://b-lake", owners=["team-b", "team-a"]),
    ]
    others = [
        made(namespace="team-b", owners=["team-b"]),
        made(namespace="s3://b-lake", owners=[]),
        made(namespace="team-a", owners=["team-a"], severity="info"),
    ]
    publish(shared_stack, *own, *others)
    assert ids(received(queue, len(own))) == Counter(alert["id"] for alert in own)


def test_every_alert_is_in_the_archive(shared_stack: Stack) -> None:
    before = archived(shared_stack)
    publish(shared_stack, made(), made())
    assert archived(shared_stack) >= before + 2


def made(**changes: Any) -> Detail:
    return schema_changed(uuid.uuid4().hex, **changes)


def subscribed(stack: Stack, pattern: dict[str, Any]) -> AlertQueue:
    deployment = stack.deployment
    by_body = {"FilterPolicyScope": "MessageBody", "FilterPolicy": json.dumps(pattern)}
    queue = f"test-{uuid.uuid4().hex}"
    return subscribe(deployment.account, deployment.outputs["AlertTopicArn"], queue, **by_body)


def publish(stack: Stack, *alerts: Detail, detail_type: str = TYPES[0]) -> None:
    deployment = stack.deployment
    put(deployment.account.events, deployment.outputs["AlertBusName"], *alerts, detail_type=detail_type)


def received(queue: AlertQueue, count: int) -> list[SentAlert]:
    """Wait for so many alerts, and a little longer for any that should not come."""
    deadline, alerts = time.monotonic() + ARRIVAL_SECONDS, list[SentAlert]()
    while len(alerts) < count and time.monotonic() < deadline:
        alerts += queue.receive(1)
    return alerts + queue.receive(QUIET_SECONDS)


def ids(alerts: list[SentAlert]) -> Counter[str]:
    return Counter(alert.message["id"] for alert in alerts)


def at_datadog(stack: Stack, sent: list[Detail]) -> Counter[str]:
    """Wait until Datadog has these alerts, and return how often it has each."""
    deadline, wanted = time.monotonic() + ARRIVAL_SECONDS, {f"id:{alert['id']}" for alert in sent}
    while True:
        tags = [tag for event in stack.datadog.events() for tag in event["tags"] if tag in wanted]
        if len(tags) >= len(wanted) or time.monotonic() > deadline:
            return Counter(tag.removeprefix("id:") for tag in tags)
        time.sleep(0.1)


def archived(stack: Stack) -> int:
    events = stack.deployment.account.events
    (archive,) = events.list_archives(EventSourceArn=stack.deployment.outputs["AlertArchiveSourceArn"])["Archives"]
    return int(archive["EventCount"])
