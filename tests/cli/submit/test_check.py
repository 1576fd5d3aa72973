"""The check before Spark starts posts as the listener will post, and takes the canary out where the key may."""

import time

import pytest

from headwater.cli.api import Api
from headwater.cli.doctor.canary import JOB
from headwater.cli.doctor.finding import Blame, Diagnosis
from headwater.cli.doctor.listener import Listener
from headwater.cli.submit import check as module
from headwater.cli.submit.check import check
from tests.cli.submit.conftest import Key
from tests.serve.process import ServeProcess

NAMESPACE = "shop"


def jobs(server: ServeProcess) -> list[str]:
    return [job["name"] for job in server.get(f"/api/v1/namespaces/{NAMESPACE}/jobs")["jobs"]]


def blamed(client: Api) -> Blame | None:
    with pytest.raises(Diagnosis) as raised:
        check(Listener(client, NAMESPACE))
    assert raised.value.finding.fix
    return raised.value.finding.blame


def test_a_good_key_costs_one_line_and_leaves_nothing_behind(server: ServeProcess) -> None:
    assert check(Listener(Api(server.url, server.key), NAMESPACE)) == (
        "the canary was found in the graph and taken out"
    )
    assert jobs(server) == []


def test_a_key_that_may_not_delete_leaves_the_canary_and_says_so(server: ServeProcess, make_key: Key) -> None:
    first_line = check(Listener(Api(server.url, make_key("plain")), NAMESPACE))
    assert first_line == f"the canary was found in the graph, and stays as the job {JOB}, since the key may not delete"
    assert jobs(server) == [JOB]


def test_a_key_that_may_not_read_is_enough_for_a_listener(server: ServeProcess, make_key: Key) -> None:
    first_line = check(Listener(Api(server.url, make_key("writer", "--scope", "ingest")), NAMESPACE))
    assert first_line == f"the canary was taken, and stays as the job {JOB}, since the key may not read"


def test_what_keeps_the_graph_empty_is_found(server: ServeProcess, make_key: Key) -> None:
    assert blamed(Api(server.url, "wrong")) is Blame.KEY
    assert blamed(Api(server.url, make_key("other", "--namespace", "other"))) is Blame.KEY
    assert blamed(Api(server.url, server.key, lineage="/x/lineage")) is Blame.PATH
    assert blamed(Api("http://127.0.0.1:1", server.key)) is Blame.NETWORK


def test_a_slow_fold_does_not_keep_the_program_from_starting(
    server: ServeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_yet(*_: object) -> set[str]:
        return set()

    monkeypatch.setattr("headwater.cli.doctor.canary.linked", not_yet)
    monkeypatch.setattr(module, "SECONDS", 0.1)
    begun = time.monotonic()
    assert "`headwater doctor` may say why" in check(Listener(Api(server.url, server.key), NAMESPACE))
    assert time.monotonic() - begun < 30
