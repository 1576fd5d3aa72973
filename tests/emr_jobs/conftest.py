"""One Spark for the tests of the pipelines."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkConf, SparkContext

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkContext]:
    """A Spark of this machine, whose executors import what the tests import."""
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "layers" / "headwater")])
    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {"spark.ui.enabled": "false", "spark.default.parallelism": "2", "spark.driver.memory": "1g"}
    context = SparkContext(master="local[2]", conf=SparkConf().setAll(list(settings.items())))
    context.setLogLevel("ERROR")
    yield context
    context.stop()
