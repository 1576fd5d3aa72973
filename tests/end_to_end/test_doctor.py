"""The doctor names the faulty part of a broken stack, and finds no fault in a healthy stack."""

from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.cli.doctor import canary
from headwater.cli.doctor.__main__ import main
from headwater.cli.doctor.listener import LISTENER
from headwater.cli.machine.ports import free_port
from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed
from tests.end_to_end.api import Api

pytestmark = pytest.mark.emulator

Examine = Callable[..., tuple[int, str]]


@pytest.fixture
def examine(shared_stack: Stack, deployed: Deployed, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Examine:
    """Runs the doctor, by default on the stack of the session, and returns its status and its output."""

    def run(*options: str, url: str = "", key: str = "") -> tuple[int, str]:
        (tmp_path / "key").write_text(key or shared_stack.key, encoding="utf-8")
        arguments = ["--url", url or shared_stack.url, "--key-file", str(tmp_path / "key"), *options]
        return main(arguments), capsys.readouterr().out

    return run


def test_a_stack_that_events_reach_is_well(examine: Examine, api: Api, deployed: Deployed) -> None:
    assert api.post_event(factory.run_event("COMPLETE", job="of-the-doctor")).status == 201
    whole = factory.run_event("COMPLETE", run=903, job="load", outputs=[factory.dataset("orders")])
    assert api.post_event(whole).status == 201
    deployed.wait_for_ingestion()
    status, output = examine("--namespace", "demo")
    assert status == 0, output
    assert "[ok] a run was posted, and found upstream and downstream" in output
    assert f"in demo by {factory.PRODUCER}" in output
    assert "jobs that name no dataset" in output
    assert "to blame" not in output


def test_the_canary_is_taken_out_again(examine: Examine, api: Api, deployed: Deployed) -> None:
    examine("--namespace", "doctor-visit")
    deployed.wait_for_ingestion()
    for kind in ("jobs", "datasets"):
        assert api.get("namespaces", "doctor-visit", kind).json[kind] == []


def test_a_key_that_may_not_delete_is_told_that_the_canary_stays(examine: Examine) -> None:
    _, output = examine("--namespace", "doctor-team", key="for-a-doctor")
    assert "the canary stays in the graph (canary, canary/source, canary/target in doctor-team)" in output


def test_a_parent_that_never_reported_is_found(examine: Examine, api: Api, deployed: Deployed) -> None:
    child = factory.run_event(job="child-of-nobody", run=901, run_facets={"parent": factory.parent(902, "a-dag")})
    assert api.post_event(child).status == 201
    deployed.wait_for_ingestion()
    assert "a-dag" in next(line for line in examine()[1].splitlines() if "parents that never reported" in line)


def test_a_namespace_without_events_is_to_blame(examine: Examine) -> None:
    status, output = examine("--namespace", "another-prod")
    assert status == 1
    assert "[the namespace is to blame] no event has arrived in the namespace another-prod" in output


def test_without_a_server_the_network_is_to_blame(examine: Examine) -> None:
    status, output = examine(url=f"http://127.0.0.1:{free_port()}")
    assert (status, "[the network is to blame]" in output) == (1, True)


def test_an_unknown_path_is_to_blame_and_the_right_path_is_named(examine: Examine, shared_stack: Stack) -> None:
    status, output = examine(url=f"{shared_stack.url}/prod")
    assert (status, "[the path is to blame]" in output) == (1, True)
    assert f"drop the path: it is {shared_stack.url}." in output


@pytest.mark.parametrize("key", ["nobody-s", "expired", "for-reading", "for-ingesting", "for-a-team"])
def test_a_key_that_may_not_do_it_is_to_blame(examine: Examine, key: str) -> None:
    status, output = examine(key=key)
    assert (status, "[the key is to blame]" in output) == (1, True)
    assert "nobody-s" not in output


def test_a_key_of_some_namespaces_is_well_for_one_of_them(examine: Examine) -> None:
    _, output = examine("--namespace", "doctor-team", key="for-a-doctor")
    assert "[ok] a run was posted" in output


@pytest.fixture
def settings(shared_stack: Stack, tmp_path: Path) -> Callable[..., str]:
    """Writes a file of Spark settings with a listener, and returns its path."""

    def write(key: str = "", **changes: str) -> str:
        key = key or shared_stack.key
        transport = {"type": "http", "url": shared_stack.url, "auth.type": "api_key", "auth.apiKey": key, **changes}
        lines = [f"spark.extraListeners {LISTENER}", "spark.openlineage.namespace doctor-jobs"]
        lines += [f"spark.openlineage.transport.{name} {value}" for name, value in transport.items()]
        (tmp_path / "spark-defaults.conf").write_text("\n".join(lines), encoding="utf-8")
        return str(tmp_path / "spark-defaults.conf")

    return write


def test_a_listeners_settings_are_tried_as_it_would_use_them(examine: Examine, settings: Callable[..., str]) -> None:
    _, output = examine("--spark-defaults", settings())
    assert "as the listener does in doctor-jobs" in output
    assert "[ok] the listener's settings are good" in output
    assert "[ok] a run was posted, and found upstream and downstream" in output


def test_a_listeners_key_need_not_read(examine: Examine, settings: Callable[..., str]) -> None:
    status, output = examine("--spark-defaults", settings("for-ingesting"), key="for-ingesting")
    assert (status, "its key may not read" in output) == (0, True)


def test_the_listeners_part_that_is_wrong_is_to_blame(examine: Examine, settings: Callable[..., str]) -> None:
    def blame(*options: str, **changes: str) -> str:
        status, output = examine("--spark-defaults", settings(**changes), *options)
        assert status == 1
        return next(line for line in output.splitlines() if "to blame" in line)

    assert blame(type="async_http").startswith("[the listener is to blame]")
    assert blame(endpoint="/prod/api/v1/lineage").startswith("[the path is to blame]")
    assert blame(url=f"http://127.0.0.1:{free_port()}").startswith("[the network is to blame]")
    assert blame("--namespace", "prod").startswith("[the namespace is to blame]")
    assert blame(key="nobody-s").startswith("[the key is to blame]")
    assert blame(key="for-reading").startswith("[the key is to blame]")


def test_without_events_of_jobs_the_listener_is_to_blame(examine: Examine) -> None:
    status, output = examine("--namespace", "silent-jobs", key="for-silent-jobs")
    assert (status, "[the listener is to blame] no event has arrived except the canary's" in output) == (1, True)


def test_events_that_are_taken_and_never_folded_are_the_stacks_fault(
    examine: Examine, deployed: Deployed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canary, "SEEN_SECONDS", 1)
    with deployed.queue_paused():
        status, output = examine()
    assert (status, "[the stack is to blame] the canary was taken" in output) == (1, True)
    deployed.wait_for_ingestion()


def test_a_response_later_than_the_timeout_of_the_listener_is_found(
    examine: Examine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canary, "LISTENER_SECONDS", 0)
    status, output = examine()
    assert (status, "the Spark listener gives up" in output) == (1, True)
