"""A Kafka broker as a child process, in KRaft mode: one node that is its own controller, on ports that loopback alone
reaches. `headwater kafka` runs one until Ctrl-C, for the streaming pipelines of emr_jobs."""

import argparse
import socket
import subprocess
import sys
import time
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from local.failure import Failure
from local.instance import free_port
from local.jars import BROKER, jar_files, tail
from local.java import java_home
from local.layout import Layout
from local.process_group import LEASH, end_group

READY_SECONDS = 60
FORMATTER, SERVER = "kafka.tools.StorageTool", "kafka.Kafka"
PORT = 9092
PORTS = 65_536


@dataclass(frozen=True)
class Broker:
    """What is needed to start a broker; `folder` takes its settings, log and data, which are there afresh each time."""

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
        options = ["-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # starts fast on a small machine
        return [str(self.java), *options, "-cp", ":".join(map(str, self.jars)), main_class, *arguments]


@contextmanager
def kafka(layout: Layout, folder: Path, port: int | None = None) -> Iterator[str]:
    """Run a broker for the length of a `with` block and give its bootstrap servers. Topics are made when first used."""
    if port and is_taken(port):
        raise Failure(f"port {port} is taken, perhaps by another broker", "name another by --port")
    java = java_home(layout) / "bin" / "java"
    folder.mkdir(parents=True, exist_ok=True)
    broker = Broker(java, jar_files(layout, java, BROKER), folder, port or free_port())
    format_storage(broker)
    with broker.log.open("ab") as log:
        process = subprocess.Popen(
            ["/bin/sh", "-c", LEASH, "sh", *broker.command(SERVER, str(broker.settings))],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_until_ready(process, broker)
        yield broker.bootstrap
    finally:
        end_group(process)


def is_taken(port: int) -> bool:
    """Whether somebody listens on a port of this machine."""
    with socket.socket() as found:
        return found.connect_ex(("127.0.0.1", port)) == 0


def format_storage(broker: Broker) -> None:
    """Write the settings and an empty store for a new cluster. Raises Failure."""
    data = broker.folder / f"data-{uuid.uuid4().hex}"
    broker.settings.write_text(settings(broker.port, free_port(), data), encoding="utf-8")
    cluster = urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
    formatted = broker.command(FORMATTER, "format", "--cluster-id", cluster, "--config", str(broker.settings))
    done = subprocess.run(formatted, capture_output=True, text=True, timeout=READY_SECONDS, check=False)
    if done.returncode:
        raise Failure(f"Kafka's storage could not be made:\n{tail(done.stdout + done.stderr)}", "read what it says")


def settings(port: int, controller: int, data: Path) -> str:
    """Return the settings of a cluster of one, without the waiting that is for clusters of many."""
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


def wait_until_ready(process: subprocess.Popen[bytes], broker: Broker) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", broker.port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    said = broker.log.read_text(encoding="utf-8", errors="replace")
    raise Failure(f"Kafka was not ready within {READY_SECONDS} s, or ended:\n{tail(said)}", f"read {broker.log}")


def port_number(text: str) -> int:
    """Return a port, if it is one."""
    if not (text.isdecimal() and 0 < int(text) < PORTS):
        raise argparse.ArgumentTypeError(f"{text} is no port")
    return int(text)


def main() -> None:
    """Run a broker until Ctrl-C."""
    top = argparse.ArgumentParser(prog="headwater kafka", description=__doc__)
    top.add_argument("--port", type=port_number, default=PORT, help="of 127.0.0.1 (default: %(default)s)")
    port = top.parse_args().port
    layout = Layout.here()
    try:
        with kafka(layout, layout.run("kafka"), port) as bootstrap:
            print(f"Kafka is up at {bootstrap}, empty; Ctrl-C stops it", flush=True)
            while True:
                time.sleep(1)
    except Failure as failure:
        sys.exit(f"failed: {failure}")
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main()
