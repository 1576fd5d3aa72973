"""A Kafka Connect worker as a child process, in distributed mode: connectors outlive a killed worker, in the broker."""

import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from headwater.cli.jvm.jars import BROKER_PINS, CONNECT_PINS, jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.java_process import QUICK, JavaProcess
from headwater.cli.machine.ports import free_port

MAIN = "org.apache.kafka.connect.cli.ConnectDistributed"


@dataclass
class ConnectWorker:
    """A worker of the Kafka cluster at `bootstrap`. `state` has the jars, `folder` its settings and its log."""

    state: Path
    folder: Path
    bootstrap: str
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self._process = JavaProcess("Kafka Connect", self.folder / "connect.log", self._list_connectors)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the worker. Returns when its REST API lists connectors. Raises Failure."""
        self.folder.mkdir(parents=True, exist_ok=True)
        file = self.folder / "worker.properties"
        file.write_text(settings(self.bootstrap, self.port), encoding="utf-8")
        java = java_home(self.state) / "bin" / "java"
        jars = jar_files(self.state, BROKER_PINS, CONNECT_PINS)
        self._process.start([str(java), "-Xmx300m", *QUICK, "-cp", ":".join(map(str, jars)), MAIN, str(file)])

    def kill(self) -> None:
        """End the worker as `kill -9` does."""
        self._process.kill()

    def _list_connectors(self) -> None:
        urllib.request.urlopen(f"{self.url}/connectors", timeout=10).close()


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
