"""A Kafka broker as a child process, in KRaft mode: one node, its own controller, on loopback ports."""

import socket
import subprocess
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.jvm.jars import BROKER_PINS, jar_files, tail
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.java_process import QUICK, READY_SECONDS, JavaProcess
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port, is_taken

FORMATTER, SERVER = "kafka.tools.StorageTool", "kafka.Kafka"


@dataclass(frozen=True)
class Broker:
    """A broker to start. `folder` has its settings, its log and its data; every start has new data."""

    java: Path
    jars: list[Path]
    folder: Path
    port: int

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def settings(self) -> Path:
        return self.folder / "server.properties"

    @property
    def log(self) -> Path:
        return self.folder / "kafka.log"

    def command(self, main_class: str, *arguments: str) -> list[str]:
        return [str(self.java), "-Xmx256m", *QUICK, "-cp", ":".join(map(str, self.jars)), main_class, *arguments]

    def connect(self) -> None:
        """Raises OSError until the broker listens."""
        socket.create_connection(("127.0.0.1", self.port)).close()


@contextmanager
def run_broker(state: Path, folder: Path, port: int = 0) -> Iterator[str]:
    """Run a broker for the length of a `with` block, and yield its bootstrap servers: at the port, if nothing uses it.
    Topics are made on first use."""
    java = java_home(state) / "bin" / "java"
    folder.mkdir(parents=True, exist_ok=True)
    broker = Broker(java, jar_files(state, BROKER_PINS), folder, port if port and not is_taken(port) else free_port())
    format_storage(broker)
    process = JavaProcess("Kafka", broker.log, broker.connect)
    try:
        process.start(broker.command(SERVER, str(broker.settings)))
        yield broker.bootstrap
    finally:
        process.kill()


def format_storage(broker: Broker) -> None:
    """Write the settings and the empty storage of a new cluster. Raises Failure."""
    data = broker.folder / f"data-{uuid.uuid4().hex}"
    broker.settings.write_text(settings(broker.port, free_port(), data), encoding="utf-8")
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    # One id in 64 begins with a hyphen, which would be an option if it were an argument of its own.
    formatted = broker.command(FORMATTER, "format", f"--cluster-id={cluster}", "--config", str(broker.settings))
    done = subprocess.run(formatted, capture_output=True, text=True, timeout=READY_SECONDS, check=False)
    if done.returncode:
        raise Failure(
            f"Kafka's storage could not be created:\n{tail(done.stdout + done.stderr)}",
            "correct the cause that Kafka names",
        )


def settings(port: int, controller: int, data: Path) -> str:
    """Return the settings of a cluster of one node, without the delays for clusters of many nodes."""
    return "\n".join(
        (
            "process.roles=broker,controller",
            "node.id=1",
            f"controller.quorum.voters=1@127.0.0.1:{controller}",
            f"listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            f"advertised.listeners=PLAINTEXT://127.0.0.1:{port}",
            "controller.listener.names=CONTROLLER",
            f"log.dirs={data}",
            "offsets.topic.num.partitions=1",
            "offsets.topic.replication.factor=1",
            "transaction.state.log.replication.factor=1",
            "transaction.state.log.min.isr=1",
            "group.initial.rebalance.delay.ms=0",
            "",
        )
    )
