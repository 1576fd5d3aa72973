"""Apicurio, a schema registry that speaks Confluent's API, as a child process. It keeps its subjects in memory."""

import tarfile
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from local.layout import Layout
from local.machine.ports import free_port
from local.spark.jars import REGISTRY_PINS, jar_files
from local.spark.java import java_home
from local.spark.java_process import QUICK, JavaProcess


@dataclass
class RegistryProcess:
    """A registry. `folder` gets its programs and its log."""

    layout: Layout
    folder: Path
    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self._process = JavaProcess("the registry", self.folder / "registry.log", self._list_subjects)

    @property
    def url(self) -> str:
        """The URL below which the API is Confluent's."""
        return f"http://127.0.0.1:{self.port}/apis/ccompat/v7"

    def start(self) -> None:
        """Start the registry. Returns when it lists subjects. Raises Failure."""
        java = java_home(self.layout) / "bin" / "java"
        options = ["-Xmx300m", *QUICK, "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={self.port}"]
        self._process.start([str(java), *options, "-jar", str(self._program(java))])

    def kill(self) -> None:
        """End the registry as `kill -9` does."""
        self._process.kill()

    def _program(self, java: Path) -> Path:
        programs = self.folder / "programs"
        if not programs.is_dir():
            (archive,) = jar_files(self.layout, java, REGISTRY_PINS)
            with tarfile.open(archive) as files:
                files.extractall(programs, filter="data")
        (program,) = programs.glob("*-runner.jar")
        return program

    def _list_subjects(self) -> None:
        urllib.request.urlopen(f"{self.url}/subjects", timeout=10).close()  # noqa: S310 - our own URL
