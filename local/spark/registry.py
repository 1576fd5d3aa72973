"""Apicurio, a schema registry that speaks Confluent's API, as a child process. It keeps its subjects in memory."""

import subprocess
import tarfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from local.failure import Failure
from local.layout import Layout
from local.machine.ports import free_port
from local.machine.process_group import EXIT_WITH_PARENT, end_group
from local.spark.jars import REGISTRY_PINS, jar_files, tail
from local.spark.java import java_home

READY_SECONDS = 90


@dataclass
class RegistryProcess:
    """A registry. `folder` gets its programs and its log."""

    layout: Layout
    folder: Path
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL below which the API is Confluent's."""
        return f"http://127.0.0.1:{self.port}/apis/ccompat/v7"

    def start(self) -> None:
        """Start the registry. Returns when it lists subjects. Raises Failure."""
        java = java_home(self.layout) / "bin" / "java"
        options = ["-Xmx300m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dquarkus.http.host=127.0.0.1"]
        command = [str(java), *options, f"-Dquarkus.http.port={self.port}", "-jar", str(self._program(java))]
        with (self.folder / "registry.log").open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", EXIT_WITH_PARENT, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait()

    def kill(self) -> None:
        if self._process:
            end_group(self._process)
            self._process = None

    def _program(self, java: Path) -> Path:
        programs = self.folder / "programs"
        if not programs.is_dir():
            (archive,) = jar_files(self.layout, java, REGISTRY_PINS)
            with tarfile.open(archive) as files:
                files.extractall(programs, filter="data")
        (program,) = programs.glob("*-runner.jar")
        return program

    def _wait(self) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self._process and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.url}/subjects", timeout=10):  # noqa: S310 - our own URL
                    return
            except (OSError, urllib.error.HTTPError):
                time.sleep(0.2)
        log = self.folder / "registry.log"
        text = log.read_text(encoding="utf-8", errors="replace")
        self.kill()
        raise Failure(f"the registry was not ready within {READY_SECONDS} s, or ended:\n{tail(text)}", f"read {log}")
