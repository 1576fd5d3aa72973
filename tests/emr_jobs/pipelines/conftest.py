"""The fixtures of the pipelines: a Spark with the real listener, the session's embedded stack, a Kafka broker."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.layout import Layout
from local.spark.jars import CONNECTOR_PINS, LISTENER_PINS, jar_files
from local.spark.java import java_home
from local.spark.kafka import run_broker
from local.stack.lifecycle import Stack
from tests.emr_jobs.pipelines.cluster import Cluster


@pytest.fixture(scope="session")
def spark_files() -> tuple[Path, list[Path]]:
    """The Java that Spark runs on, and the jars of Spark 3.5."""
    layout = Layout.here()
    home = java_home(layout)
    return home, jar_files(layout, home / "bin" / "java", LISTENER_PINS, CONNECTOR_PINS)


@pytest.fixture
def cluster(
    shared_stack: Stack, spark_files: tuple[Path, list[Path]], tmp_path: Path, request: pytest.FixtureRequest
) -> Cluster:
    """A Spark that reports to the stack of the session, in a namespace and a folder of the test's own."""
    return Cluster(*spark_files, shared_stack, tmp_path, f"spark-{request.node.name}")


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bootstrap servers of a Kafka broker, up to the end of the session; each test has topics of its own."""
    with run_broker(Layout.here(), tmp_path_factory.mktemp("kafka")) as bootstrap:
        yield bootstrap
