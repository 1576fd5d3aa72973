"""Runs a PySpark program with spark-submit and the OpenLineage listener, as on a cluster."""

import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from headwater.cli.jvm.installed_spark import spark_home
from headwater.cli.machine.environment import without_aws_account
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.private_file import write_private
from headwater.cli.machine.process_group import end_group
from headwater.cli.machine.state import PACKAGES

LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
NAMESPACE = "demo"
RUN_SECONDS = 180
CIRCUIT_BREAKER = {
    "spark.openlineage.circuitBreaker.type": "asyncTaskQueue",
    "spark.openlineage.circuitBreaker.threadCount": "1",
    "spark.openlineage.circuitBreaker.queueSize": "10",
    "spark.openlineage.circuitBreaker.blockingTimeInSeconds": "1",
    "spark.openlineage.circuitBreaker.shutdownTimeoutSeconds": "5",
}
"""Events are sent in the background. A slow endpoint delays the job by seconds, not by the sum of response times."""
LOG_TIME = re.compile(r"^[\d/]+ [\d:]+ ")
ERROR_MARKS = ("ERROR", "Exception", "error:")


@dataclass(frozen=True)
class SparkSubmit:
    """A local Spark whose listener reports to the API at `url` with `key`.

    `folder` has the logs and settings, `home` is the folder of Spark, `more_settings` override the default settings.
    """

    java_home: Path
    jars: list[Path]
    url: str
    key: str
    folder: Path
    home: Path = field(default_factory=spark_home)
    more_settings: Mapping[str, str] = field(default_factory=dict)

    def run(self, program: Path, **arguments: object) -> Path:
        """Run a program to its end and return its log. Raises Failure if it fails."""
        log = self.folder / f"{program.stem}.log"
        process = self.start(program, arguments, log)
        try:
            status = process.wait(RUN_SECONDS)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"{program.name} did not end within {RUN_SECONDS} s", f"read {log}") from error
        finally:
            end_group(process)
        if status:
            raise Failure(f"{program.name} failed:\n{error_lines(log)}", f"read {log}")
        return log

    def start(self, program: Path, arguments: Mapping[str, object], log: Path) -> subprocess.Popen[bytes]:
        with log.open("wb") as output:
            return subprocess.Popen(
                self.command(program, arguments),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=self.environment(),
                start_new_session=True,
            )

    def command(self, program: Path | str, arguments: Mapping[str, object]) -> list[str]:
        """Return the spark-submit command. The key is in no setting, since Spark logs settings."""
        settings = self.folder / "spark.conf"
        write_listener_key(self)
        lines = (f"{name} {escaped(value)}\n" for name, value in self.settings().items())
        write_private(settings, "".join(lines))
        submit = self.home / "bin" / "spark-submit"
        options = [f"--{name}" if value is True else f"--{name}={value}" for name, value in arguments.items()]
        return [str(submit), "--properties-file", str(settings), str(program), *options]

    def settings(self) -> dict[str, str]:
        return {**engine_settings(self.jars), **self.listener_settings(), **self.more_settings}

    def listener_settings(self) -> dict[str, str]:
        transport = {"type": "http", "url": self.url, "endpoint": "/api/v1/lineage", "compression": "gzip"}
        return {**listener_settings(transport), **CIRCUIT_BREAKER}

    def listener_key(self) -> dict[str, object]:
        """Return the content of the listener's own file: the key, which must not be a setting of Spark."""
        return {"transport": {"type": "http", "url": self.url, "auth": {"type": "api_key", "apiKey": self.key}}}

    @property
    def listener_file(self) -> Path:
        return self.folder / "openlineage.yml"

    def environment(self) -> dict[str, str]:
        """Return the environment for Spark: this Java and this Python, without SPARK_* variables of the user."""
        kept = {name: value for name, value in without_aws_account(os.environ).items() if not name.startswith("SPARK_")}
        path = os.pathsep.join(filter(None, (str(PACKAGES), kept.get("PYTHONPATH"))))
        own = {"PYTHONPATH": path, "OPENLINEAGE_CONFIG": str(self.listener_file)}
        return kept | driver_environment(self.java_home) | own


def engine_settings(jars: Iterable[Path]) -> dict[str, str]:
    """Return settings with which a small job starts fast on a small machine."""
    return {
        "spark.master": "local[2]",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.driver.extraClassPath": ":".join(map(str, jars)),
        # The first tier alone has 48 MB for compiled code. Insights fill these; then nothing is compiled any more.
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.databricks.delta.snapshotPartitions": "2",
    }


def listener_settings(transport: Mapping[str, str]) -> dict[str, str]:
    """Return the settings of the listener, with the members of its transport."""
    return {
        "spark.extraListeners": LISTENER,
        "spark.openlineage.namespace": NAMESPACE,
        **{f"spark.openlineage.transport.{name}": value for name, value in transport.items()},
        "spark.openlineage.columnLineage.descriptionsEnabled": "true",
    }


def driver_environment(java_home: Path) -> dict[str, str]:
    """Return what Spark needs in its environment to run on this Java and this Python."""
    python = {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    return {**python, "JAVA_HOME": str(java_home), "SPARK_LOCAL_IP": "127.0.0.1"}


def write_listener_key(spark: SparkSubmit) -> Path:
    """Write the listener's own file, and return its path."""
    write_private(spark.listener_file, yaml.safe_dump(spark.listener_key()))
    return spark.listener_file


def escaped(value: str) -> str:
    """Escape a value for a Java properties file."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")


def error_lines(log: Path, most: int = 5) -> str:
    """Return the first lines of a log that name an error, each once. If no line does, return the last lines."""
    lines = [line.strip()[:200] for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    errors = {LOG_TIME.sub("", line): None for line in lines if any(word in line for word in ERROR_MARKS)}
    return "\n".join([*errors][:most] or lines[-most:])
