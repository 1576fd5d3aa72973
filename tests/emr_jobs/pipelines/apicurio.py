"""Apicurio, a schema registry that speaks Confluent's API, as a child process. It keeps its subjects in memory."""

import tarfile
import urllib.request
from dataclasses import dataclass, field
from pathlib import Path

from headwater.cli.jvm.jars import jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.java_process import QUICK, JavaProcess
from headwater.cli.machine.ports import free_port


@dataclass
class RegistryProcess:
    """A registry. `state` has its archive; `folder` gets its programs and its log."""

    state: Path
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
        java = java_home(self.state) / "bin" / "java"
        options = ["-Xmx300m", *QUICK, "-Dquarkus.http.host=127.0.0.1", f"-Dquarkus.http.port={self.port}"]
        self._process.start([str(java), *options, "-jar", str(self._program())])

    def kill(self) -> None:
        self._process.kill()

    def _program(self) -> Path:
        programs = self.folder / "programs"
        if not programs.is_dir():
            (archive,) = jar_files(self.state, Path(__file__).with_name("apicurio.sha256"))
            with tarfile.open(archive) as files:
                files.extractall(programs, filter="data")
        (program,) = programs.glob("*-runner.jar")
        return program

    def _list_subjects(self) -> None:
        urllib.request.urlopen(f"{self.url}/subjects", timeout=10).close()  # noqa: S310 - our own URL
