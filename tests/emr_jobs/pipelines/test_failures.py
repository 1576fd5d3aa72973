"""Run states of jobs that fail, are killed or are retried, and the seconds that a faulty endpoint costs a job."""

import json
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

from headwater.cli.doctor.__main__ import main as doctor
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python, started, wait_until
from tests.upstream import Upstream, serving

pytestmark = [pytest.mark.spark, pytest.mark.emulator, pytest.mark.engine]

CLEAN = PROGRAMS / "orders" / "clean_orders.py"
COST_SECONDS = 15
"""How much longer a job with a handful of events may take because of its endpoint, on a busy machine."""


def raw_orders(cluster: Cluster, count: int) -> Path:
    run_python(PROGRAMS / "orders" / "generate_orders.py", "--output", cluster.path("raw"), "--count", count)
    return cluster.path("raw")


def test_a_failed_job_is_failed_though_the_listener_reports_its_application_complete(cluster: Cluster) -> None:
    with pytest.raises(Failure, match="bad row in raw orders"):
        cluster.spark().run(CLEAN, raw=raw_orders(cluster, 80), clean=cluster.path("clean"), strict=True)
    (application,) = cluster.runs("clean_orders")
    (failed,) = application["failedChildren"]
    assert failed["job"]["name"].startswith("clean_orders.execute_insert")
    assert cluster.answer("jobs", "runs", failed["runId"])["state"] == "FAILED"


def test_a_killed_and_retried_job_has_the_same_states_after_any_repetition_of_its_events(cluster: Cluster) -> None:
    paths: dict[str, object] = {"raw": raw_orders(cluster, 200_000), "clean": cluster.path("clean")}
    with started(cluster.spark(), CLEAN, **paths) as process:
        wait_until(lambda: cluster.api.get("namespaces", cluster.namespace, "jobs", "clean_orders").status == 200)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    cluster.spark().run(CLEAN, **paths)
    before = observed(cluster)
    assert before["states"] == ["COMPLETED", "RUNNING"], "of the killed one nobody ever heard an end"
    assert before["drawn"] == drawing("raw -> clean_orders -> clean")

    events = [event for event in cluster.answer("events", "lineage", limit="1000")["events"] if is_of(event, cluster)]
    assert cluster.api.post(json.dumps(events).encode(), "/api/v1/lineage/batch").json["status"] == "success"
    assert observed(cluster) == before


def observed(cluster: Cluster) -> dict[str, object]:
    states = [run["state"] for run in cluster.runs("clean_orders")]
    return {"states": states, "drawn": cluster.drawn("clean", rollup="parent"), "job": cluster.job("clean_orders")}


def is_of(event: dict[str, dict[str, object]], cluster: Cluster) -> bool:
    return event.get("job", {}).get("namespace") == cluster.namespace  # a dataset event has no job


@contextmanager
def endpoint(kind: str, cluster: Cluster) -> Iterator[tuple[str, str]]:
    """The URL and key of an API that takes no event, in one way or another."""
    if kind == "slow":
        with serving(Upstream(delay=6)) as upstream:
            yield upstream.url, "a-key-for-nobody"
    else:
        url = f"http://127.0.0.1:{free_port()}" if kind == "dead" else cluster.stack.url
        yield url, "a-key-for-nobody"


@pytest.mark.parametrize("kind", ["dead", "refusing", "slow"])
def test_an_endpoint_that_takes_no_event_fails_no_job_and_holds_none_up_for_long(cluster: Cluster, kind: str) -> None:
    raw = raw_orders(cluster, 80)
    alone = seconds_alone(cluster)
    with endpoint(kind, cluster) as (url, key):
        start = time.monotonic()
        log = cluster.spark(url=url, key=key).run(CLEAN, raw=raw, clean=cluster.path("clean"))
        took = time.monotonic() - start
    assert took < 2 * alone + COST_SECONDS, "twice: the machine may be busier than it was alone"
    assert list(cluster.path("clean").glob("part-*")), log.read_text(encoding="utf-8")
    assert key not in log.read_text(encoding="utf-8")
    assert cluster.api.get("namespaces", cluster.namespace).status == 404, "nothing arrived"


@cache
def _alone() -> dict[str, float]:
    return {}


def test_a_listener_that_sends_nothing_fails_no_job_and_the_doctor_finds_the_cause(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    silent = cluster.spark(**{"transport.type": "async_http"})
    silent.run(CLEAN, raw=raw_orders(cluster, 80), clean=cluster.path("clean"))
    assert cluster.api.get("namespaces", cluster.namespace).status == 404, "nothing arrived"
    assert doctor(["--spark-defaults", str(cluster.path("spark.conf"))]) == 1
    assert "[the listener is to blame] spark.openlineage.transport.type is async_http" in capsys.readouterr().out


def seconds_alone(cluster: Cluster) -> float:
    """How long the job takes without the listener, measured once."""
    if "seconds" not in _alone():
        spark = cluster.spark()
        without = type(spark)(
            spark.java_home, spark.jars, "", "", spark.folder, more_settings={"spark.extraListeners": ""}
        )
        start = time.monotonic()
        without.run(CLEAN, raw=cluster.path("raw"), clean=cluster.path("alone"))
        _alone()["seconds"] = time.monotonic() - start
    return _alone()["seconds"]
