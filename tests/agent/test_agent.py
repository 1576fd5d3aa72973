"""The jar beside OpenLineage's listener, in a real Spark."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.build import JAR, build, javac
from headwater.cli.jvm.installed_spark import spark_jars, spark_java
from headwater.cli.jvm.spark_submit import SparkSubmit
from headwater.cli.machine.state import state_folder
from headwater.store.memory import MemoryTable
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after
from tests.serve.process import ServeProcess, wait_for

COMPILER = javac()
PROGRAMS = Path(__file__).with_name("programs.py")
pytestmark = [
    pytest.mark.spark,
    pytest.mark.engine,
    pytest.mark.skipif(COMPILER is None, reason="there is no JDK to build the jar"),
]


@pytest.fixture(scope="module")
def jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    jar = tmp_path_factory.mktemp("jar") / JAR.name
    build(jar, str(COMPILER))
    return jar


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="module")
def server(lake: Path) -> Iterator[ServeProcess]:
    with ServeProcess(lake / "lineage.db", "--open") as server:
        yield server


@pytest.fixture(scope="module")
def events(jar: Path, lake: Path, server: ServeProcess) -> list[Document]:
    """The events of the programs, in the order in which they came."""
    state = state_folder()
    spark = SparkSubmit(spark_java(state), [*spark_jars(state), jar], server.url, "none", lake)
    spark.run(PROGRAMS, lake=lake)
    server.wait_until_folded()
    newest: list[Document] = server.get("/api/v1/events/lineage?limit=1000")["events"]
    return newest[::-1]


@pytest.fixture(scope="module")
def table(events: list[Document]) -> MemoryTable:
    return table_after(*events)


@pytest.fixture
def get(table: MemoryTable) -> LookupClient:
    return LookupClient(table)


def unknown(get: LookupClient, table: Path) -> dict[str, list[str]]:
    answer = get("column-lineage", nodeId=f"dataset:file:{table}", depth=1)
    return {field: origin.get("candidates", []) for origin in answer.get("unknown", []) for field in origin["fields"]}


def sources(get: LookupClient, table: Path, column: str) -> set[str]:
    answer = get("column-lineage", nodeId=f"datasetField:file:{table}:{column}", depth=1)
    return {each["field"] for node in answer["graph"] for each in node["data"]["inputFields"]}


def last_runs(get: LookupClient) -> dict[str, Any]:
    """The last run of each query, by the end of its name."""
    jobs = get("jobs", limit=100)["jobs"]
    return {job["name"].rpartition("_")[2]: get(f"jobs/runs/{job['latestRun']['id']}") for job in jobs}


def test_columns_of_functions_are_made_of_their_arguments(get: LookupClient, lake: Path) -> None:
    assert sources(get, lake / "made", "price") == {"cost"}
    assert sources(get, lake / "words", "word") == {"name"}
    assert unknown(get, lake / "made") == unknown(get, lake / "words") == {}


def test_what_nobody_looks_into_has_candidates(get: LookupClient, lake: Path) -> None:
    assert set(unknown(get, lake / "piped")) == {"a", "b"}
    assert {"id", "cost"} <= set(unknown(get, lake / "piped")["a"])
    assert unknown(get, lake / "from_rdd") == {"id": [], "cost": [], "name": [], "k": []}


@pytest.mark.parametrize("name", ["late", "first"])
def test_a_write_that_fails_in_any_of_its_jobs_has_failed(get: LookupClient, name: str) -> None:
    run = last_runs(get)[name]
    assert run["state"] == "FAILED"
    assert "boom: 2" in run["message"]


def test_an_alert_tells_each_failure_once(server: ServeProcess, events: list[Document]) -> None:
    def told() -> list[str]:
        alerts = server.get("/api/v1/alerts?limit=100")["alerts"]
        return sorted(
            alert["details"]["job"]["name"].rpartition("_")[2] for alert in alerts if "job" in alert["details"]
        )

    wait_for(lambda: {"late", "first"} <= set(told()))
    assert [name for name in told() if name in {"late", "first"}] == ["first", "late"]


def test_a_write_that_goes_well_has_not(get: LookupClient) -> None:
    runs = last_runs(get)
    assert {runs[name]["state"] for name in ("raw", "made", "words", "piped")} == {"COMPLETED"}
    assert runs["made"]["runtime"]["tasks"] > 0


def test_beside_the_ends_of_the_listener_the_agent_sends_failures_alone(events: list[Document]) -> None:
    own = defaultdict(list)
    for event in events:
        if "/agent/" in event["producer"]:
            own[event["eventType"]].append(event["job"]["name"].rpartition("_")[2])
    assert set(own) == {"FAIL"}
    assert {"late", "first"} <= set(own["FAIL"])
    assert not [event for event in events if "headwater_agent" in event["run"]["facets"]]
