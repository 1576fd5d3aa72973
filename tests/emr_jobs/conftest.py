"""One Spark for the tests of the programs on the archive and on the lakehouse."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark import SparkConf, SparkContext
from pyspark.sql import SparkSession

from emr_jobs.lakehouse.session import catalog_settings
from headwater.cli.jvm.jars import CONNECTOR_PINS, jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.machine.state import state_folder

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkContext]:
    """A Spark of this machine, whose executors import what the tests import, with Iceberg."""
    os.environ["PYTHONPATH"] = os.pathsep.join(map(str, [ROOT, ROOT / "layers" / "headwater"]))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    home = java_home(state_folder())
    os.environ["JAVA_HOME"] = str(home)
    jars = jar_files(state_folder(), CONNECTOR_PINS)
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.default.parallelism": "2",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.memory": "1500m",
        "spark.sql.codegen.wholeStage": "false",  # a plan of ten rows takes longer to compile than to interpret
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars)),
        **catalog_settings(str(tmp_path_factory.mktemp("lake"))),
    }
    context = SparkContext(master="local[2]", conf=SparkConf().setAll(list(settings.items())))
    context.setLogLevel("ERROR")
    yield context
    context.stop()


@pytest.fixture(scope="session")
def session(spark: SparkContext) -> SparkSession:
    return SparkSession.builder.getOrCreate()
