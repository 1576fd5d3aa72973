"""A key that writes a namespace and does not read it learns nothing of it from the answers to what it writes."""

from dataclasses import replace

import pytest

from headwater.access.principal import Principal
from tests.access.teams import B_LAKE, B_REPORT_RUN, B_RUN, Answer, B, Stack, two_teams

PRODUCER = replace(B, key_id="b-producer", scopes=frozenset({"ingest"}))
WRITER = Principal("writer", frozenset({"ingest", "read", "curate"}), ("team-a",), writes=B.namespaces)
KEPT_BACK = ("ssn", "hunter2", "b-raw", "bea", "all orders of b")
ORDERS, JOB = f"namespaces/{B_LAKE}/datasets/orders", "namespaces/team-b/jobs/ingest_orders"
DECLARED = {"type": "DB_TABLE", "physicalName": "o", "sourceName": B_LAKE, "fields": [{"name": "total", "type": "int"}]}
WRITES = [
    ("POST", f"{ORDERS}/tags/PII", None),
    ("DELETE", f"{ORDERS}/tags/PII", None),
    ("POST", f"{ORDERS}/fields/id/tags/PII", None),
    ("PUT", f"{ORDERS}/owners", {"owners": ["a-team"]}),
    ("PUT", ORDERS, {"type": "DB_TABLE", "physicalName": "o", "sourceName": B_LAKE, "description": "mine"}),
    ("POST", f"{JOB}/tags/PII", None),
    ("DELETE", f"{JOB}/tags/PII", None),
    ("PUT", f"{JOB}/owners", {"owners": ["a-team"]}),
    ("PUT", JOB, {"type": "BATCH", "inputs": [], "outputs": [], "description": "mine"}),
    ("POST", f"{JOB}/runs", {"id": B_RUN}),
    ("POST", f"jobs/runs/{B_RUN}/complete", None),
    ("PUT", f"jobs/runs/{B_RUN}/good", {"note": "fine"}),
]


def written(stack: Stack, caller: Principal, method: str, path: str, body: object) -> Answer:
    answer = stack.write(caller, method, path, body)
    assert answer.status in (200, 201), answer
    return answer


@pytest.mark.parametrize("caller", [PRODUCER, WRITER], ids=["producer", "writer"])
@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_what_is_written_answers_with_the_name_and_what_was_sent(
    stack: Stack, caller: Principal, method: str, path: str, body: object
) -> None:
    answer = written(stack, caller, method, path, body)
    assert answer.secrets((*KEPT_BACK, B_REPORT_RUN)) == []
    assert any(word in answer.text for word in ("orders", "ingest_orders", B_RUN))


@pytest.mark.parametrize(("method", "path", "body"), WRITES)
def test_the_answer_has_the_shape_that_a_reader_gets(stack: Stack, method: str, path: str, body: object) -> None:
    told = written(stack, PRODUCER, method, path, body).body
    reader = written(two_teams(), B, method, path, body).body
    assert told.keys() <= reader.keys() | {"judgement"}
    assert set(reader.keys() - told.keys()) <= {"code", "criticality", "caution", "displayName"}


def test_what_was_sent_is_in_the_answer(stack: Stack) -> None:
    assert written(stack, PRODUCER, "POST", f"{ORDERS}/tags/PII", None).body["tags"] == ["PII"]
    field = written(stack, PRODUCER, "POST", f"{ORDERS}/fields/id/tags/PII", None).body["fields"]
    assert [(each["name"], each["tags"]) for each in field] == [("id", ["PII"])]
    owners = written(stack, PRODUCER, "PUT", f"{ORDERS}/owners", {"owners": ["a-team"]}).body["facets"]["ownership"]
    assert owners["owners"] == [{"name": "a-team"}]
    declared = written(stack, PRODUCER, "PUT", ORDERS, DECLARED | {"description": "mine"}).body
    assert [each["name"] for each in declared["fields"]] == ["total"]
    assert declared["description"] == "mine"
    note = written(stack, PRODUCER, "PUT", f"jobs/runs/{B_RUN}/good", {"note": "fine"}).body
    assert note["judgement"]["note"] == "fine"


def test_who_reads_the_namespace_gets_the_node_as_it_is(stack: Stack) -> None:
    answer = written(stack, B, "POST", f"{ORDERS}/tags/PII", None)
    assert "ssn" in [each["name"] for each in answer.body["fields"]]
    assert answer.body["description"] == "all orders of b"
