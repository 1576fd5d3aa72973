"""Settings of a Spark of this machine: its Java, the jars, and the listener if a server is known."""

import os
import sys

from headwater.cli.api import Api
from headwater.cli.endpoint import NoServer, api_of
from headwater.cli.jvm.installed_spark import spark_jars, spark_java
from headwater.cli.jvm.spark_submit import SparkSubmit, driver_environment, engine_settings, write_listener_key
from headwater.cli.machine.state import state_folder

MEMORY = "3g"
NAMESPACE = "headwater"
"""Of the jobs of Headwater itself."""


def spark_settings(name: str) -> dict[str, str]:
    """The settings, all of which must be known before Java starts. Raises Failure if Java or a jar is missing."""
    state = state_folder()
    home, jars = spark_java(state), spark_jars(state)
    found = server()
    namespace = {"spark.openlineage.namespace": NAMESPACE}
    address = (found.url, found.key) if found else ("", "")
    folder = state / name
    folder.mkdir(parents=True, exist_ok=True)
    spark = SparkSubmit(home, jars, *address, folder, more_settings=namespace)
    os.environ |= driver_environment(home)
    settings = engine_settings(jars) | {
        "spark.master": "local[*]",
        "spark.driver.memory": MEMORY,
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
        "spark.log.level": "ERROR",
        "spark.ui.showConsoleProgress": str(sys.stderr.isatty()).lower(),
    }
    if found is None:
        return settings
    os.environ["OPENLINEAGE_CONFIG"] = str(write_listener_key(spark))
    return settings | spark.listener_settings() | namespace


def server() -> Api | None:
    """The server that is named, or that runs here; None without any. Raises CommandFailure."""
    try:
        return api_of()
    except NoServer:
        return None
