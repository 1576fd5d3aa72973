"""Columns of programs in PySpark and spark-shell, with the jar; their origins were written before they first ran."""

import os
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from agent.build import build
from headwater.cli.jvm.installed_spark import JAR, spark_home, spark_java
from headwater.cli.jvm.jars import LISTENER_PINS, jar_files
from headwater.cli.jvm.spark_submit import driver_environment
from headwater.cli.machine.state import state_folder
from tests.agent import test_agent
from tests.agent.test_agent import COMPILER, HERE, SECONDS, sent, settings, unknown
from tests.lookup.requests import LookupClient, table_after

pytestmark = test_agent.pytestmark

Origins = dict[str, set[str]]
PEOPLE = ["city", "cost", "id", "k", "name"]
ORDERS = ["amount", "note", "oid", "pid"]


def run(lake: Path, program: str) -> LookupClient:
    """A program in Python or Scala, to its end."""
    jar = lake / JAR.name
    build(jar, COMPILER)
    jars = ":".join(map(str, [*jar_files(state_folder(), LISTENER_PINS), jar]))
    own = {"spark.driver.extraClassPath": jars, "spark.openlineage.columnLineage.descriptionsEnabled": "true"}
    options = [f"--conf={name}={value}" for name, value in (settings(lake, "programs") | own).items()]
    source, spark = HERE / program, spark_home() / "bin"
    is_scala = source.suffix == ".scala"
    command: list[str | Path] = [spark / "spark-shell", *options]
    if not is_scala:
        command = [spark / "spark-submit", *options, source, lake]
    typed = f'val lake = "{lake}"\n{source.read_text(encoding="utf-8")}' if is_scala else ""
    environment = os.environ | driver_environment(spark_java(state_folder()))
    done = subprocess.run(  # noqa: S603
        command, input=typed, env=environment, cwd=lake, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr[-5_000:]
    events = sent(lake)
    assert not [event for event in events if "headwater_agent" in event["run"]["facets"]]
    return LookupClient(table_after(*events))


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> tuple[LookupClient, Path]:
    lake = tmp_path_factory.mktemp("python")
    return run(lake, "programs.py"), lake


@pytest.fixture(scope="module")
def scala(tmp_path_factory: pytest.TempPathFactory) -> tuple[LookupClient, Path]:
    lake = tmp_path_factory.mktemp("scala")
    return run(lake, "programs.scala"), lake


def certain(get: LookupClient, table: Path) -> Origins:
    """The columns that each column is directly made of."""
    answer = get("column-lineage", nodeId=f"dataset:file:{table}", depth=1)
    columns = [node["data"] for node in answer["graph"] if node["data"] and node["data"]["dataset"] == str(table)]
    return {
        column["field"]: {
            f"{Path(source['dataset']).name}.{source['field']}"
            for source in column["inputFields"]
            if any(step["type"] == "DIRECT" for step in source["transformations"])
        }
        for column in columns
    }


@pytest.mark.parametrize(
    ("name", "origins"),
    [
        ("arguments", {"net": {"people.cost", "people.k"}, "fixed": {"people.cost"}, "x": set()}),
        ("nested", {"loud": {"people.name", "people.city"}, "k": {"people.k"}}),
        ("totalled", {"city": {"people.city"}, "total": {"people.cost", "people.k"}}),
        ("joined", {"name": {"people.name"}, "amount": {"orders.amount"}}),
        ("united", {"name": {"people.name", "orders.note"}}),
        ("laterally", {"id": {"people.id"}, "word": {"people.tags"}, "size": {"people.tags"}}),
        ("rolled_up", {"city": {"people.city"}, "k": {"people.k"}, "cost": {"people.cost"}}),
        ("grouped_in_sets", {"town": {"people.city"}, "k": {"people.k"}, "n": set()}),
    ],
)
def test_columns_in_python(python: tuple[LookupClient, Path], name: str, origins: Origins) -> None:
    get, lake = python
    found = certain(get, lake / name)
    assert {column: found.get(column, set()) for column in origins} == origins
    assert unknown(get, lake / name) == ({"x": []} if name == "arguments" else {})


def test_a_result_of_a_table_function_may_be_of_any_column_of_its_table(python: tuple[LookupClient, Path]) -> None:
    get, lake = python
    assert unknown(get, lake / "of_a_table") == {"total": ["amount", "pid"]}
    assert not any(certain(get, lake / "of_a_table").values())


@pytest.mark.parametrize(
    ("name", "origins"),
    [
        ("a01_udf", {"id": {"people.id"}, "loud": {"people.name"}}),
        ("a02_udf_two", {"net": {"people.cost", "people.k"}}),
        ("a06_filter", {column: {f"people.{column}"} for column in PEOPLE}),
        ("a10_udaf", {"city": {"people.city"}, "avg": {"people.cost"}}),
        ("a15_window", {"id": {"people.id"}, "s": {"people.cost", "people.k"}}),
    ],
)
def test_columns_in_scala(scala: tuple[LookupClient, Path], name: str, origins: Origins) -> None:
    get, lake = scala
    assert certain(get, lake / name) == origins
    assert unknown(get, lake / name) == {}


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("a03_map", {"id": PEOPLE, "loud": PEOPLE}),
        ("a04_mappart", {"value": PEOPLE}),
        ("a05_flatmap", {"value": PEOPLE}),
        ("a07_groups", {"k": PEOPLE, "n": PEOPLE}),
        ("a08_reduce", {"value": PEOPLE}),
        ("a09_cogroup", dict.fromkeys(("k", "n"), sorted([*PEOPLE, *ORDERS]))),
        ("a11_joinwith", {"value": sorted([*PEOPLE, *ORDERS])}),
        ("a12_rdd", {"id": [], "name": []}),
        ("a13_map_select", {"loud": PEOPLE}),
        ("a16_aggregator", {"key": PEOPLE, "longest": PEOPLE}),
        ("a17_cached", {"loud": []}),
        ("a18_checkpoint", {"id": []}),
    ],
)
def test_candidates_in_scala(scala: tuple[LookupClient, Path], name: str, candidates: dict[str, list[str]]) -> None:
    get, lake = scala
    assert unknown(get, lake / name) == candidates


