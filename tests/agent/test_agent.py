"""The jar beside OpenLineage's listener, in a real Spark."""

import json
import os
import re
import subprocess
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.build import build, javac
from headwater.cli.jvm.installed_spark import JAR, spark_home, spark_java
from headwater.cli.jvm.jars import LISTENER_PINS, SPARK_4_PINS, jar_files
from headwater.cli.jvm.spark_submit import LISTENER
from headwater.cli.machine.state import state_folder
from tests.alerts.stream import World
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after

COMPILER = str(javac())
HERE = Path(__file__).parent
SECONDS = 400
LOG = "log.txt"
JOB_RUN = "jr_8a1f5c"
OPENED = (
    *("java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.net", "java.nio", "java.util"),
    *("java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs"),
    *("sun.security.action", "sun.util.calendar"),
)
"""The packages of Java that Spark reaches into."""
pytestmark = [
    pytest.mark.spark,
    pytest.mark.engine,
    pytest.mark.skipif(javac() is None, reason="there is no JDK to build the jar"),
]


class Engine(NamedTuple):
    """A Spark and its listener, and what Spark says of a query whose task fails."""

    home: Path | None
    listener: Path = LISTENER_PINS
    scala: str = "2.12"
    failure: str = "Job aborted due to stage failure"


SPARK_3 = Engine(spark_home())
ENGINES = {
    "Spark 3.5, listener 1.53": SPARK_3,
    "Spark 3.5, listener 1.37": SPARK_3._replace(listener=HERE / "listener_1.37.sha256"),
    "Spark 4.1, listener 1.53": Engine(
        next((state_folder() / "spark4").glob("lib/python*/site-packages/pyspark"), None), SPARK_4_PINS, "2.13", "boom"
    ),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    engine = ENGINES[request.param]
    if engine.home is None:
        pytest.skip("Spark 4 is not installed: `make test` does that")
    return engine


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory, engine: Engine) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="module")
def events(lake: Path, engine: Engine) -> list[Document]:
    """The events of the programs, in the order in which they were sent."""
    with started(lake, "Programs", engine=engine) as process:
        process.wait(SECONDS)
    assert process.returncode == 0, (lake / LOG).read_text(encoding="utf-8")[-5_000:]
    return sent(lake)


@contextmanager
def started(
    lake: Path, program: str, spoil: Callable[[Path], None] | None = None, engine: Engine = SPARK_3
) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a Spark with the listener and the jar, which is killed at last. `spoil` does harm to the jar."""
    jar, state = lake / JAR.name, state_folder()
    build(jar, COMPILER)
    if spoil:
        spoil(jar)
    spark = (engine.home or spark_home()) / "jars"
    class_path = os.pathsep.join(map(str, [*jar_files(state, engine.listener), jar, spark / "*", lake]))
    source = HERE / f"{program}.java"
    subprocess.run([COMPILER, "-nowarn", "-cp", class_path, "-d", lake, source], check=True)  # noqa: S603
    options = [f"-D{name}={value}" for name, value in settings(lake, program.lower()).items()]
    options += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED]
    java = spark_java(state) / "bin" / "java"
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx1g"]
    command = [str(java), *quick, *options, "-cp", class_path, program, str(lake)]
    (lake / "jars").symlink_to(spark)
    cluster = {"SPARK_HOME": str(lake), "SPARK_SCALA_VERSION": engine.scala, "SPARK_LOCAL_IP": "127.0.0.1"}
    log = (lake / LOG).open("w")
    with log, subprocess.Popen(command, cwd=lake, env=os.environ | cluster, stdout=log, stderr=log) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


def settings(lake: Path, name: str) -> dict[str, str]:
    """The settings of an application that leaves its events in the lake's folder."""
    return {
        "spark.app.name": name,
        "spark.master": "local[2]",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.extraListeners": LISTENER,
        "spark.openlineage.namespace": "prod",
        "spark.glue.JOB_RUN_ID": JOB_RUN,
        "spark.glue.JOB_NAME": name,
        "spark.glue.GLUE_VERSION": "4.0",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(lake / "events.jsonl"),
    }


def sent(lake: Path) -> list[Document]:
    file = lake / "events.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True) if file.is_file() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


@pytest.fixture(scope="module")
def get(events: list[Document]) -> LookupClient:
    return LookupClient(table_after(*events))


def unknown(get: LookupClient, table: Path) -> dict[str, list[str]]:
    """The candidates of each column whose origin is unknown."""
    answer = get("column-lineage", nodeId=f"dataset:file:{table}", depth=1)
    return {field: origin.get("candidates", []) for origin in answer.get("unknown", []) for field in origin["fields"]}


