"""Builds headwater-spark.jar, which runs beside OpenLineage's Spark listener, with the JDK of this machine.

It is compiled against the pinned listener and the Spark of the installed PySpark, for Java 8. The same sources make the
same jar.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from headwater.cli.jvm.installed_spark import JAR, spark_home
from headwater.cli.jvm.jars import LISTENER_PINS, jar_files
from headwater.cli.machine.state import state_folder

SOURCES = Path(__file__).with_name("src")
LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of each file in the jar, so that the jar depends only on its sources."""


def javac() -> str | None:
    """The compiler of JAVA_HOME, else of PATH."""
    home = os.environ.get("JAVA_HOME")
    return shutil.which("javac", path=f"{home}/bin") if home else shutil.which("javac")


def build(jar: Path, compiler: str) -> None:
    """Write the jar. Raises CalledProcessError if the sources do not compile."""
    jar.parent.mkdir(exist_ok=True)
    class_path = [*jar_files(state_folder(), LISTENER_PINS), spark_home() / "jars" / "*"]
    with tempfile.TemporaryDirectory() as folder:
        classes = Path(folder)
        options = ["--release", "8", "-Xlint:-options", "-d", folder, "-cp", os.pathsep.join(map(str, class_path))]
        subprocess.run([compiler, *options, *sorted(map(str, SOURCES.rglob("*.java")))], check=True)  # noqa: S603
        shutil.copytree(SOURCES / "META-INF", classes / "META-INF")
        with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(path for path in classes.rglob("*") if path.is_file()):
                entry = zipfile.ZipInfo(file.relative_to(classes).as_posix(), LONG_AGO)
                archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    build(JAR, sys.argv[1])