def test_a_stream_with_state_in_scala(scala: tuple[LookupClient, Path]) -> None:
    assert read_and_written(job_of(scala, "state_by_k")) == (["people"], ["t01"])


def test_a_saved_pipeline_is_a_job_with_its_training_data_and_parameters(scala: tuple[LookupClient, Path]) -> None:
    job = job_of(scala, "models_p")
    assert read_and_written(job) == (["people"], ["p"])
    assert "candidateInputs" not in job
    facets = scala[0](f"jobs/runs/{job['latestRun']['id']}")["facets"]
    parameters = {each["key"]: each["value"] for each in facets["executionParameters"]["parameters"]}
    assert parameters["VectorAssembler.inputCols"] == "cost, k"
    assert (parameters["LinearRegression.maxIter"], parameters["LinearRegression.labelCol"]) == ("3", "id")


def test_a_pipeline_that_forgot_its_training_data_may_be_made_of_what_was_read_before(
    scala: tuple[LookupClient, Path],
) -> None:
    job = job_of(scala, "trees_p")
    assert job["candidateInputs"]
    assert read_and_written(job) == (["orders", "people"], ["p"])


def test_a_model_alone_has_no_job_but_is_named_by_its_metadata(scala: tuple[LookupClient, Path]) -> None:
    get, lake = scala
    model = get(f"namespaces/file/datasets/{quote(str(lake / 'models/bare'), safe='')}")
    assert model["name"] == str(lake / "models/bare")
    assert not [job for job in get("jobs", limit=100)["jobs"] if job["name"].endswith("_bare")]


def job_of(application: tuple[LookupClient, Path], name: str) -> Any:
    (job,) = (job for job in application[0]("jobs", limit=100)["jobs"] if job["name"].endswith(name))
    return job


def read_and_written(job: Any) -> tuple[list[str], list[str]]:
    read, written = ([Path(each["name"]).name for each in job[side]] for side in ("inputs", "outputs"))
    return read, written