def last_runs(get: LookupClient) -> dict[str, Any]:
    """The last run of each job, by the last word of its name."""
    jobs = get("jobs", limit=100)["jobs"]
    runs = {job["name"].replace(".", "_").rpartition("_")[2]: job["latestRun"]["id"] for job in jobs}
    return {name: get(f"jobs/runs/{run_id}") for name, run_id in runs.items()}


def test_constants_and_generated_values_are_not_of_unknown_origin(get: LookupClient, lake: Path) -> None:
    assert unknown(get, lake / "made") == {}


def test_what_nobody_looks_into_has_candidates(get: LookupClient, lake: Path) -> None:
    assert unknown(get, lake / "piped") == {"a": ["cost", "id"], "b": ["cost", "id"]}
    assert unknown(get, lake / "mapped") == {"value": ["cost", "id", "k", "name"]}
    assert unknown(get, lake / "parts") == unknown(get, lake / "grouped") == {"value": ["cost", "id", "k", "name"]}
    assert unknown(get, lake / "kept") == {}
    assert unknown(get, lake / "copied") == {"id": [], "cost": [], "name": [], "k": []}


@pytest.mark.parametrize("name", ["late", "first", "collect"])
def test_a_query_that_fails_in_any_of_its_jobs_has_failed(get: LookupClient, name: str, engine: Engine) -> None:
    run = last_runs(get)[name]
    assert run["state"] == "FAILED"
    assert engine.failure in run["message"]


def test_a_query_that_goes_well_has_not_and_its_tasks_are_told(get: LookupClient) -> None:
    runs = last_runs(get)
    assert {runs[name]["state"] for name in ("raw", "made", "piped", "mapped", "copied")} == {"COMPLETED"}
    assert runs["made"]["runtime"]["tasks"] > 0
    (application,) = get("runs", limit=10)["runs"]
    assert application["runtime"]["tasks"] > runs["made"]["runtime"]["tasks"]
    assert application["runtime"]["failedTasks"] > 0


def test_an_application_is_found_by_the_job_run_that_it_is_for_a_service(get: LookupClient) -> None:
    (found,) = get("search", q=JOB_RUN)["results"]
    run = get(f"jobs/runs/{found['runId']}")
    assert (run["job"]["name"], run["query"]) == ("programs", {"id": JOB_RUN, "source": "Glue"})
    assert run["environment"]["release"] == "Glue 4.0"
    assert run["environment"]["application"].startswith("local-")


def test_a_stage_says_what_it_does(get: LookupClient) -> None:
    runs = last_runs(get)
    does = {
        name: [stage.get("operation") for stage in runs[name]["runtime"]["stages"]] for name in ("totalled", "late")
    }
    both = ["scan", "aggregate"]
    assert does == {"totalled": both, "late": both}, "also of the last stage of `late`, whose only task failed"


def test_a_failure_that_the_listener_does_not_report_belongs_to_the_application(get: LookupClient) -> None:
    (application,) = get("runs", limit=10)["runs"]
    failed = {child["job"]["name"].replace(".", "_").rpartition("_")[2] for child in application["failedChildren"]}
    assert failed == {"late", "first", "collect"}


def test_the_jar_sends_failures_alone_and_has_no_fault(events: list[Document]) -> None:
    own = [event for event in events if "/agent/" in event["producer"]]
    assert {event["eventType"] for event in own} == {"FAIL"}
    assert not [event for event in events if "headwater_agent" in event["run"]["facets"]]


def test_the_listener_s_complete_of_a_query_that_failed_says_so(events: list[Document], engine: Engine) -> None:
    said = [event for event in events if "headwater_failed" in event["run"]["facets"]]
    own = {event["run"]["runId"] for event in events if "/agent/" in event["producer"]}
    assert "COMPLETE" in {event["eventType"] for event in said}
    assert {event["run"]["runId"] for event in said} <= own
    assert all(engine.failure in event["run"]["facets"]["errorMessage"]["message"] for event in said)


def test_every_failure_names_the_memory_that_ran_out_in_an_earlier_attempt(tmp_path: Path) -> None:
    with started(tmp_path, "Memory") as process:
        process.wait(SECONDS)
    events = sent(tmp_path)
    failures = [event["run"]["facets"] for event in events if event["eventType"] == "FAIL"]
    assert len(failures) == 2, "the listener's, which comes first, and the jar's"
    for facets in failures:
        assert "ExecutorLostFailure" in facets["errorMessage"]["message"]
        assert "OutOfMemoryError: Java heap space" in facets["errorMessage"]["message"]
        assert facets["headwater_runtime"]["failedTasks"] >= 2
    (alert,) = (alert for alert in World().alerts_one_by_one(events) if alert["alert"] == "Run Failed")
    assert "Memory ran out (OutOfMemoryError: Java heap space)." in alert["lines"]


