"""The doctor waits for its canary."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from headwater.cli.api import Api
from headwater.cli.doctor.__main__ import main
from headwater.cli.doctor.canary import JOB, wait_for_alert, wait_until_seen
from headwater.cli.doctor.finding import Blame, Diagnosis
from headwater.cli.refusal import Response
from tests import factory
from tests.serve.process import ServeProcess


class Answers:
    """An API that gives these answers, one after the other."""

    def __init__(self, *answers: tuple[int, dict[str, Any]]) -> None:
        self.left: Iterator[tuple[int, dict[str, Any]]] = iter(answers)

    def get(self, *_path: str, **_query: object) -> Response:
        status, body = next(self.left)
        return Response(status, json.dumps(body), 0.0)


COMPLETED = (200, {"state": "COMPLETED"})


def test_a_refusal_by_api_gateway_itself_is_no_answer() -> None:
    """While the authoriser fails, API Gateway refuses what the key may do."""
    answers = Answers((403, {"message": "Forbidden"}), COMPLETED)
    wait_until_seen(cast(Api, answers), "prod", "a run", seconds=30)
    assert next(answers.left, None) is None


def test_a_key_that_may_not_read_is_to_blame() -> None:
    lacking = (403, {"code": 403, "message": "key: lacks the scope read"})
    with pytest.raises(Diagnosis) as raised:
        wait_until_seen(cast(Api, Answers(lacking, COMPLETED)), "prod", "a run", seconds=30)
    assert raised.value.finding.blame is Blame.KEY


def test_a_server_raises_the_alert_which_stays_where_the_canary_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        client = Api(server.url)
        assert client.post(factory.run_event("COMPLETE", outputs=[factory.dataset("orders")])).status == 201
        assert main(["--url", server.url, "--namespace", "demo", "--alert"]) == 0
        assert "a test run failed, and its alert was raised after" in capsys.readouterr().out
        (alert,) = client.get("alerts", namespace="demo").body["alerts"]
        assert (alert["type"], alert["name"]) == ("Run Failed", JOB)
        assert client.get("namespaces", "demo", "jobs", JOB).status == 404


class Alerts:
    """A stack that takes events. Its alerts are of these runs, and `of_the_canary` of each run that is posted, too."""

    def __init__(self, *runs: str, of_the_canary: bool = False) -> None:
        self.runs = list(runs)
        self.of_the_canary = of_the_canary
        self.posted: list[tuple[str, str]] = []

    def post(self, document: Any) -> Response:
        self.posted.append((document["eventType"], document["run"]["runId"]))
        if self.of_the_canary:
            self.runs.append(document["run"]["runId"])
        return Response(201, "{}", 0.0)

    def get(self, *_path: str, **_query: object) -> Response:
        alerts = [{"details": {"run": {"runId": run}}} for run in self.runs] + [{"details": {}}]
        return Response(200, json.dumps({"alerts": alerts}), 0.0)


def test_the_alert_of_a_run_that_fails_is_awaited() -> None:
    stack = Alerts("an earlier run", of_the_canary=True)
    assert wait_for_alert(cast(Api, stack), "prod") < 30
    (start, run), (end, same) = stack.posted
    assert (start, end, run) == ("START", "FAIL", same)


def test_an_alert_of_another_run_is_none_of_the_test() -> None:
    with pytest.raises(Diagnosis) as raised:
        wait_for_alert(cast(Api, Alerts("an earlier run")), "prod", seconds=0.5)
    assert raised.value.finding.blame is Blame.STACK
    assert "no alert of it was raised" in raised.value.finding.what
