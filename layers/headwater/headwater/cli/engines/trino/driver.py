"""Runs a Trino server of one node, and the statements of statements.sql on it. The last statement fails."""

import json
import os
import shutil
import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headwater.cli.engines.trial import NAMESPACE, Trial
from headwater.cli.jvm.jars import jar_files, tail
from headwater.cli.jvm.java import home_of_wheel
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.private_file import write_private
from headwater.cli.machine.process_group import end_group
from headwater.cli.machine.python_environment import bin_folder

JVM = "-Xmx1600m\n-XX:+UseSerialGC\n-XX:TieredStopAtLevel=1\n"
TABLE = "lake.shop.revenue"
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
SERVER_PINS = Path(__file__).with_name("server.sha256")
STATEMENTS = Path(__file__).with_name("statements.sql")
PLUGINS = {"iceberg", "openlineage", "tpch"}
READY_SECONDS = 180


def write_settings(trial: Trial, port: int) -> Path:
    """Write the settings, and return their folder. The catalog lake has Iceberg tables in files."""
    folder = trial.folder / "etc"
    (folder / "catalog").mkdir(parents=True)
    listener = folder / "openlineage.properties"
    write_private(listener, properties(listener_settings(trial, port)))
    files = {
        "config.properties": {
            "coordinator": "true",
            "node-scheduler.include-coordinator": "true",
            "http-server.http.port": str(port),
            "discovery.uri": f"http://127.0.0.1:{port}",
            "event-listener.config-files": str(listener),
            "query.max-memory-per-node": "256MB",
            "memory.heap-headroom-per-node": "256MB",
        },
        "node.properties": {"node.environment": NAMESPACE},
        "catalog/tpch.properties": {"connector.name": "tpch"},
        "catalog/lake.properties": {
            "connector.name": "iceberg",
            "iceberg.catalog.type": "TESTING_FILE_METASTORE",
            "hive.metastore.catalog.dir": "local:///lake",
            "fs.native-local.enabled": "true",
            "local.location": str(trial.folder),
        },
    }
    for name, settings in files.items():
        (folder / name).write_text(properties(settings), encoding="utf-8")
    (folder / "jvm.config").write_text(JVM, encoding="utf-8")
    return folder


def listener_settings(trial: Trial, port: int) -> dict[str, str]:
    prefix = "openlineage-event-listener"
    return {
        "event-listener.name": "openlineage",
        f"{prefix}.trino.uri": f"http://127.0.0.1:{port}",
        f"{prefix}.namespace": NAMESPACE,
        f"{prefix}.transport.type": "HTTP",
        f"{prefix}.transport.url": trial.url,
        f"{prefix}.transport.endpoint": "/api/v1/lineage",
        **({f"{prefix}.transport.api-key": trial.key} if trial.key else {}),
    }


def properties(settings: dict[str, str]) -> str:
    return "".join(f"{name}={value}\n" for name, value in settings.items())


def run(trial: Trial) -> None:
    java = home_of_wheel(bin_folder(trial.state, "trino", REQUIREMENTS))
    server = unpacked(trial)
    with served(trial, server, java) as url:
        *statements, wrong = STATEMENTS.read_text(encoding="utf-8").strip().rstrip(";").split(";\n")
        for statement in statements:
            trial.say(f"Trino: {' '.join(statement.split())[:90]}")
            if error := error_of(url, statement):
                raise Failure(f"Trino refused a statement: {error}", "correct the statement")
        if not error_of(url, wrong):
            raise Failure("the last statement should have failed", "correct the statement")


def unpacked(trial: Trial) -> Path:
    """Return the folder of the server with the plugins that are needed, which is made on first use."""
    folder = trial.state / "trino-server"
    if not folder.is_dir():
        trial.say("fetching and unpacking Trino, once: 0.8 GB")
        (archive,) = jar_files(trial.state, SERVER_PINS)
        part = trial.state / f"trino-server.{os.getpid()}"
        with tarfile.open(archive) as packed:
            packed.extractall(part, filter="tar")
        (top,) = part.iterdir()
        for plugin in (top / "plugin").iterdir():
            if plugin.name not in PLUGINS:
                shutil.rmtree(plugin)
        top.rename(folder)
        shutil.rmtree(part)
    return folder


@contextmanager
def served(trial: Trial, server: Path, java: Path) -> Iterator[str]:
    """Run the server for a `with` block, and yield its URL. Raises Failure."""
    port = free_port()
    settings = write_settings(trial, port)
    command: list[str | Path] = [
        server / "bin" / "launcher",
        "run",
        "--etc-dir",
        settings,
        "--data-dir",
        trial.folder / "data",
    ]
    variables = {"JAVA_HOME": str(java), "PATH": f"{java / 'bin'}:{os.environ['PATH']}"}
    log = trial.folder / "trino.log"
    trial.say("starting Trino")
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=variables, stdout=output, stderr=output, start_new_session=True)
    try:
        url = f"http://127.0.0.1:{port}"
        wait_until_ready(process, url, log)
        yield url
        time.sleep(1)  # the listener sends in the background
    finally:
        end_group(process)


def wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if not error_of(url, "SELECT count(*) FROM tpch.tiny.region"):  # a started server may have no node yet
                return
        except (OSError, ValueError):
            pass
        time.sleep(0.5)
    text = tail(log.read_text(encoding="utf-8", errors="replace"))
    raise Failure(f"Trino was not ready within {READY_SECONDS} s, or ended:\n{text}", "correct the cause that it names")


def error_of(url: str, statement: str) -> str:
    """Run a statement by Trino's client protocol. Return the message of its error, empty if it has none."""
    headers = {"X-Trino-User": "analyst", "X-Trino-Source": "headwater-try"}
    answer = asked(urllib.request.Request(f"{url}/v1/statement", statement.encode(), headers))
    while "nextUri" in answer:
        answer = asked(urllib.request.Request(answer["nextUri"], headers=headers))
    return str(answer.get("error", {}).get("message", ""))


def asked(request: urllib.request.Request) -> Any:
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)
