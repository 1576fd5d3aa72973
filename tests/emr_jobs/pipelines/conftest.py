"""The fixtures of the pipelines: a Spark with the real listener, the session's embedded stack, a Kafka broker."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from agent.build import build, javac
from headwater.cli.jvm.installed_spark import JAR
from headwater.cli.jvm.jars import CONNECTOR_PINS, LISTENER_PINS, jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.kafka import run_broker
from headwater.cli.machine.state import state_folder
from local.stack.lifecycle import Stack
from tests.emr_jobs.pipelines.cluster import Cluster


@pytest.fixture(scope="session")
def spark_files() -> tuple[Path, list[Path]]:
    """The Java that Spark runs on, and the jars of Spark 3.5."""
    state = state_folder()
    return java_home(state), jar_files(state, LISTENER_PINS, CONNECTOR_PINS)


@pytest.fixture
def cluster(
    shared_stack: Stack, spark_files: tuple[Path, list[Path]], tmp_path: Path, request: pytest.FixtureRequest
) -> Cluster:
    """A Spark that reports to the stack of the session, in a namespace and a folder of the test's own."""
    return Cluster(*spark_files, shared_stack, tmp_path, f"spark-{request.node.name}")


@pytest.fixture
def with_jar(cluster: Cluster) -> Cluster:
    """The cluster with the jar beside the listener."""
    compiler = javac()
    if compiler is None:
        pytest.skip("there is no JDK to build the jar")
    jar = cluster.path(JAR.name)
    build(jar, compiler)
    return replace(cluster, jars=[*cluster.jars, jar])


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The bootstrap servers of a Kafka broker, up to the end of the session; each test has topics of its own."""
    with run_broker(state_folder(), tmp_path_factory.mktemp("kafka")) as bootstrap:
        yield bootstrap
