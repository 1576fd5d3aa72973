"""The events of a submission are counted on the server, and no others."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.cli.api import Api
from headwater.cli.submit import submission as module
from headwater.cli.submit.submission import CAPTURED, PROPERTY, ArrivedEvents, Submission
from tests.cli.submit.conftest import Key
from tests.serve.process import ServeProcess

SINCE = datetime.now(UTC) - timedelta(minutes=1)


def event(job: str, run_id: str, kind: str = "START", output: str = "", submission: Submission | None = None) -> Any:
    properties = {"_producer": "p:", "_schemaURL": "p:", "properties": {PROPERTY: submission.id}} if submission else {}
    return {
        "eventTime": datetime.now(UTC).isoformat(),
        "eventType": kind,
        "producer": "https://example.com/spark",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id, "facets": {"spark_properties": properties} if properties else {}},
        "job": {"namespace": "shop", "name": job},
        "outputs": [{"namespace": "file", "name": output}] if output else [],
    }


@pytest.fixture
def submission() -> Submission:
    return Submission.new()


def test_its_events_are_counted_beside_others(server: ServeProcess, submission: Submission) -> None:
    application, query, other = (str(uuid.uuid4()) for _ in range(3))
    server.post_all(
        [
            event("app", application, submission=submission),
            event("app", application, kind="OTHER"),  # of headwater.spark, which reports on the application's run
            event("app", other, output="/lake/other", submission=Submission.new()),
            event("app.query", query, output="/lake/a", submission=submission),
            event("app", application, kind="COMPLETE", submission=submission),
        ]
    )
    arrivals = submission.arrivals(Api(server.url, server.key), SINCE, delivered=4)
    assert arrivals == ArrivedEvents(4, node="dataset:file:/lake/a")
    assert arrivals.see == "headwater lineage dataset:file:/lake/a"
    assert {(run.job, run.run_id) for run in arrivals.runs} == {("app", application), ("app.query", query)}


def test_an_application_that_writes_nothing_shows_its_runs(server: ServeProcess, submission: Submission) -> None:
    server.post_all([event("app", str(uuid.uuid4()), submission=submission)])
    assert submission.arrivals(Api(server.url, server.key), SINCE, delivered=1).see == "headwater runs job:shop:app"


def test_pages_are_read_up_to_a_limit(
    server: ServeProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.post_all([event("app", str(uuid.uuid4()), submission=submission) for _ in range(5)])
    server.wait_until_folded()
    monkeypatch.setattr(module, "AT_A_TIME", 2)
    client = Api(server.url, server.key)
    assert submission.counted(client, SINCE).count == 5
    monkeypatch.setattr(module, "PAGES", 2)
    arrivals = submission.counted(client, SINCE)
    assert (arrivals.count, arrivals.is_cut) == (4, True)


def test_without_lines_in_the_log_the_number_is_that_which_does_not_change(
    server: ServeProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "STILL_SECONDS", 0.1)
    assert submission.arrivals(Api(server.url, server.key), SINCE, delivered=0).count == 0


def test_what_does_not_arrive_in_time_is_not_counted(
    server: ServeProcess, submission: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SETTLE_SECONDS", 0.1)
    assert submission.arrivals(Api(server.url, server.key), SINCE, delivered=3).count == 0


def test_why_the_number_is_not_known(server: ServeProcess, submission: Submission, make_key: Key) -> None:
    writer = make_key("writer", "--scope", "ingest")
    for url, key, why in (
        (server.url, writer, "the key may not read"),
        (server.url, "removed", "the key is not valid any more"),
        ("http://127.0.0.1:1", writer, "the server has no answer"),
        (f"{server.url}/stage", server.key, "the server answered 404"),
    ):
        assert submission.arrivals(Api(url, key), SINCE, delivered=3).unknown == why


def test_the_listener_reports_the_submission_beside_what_the_user_wants() -> None:
    by_default = Submission.marked({"spark.openlineage.namespace": "shop"})
    assert by_default[CAPTURED] == f"spark.master,spark.app.name,{PROPERTY}"
    assert by_default["spark.openlineage.namespace"] == "shop"
    assert Submission.marked({CAPTURED: "spark.app.id"})[CAPTURED] == f"spark.app.id,{PROPERTY}"


def test_what_was_set_aside_of_its_events_is_told_without_the_indexes(
    server: ServeProcess, make_key: Key, submission: Submission
) -> None:
    described = event("app", str(uuid.uuid4()), submission=submission)
    schema = {"_producer": "p:", "_schemaURL": "p:", "fields": [{"name": "id"}]}
    described["inputs"] = [
        {"namespace": "s3://other", "name": name, "facets": {"schema": schema}} for name in ("a", "b")
    ]
    narrow = make_key("narrow", "--scope", "ingest", "--namespace", "shop", "--namespace", "file")
    assert Api(server.url, narrow).post(described).status == 201
    assert submission.arrivals(Api(server.url, server.key), SINCE, delivered=1).set_aside == ("inputs.facets",)
