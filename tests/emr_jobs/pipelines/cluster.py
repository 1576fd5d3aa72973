"""A local Spark whose jobs report to an embedded stack, and the API's answers about them."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from headwater.cli.jvm.spark_submit import SparkSubmit
from headwater.cli.machine.process_group import end_group
from local.layout import Layout
from local.stack.lifecycle import Stack
from tests.embedded import Deployed
from tests.end_to_end.api import Api

WAIT_SECONDS = 90
PROGRAMS = Layout.here().root / "emr_jobs" / "pipelines"

Drawing = set[str]
"""The arrows of a graph: `raw/orders -> clean_orders`. Datasets go by their names below the test's folder."""


@dataclass(frozen=True)
class Cluster:
    java_home: Path
    jars: list[Path]
    stack: Stack
    folder: Path
    namespace: str
    spark_home: Path | None = None

    def spark(self, *, url: str | None = None, key: str | None = None, **more: str) -> SparkSubmit:
        """A Spark; `more` are settings of the listener."""
        settings = {"namespace": self.namespace, **more}
        named = {f"spark.openlineage.{name}": value for name, value in settings.items()}
        endpoint = (self.stack.url if url is None else url), (self.stack.key if key is None else key)
        spark = SparkSubmit(self.java_home, self.jars, *endpoint, self.folder, more_settings=named)
        return replace(spark, home=self.spark_home) if self.spark_home else spark

    def path(self, name: str) -> Path:
        return self.folder / name

    def make(self, name: str, *lines: str) -> Path:
        folder = self.path(name)
        folder.mkdir(parents=True)
        (folder / "lines.csv").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return folder

    @property
    def api(self) -> Api:
        return Api.of(self.stack.url, self.stack.key)

    def answer(self, *parts: str, **query: str) -> Any:
        """The API's answer, once every event is normalised."""
        Deployed(self.stack.deployment).wait_for_ingestion()
        response = self.api.get(*parts, **query)
        assert response.status == 200, response.body
        return response.json

    def job(self, name: str) -> Any:
        return self.answer("namespaces", self.namespace, "jobs", name)

    def runs(self, job: str) -> list[Any]:
        runs: list[Any] = self.answer("namespaces", self.namespace, "jobs", job, "runs")["runs"]
        return runs

    def drawn(self, node: str, **query: str) -> Drawing:
        """The arrows of the graph around a dataset of the test's folder, or around another node by its id."""
        node_id = node if ":" in node else f"dataset:file:{self.path(node)}"
        graph = self.answer("lineage", nodeId=node_id, **query)["graph"]
        names = {node["id"]: self.short(node["data"]["name"]) for node in graph}
        edges = {(edge["origin"], edge["destination"]) for node in graph for edge in node["inEdges"] + node["outEdges"]}
        return {f"{names[origin]} -> {names[destination]}" for origin, destination in edges}

    def short(self, name: str) -> str:
        return name.removeprefix(f"{self.folder}/")


@contextmanager
def started(spark: SparkSubmit, program: Path, **arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    """A program that runs for the length of a `with` block, or ends before."""
    process = spark.start(program, arguments, spark.folder / f"{program.stem}.log")
    try:
        yield process
    finally:
        end_group(process)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def drawing(*chains: str) -> Drawing:
    """Arrows, written as chains: `a -> job -> b`."""
    return {f"{one} -> {after}" for chain in chains for one, after in pairwise(chain.split(" -> "))}


def run_python(program: Path, *arguments: object) -> None:
    """Runs a program of emr_jobs that needs no Spark."""
    command = [sys.executable, str(program), *map(str, arguments)]
    subprocess.run(command, check=True, timeout=60, stdout=subprocess.DEVNULL)  # noqa: S603 - our own words
