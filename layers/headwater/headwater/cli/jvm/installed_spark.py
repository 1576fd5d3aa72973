"""The PySpark that is installed here, and the Java and the jars for its version."""

from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from headwater.cli.jvm.jars import CONNECTOR_PINS, LISTENER_PINS, SPARK_4_PINS, jar_files
from headwater.cli.jvm.java import java_home, users_java
from headwater.cli.machine.failure import Failure
from headwater.web_files.files import JARS

JAR = JARS / "headwater-spark.jar"
"""The jar beside the listener, if it was built."""


def spark_home() -> Path:
    """Return the Spark inside PySpark. Raises Failure if PySpark is not installed."""
    found = find_spec("pyspark")
    if found is None or found.origin is None:
        raise Failure("PySpark is not installed", "pip install 'headwater[spark]'")
    return Path(found.origin).parent


def spark_java(state: Path) -> Path:
    """Return the JAVA_HOME. Raises Failure if there is none: the Java of the wheel has no module for Spark 4."""
    if users_java() is None and not is_spark_3():
        reason = "PySpark 4 needs a Java with the module jdk.incubator.vector, and no Java 17 to 21 was found"
        raise Failure(reason, "install a JDK 17 or 21, or pip install 'pyspark<4'")
    return java_home(state)


def spark_jars(state: Path) -> list[Path]:
    """Return the listener, the jar beside it if this package has it (`make agent`), and what Spark reads and writes
    Iceberg with; for Spark 3.5 Delta and Kafka, too."""
    pinned = jar_files(state, *spark_pins())
    return [*pinned, JAR] if JAR.is_file() else pinned


def spark_pins() -> tuple[Path, ...]:
    """Return the lists of the jars for this version of Spark."""
    return (LISTENER_PINS, CONNECTOR_PINS) if is_spark_3() else (SPARK_4_PINS,)


def is_spark_3() -> bool:
    return version("pyspark").startswith("3.")