def test_a_pipeline_may_use_all_that_was_read(tmp_path: Path) -> None:
    with started(tmp_path, "Fits") as process:
        process.wait(SECONDS)
    assert process.returncode == 0, (tmp_path / LOG).read_text(encoding="utf-8")[-5_000:]
    events = sent(tmp_path)
    assert not [event for event in events if "headwater_agent" in event["run"]["facets"]]
    jobs = LookupClient(table_after(*events))("jobs", limit=100)["jobs"]
    (job,) = (job for job in jobs if job.get("candidateInputs"))
    (saved,) = (event for event in events if "headwater_inputs" in event["run"]["facets"])
    assert not [each for each in saved["inputs"] if "/part-" in each["name"]], "a hundred files would leave no room"
    assert {Path(each["name"]).name for each in job["inputs"]} == {"looked", "kept", "trained"}, (
        "and not the table `scores`"
    )


NAMES = """
models/2026-11-26-churn > models_churn        models/2026-11-26-fraud > models_fraud
/models/20261126_eu > models_eu               /models/2026/11/26/churn > models_churn
/models/dt=2026-11-26/churn > models_churn    /models/churn_20261126T101500Z > models_churn
/models/run_1764194400000/churn > models_run_churn
/acc/123456789012/churn > acc_123456789012_churn
/tenants/10023456/churn > tenants_10023456_churn
/models/客户 > models_客户                      /2026-11-26 > model
/tmp/tmpa3k9x1_q/model > tmp_model            /mlflow/0b5a2c1e-7f6d-4c3b-9a8d-112233445566/p > mlflow_p
"""


def test_a_model_is_named_without_what_is_new_in_each_run(tmp_path: Path) -> None:
    named = dict(pair.split(" > ") for line in NAMES.strip().splitlines() for pair in re.split(" {2,}", line))
    jar = tmp_path / JAR.name
    build(jar, COMPILER)
    source = tmp_path / "Names.java"
    source.write_text(
        "package headwater.spark; public class Names { public static void main(String[] paths) {"
        " for (String path : paths) System.out.println(Models.nameOf(path)); } }",
        encoding="utf-8",
    )
    parts = [*jar_files(state_folder(), LISTENER_PINS), jar, spark_home() / "jars" / "*", tmp_path]
    class_path = os.pathsep.join(map(str, parts))
    subprocess.run([COMPILER, "-cp", class_path, "-d", tmp_path, source], check=True)  # noqa: S603
    java = str(spark_java(state_folder()) / "bin" / "java")
    utf8 = ["-Dfile.encoding=UTF-8", "-Dsun.jnu.encoding=UTF-8", "-Dstdout.encoding=UTF-8"]
    command = [java, *utf8, "-cp", class_path, "headwater.spark.Names", *named]
    printed = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"LC_ALL": "C.UTF-8"})  # noqa: S603
    assert printed.stdout.decode().split() == list(named.values())


@pytest.mark.parametrize("missing", ["Origins", "Queries", "Stream", "Agent", "RunFacets", "ColumnsFacet"])
def test_without_a_class_the_job_and_the_listener_go_on(tmp_path: Path, missing: str) -> None:
    def without(jar: Path) -> None:
        with zipfile.ZipFile(jar) as whole:
            entries = {name: whole.read(name) for name in whole.namelist() if not name.endswith(f"/{missing}.class")}
        with zipfile.ZipFile(jar, "w") as part:
            for name, content in entries.items():
                part.writestr(name, content)

    with started(tmp_path, "Broken", without) as process:
        process.wait(SECONDS)
    log = (tmp_path / LOG).read_text(encoding="utf-8")
    assert process.returncode == 0, log[-5_000:]
    assert log.count("headwater-spark failed") == 1
    events = sent(tmp_path)
    assert {"broken", "raw", "made"} <= {event["job"]["name"].rpartition("_")[2] for event in events}
    faults = {facet["fault"] for event in events if (facet := event["run"]["facets"].get("headwater_agent"))}
    assert len(faults) == (missing not in {"Agent", "RunFacets"}), "no class is left that writes the facet"
    assert all(missing in fault for fault in faults)
