"""With an audit, each function that answers requests writes one entry in one call; without, none makes a call more."""

import json
from typing import Any

import pytest

from events.envelopes import ADMINISTRATOR, get, post, write
from headwater.access.principal import Principal, Scope
from tests import factory
from tests.embedded import Deployed
from tests.functions.handlers import Function, function, recorded_calls
from tests.functions.own_queue import OwnQueue

pytestmark = pytest.mark.emulator

CALLER = Principal("audited", frozenset({Scope.INGEST, Scope.READ}), ("*",)).to_context()
REQUESTS: dict[str, dict[str, Any]] = {
    "ingest": post("/api/v1/lineage", factory.run_event(), CALLER),
    "lookup": get("/api/v1/tags"),
    "curate": write("DELETE", "/api/v1/namespaces/demo/jobs/no-such-job", None, ADMINISTRATOR),
}


def audited(deployed: Deployed, name: str, queue: OwnQueue, **variables: str) -> Function:
    environment = deployed.environment(name) | {"QUEUE_URL": queue.url, "AUDIT": "ON"} | variables
    return function(name, deployed.account.endpoint, environment)


@pytest.mark.parametrize("name", REQUESTS)
def test_an_audit_costs_one_call(deployed: Deployed, queue: OwnQueue, name: str) -> None:
    made = []
    for switch in ("OFF", "ON"):
        warm = audited(deployed, name, queue, AUDIT=switch)
        warm(REQUESTS[name])
        with recorded_calls() as calls:
            warm(REQUESTS[name])
        made.append(sorted(calls.made))
    assert sorted([*made[0], "PutItem"]) == made[1]


def test_the_entries_of_all_functions_are_in_one_list(deployed: Deployed, queue: OwnQueue) -> None:
    for number, (name, sample) in enumerate(REQUESTS.items()):
        request = json.loads(json.dumps(sample))
        request["requestContext"]["requestId"] = f"one-list-{number}"
        audited(deployed, name, queue)(request)
    listed = json.loads(audited(deployed, "lookup", queue)(get("/api/v1/audit?limit=50", ADMINISTRATOR))["body"])
    own = [entry for entry in listed["entries"] if entry["requestId"].startswith("one-list-")]
    assert [(entry["requestId"], entry["route"], entry["status"]) for entry in own] == [
        ("one-list-2", "DELETE /namespaces/{namespace}/jobs/{job}", 404),
        ("one-list-1", "GET /tags", 200),
        ("one-list-0", "POST /lineage", 201),
    ]
    assert listed["isAudited"] is True


def test_an_event_whose_entry_cannot_be_written_is_to_be_sent_again(deployed: Deployed, queue: OwnQueue) -> None:
    """The event is in the queue: the queue drops the repetition, or the fold joins it, in vain."""
    answer = audited(deployed, "ingest", queue, TABLE_NAME="there-is-no-such-table")(REQUESTS["ingest"])
    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (503, "1")
    assert "audit" in json.loads(answer["body"])["message"]
    assert audited(deployed, "ingest", queue)(REQUESTS["ingest"])["statusCode"] == 201
    assert len(queue.events()) == 1
