"""A Kafka Connect worker as a child process, in distributed mode: connectors outlive a killed worker, in the broker."""

import subprocess
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from local.failure import Failure
from local.layout import Layout
from local.machine.ports import free_port
from local.machine.process_group import EXIT_WITH_PARENT, end_group
from local.spark.jars import BROKER_PINS, CONNECT_PINS, jar_files, tail
from local.spark.java import java_home

READY_SECONDS = 90
MAIN = "org.apache.kafka.connect.cli.ConnectDistributed"


@dataclass
class ConnectWorker:
    """A worker of the Kafka cluster at `bootstrap`. `folder` has its settings and its log."""

    layout: Layout
    folder: Path
    bootstrap: str
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the worker. Returns when its REST API lists connectors. Raises Failure."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "worker.properties"
        file.write_text(settings(self.bootstrap, self.port), encoding="utf-8")
        java = java_home(self.layout) / "bin" / "java"
        jars = jar_files(self.layout, java, BROKER_PINS, CONNECT_PINS)
        command = [str(java), "-Xmx300m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
        command += ["-cp", ":".join(map(str, jars)), MAIN, str(file)]
        with (self.folder / "connect.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", EXIT_WITH_PARENT, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait()

    def kill(self) -> None:
        """End the worker as `kill -9` does."""
        if self._process:
            end_group(self._process)
            self._process = None

    def _wait(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self._process and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/connectors", timeout=10):  # noqa: S310 - our own URL
                    return
            except (OSError, urllib.error.HTTPError):
                time.sleep(0.2)
        log = self.folder / "connect.log"
        text = log.read_text(encoding="utf-8", errors="replace")
        self.kill()
        raise Failure(f"Kafka Connect was not ready within {READY_SECONDS} s, or ended:\n{tail(text)}", f"read {log}")


def settings(bootstrap: str, port: int) -> str:
    """Return the settings of a cluster of one worker, with plain text converters and quick offsets."""
    topics = (f"{name}.storage.topic=connect-{name}s" for name in ("config", "offset", "status"))
    return "\n".join(
        (
            f"bootstrap.servers={bootstrap}",
            f"listeners=http://127.0.0.1:{port}",
            "group.id=connect",
            "key.converter=org.apache.kafka.connect.storage.StringConverter",
            "value.converter=org.apache.kafka.connect.storage.StringConverter",
            *topics,
            *(f"{name}.storage.replication.factor=1" for name in ("config", "offset", "status")),
            "offset.storage.partitions=1",
            "status.storage.partitions=1",
            "offset.flush.interval.ms=1000",
            "plugin.discovery=service_load",
            "scheduled.rebalance.max.delay.ms=0",
            "",
        )
    )
