"""Fetches jars by their Maven coordinates, with the resolver inside PySpark, and holds them to their pins."""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pyspark

from local.failure import Failure
from local.layout import Layout
from local.truststore import trust_options

RESOLVE_SECONDS = 300
PINS = Path(__file__).with_name("jars.sha256")


@dataclass(frozen=True)
class Jar:
    """A jar by its coordinates and what it must hash to."""

    sha256: str
    organisation: str
    name: str
    revision: str

    @property
    def file_name(self) -> str:
        return f"{self.organisation}_{self.name}-{self.revision}.jar"

    @property
    def coordinates(self) -> str:
        return f"{self.organisation}:{self.name}:{self.revision}"


def pinned_jars(pins: Path = PINS) -> list[Jar]:
    lines = (line.split() for line in pins.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [Jar(sha256, *coordinates.split(":")) for sha256, coordinates in lines]


def jar_files(layout: Layout, java: Path) -> list[Path]:
    """Return the pinned jars' files, fetched if they are not there yet."""
    folder = layout.state / "jars"
    return [jar_file(jar, folder, java) for jar in pinned_jars()]


def jar_file(jar: Jar, folder: Path, java: Path) -> Path:
    file = folder / jar.file_name
    if not file.is_file():
        fetch(jar, folder, java)
    if hashlib.sha256(file.read_bytes()).hexdigest() != jar.sha256:
        file.unlink()
        reason = f"{jar.coordinates} is not the jar that {PINS.name} pins"
        raise Failure(reason, "try again; if it stays so, do not use it")
    return file


def fetch(jar: Jar, folder: Path, java: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        str(java),
        *trust_options(folder),
        "-jar",
        str(ivy()),
        "-cache",
        str(folder / "ivy"),
        "-confs",
        "default",
        "-types",
        "jar",
    ]
    command += ["-dependency", jar.organisation, jar.name, jar.revision]
    command += ["-retrieve", str(folder / "[organisation]_[artifact]-[revision].[ext]")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RESOLVE_SECONDS, check=False)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        said = f"no answer within {RESOLVE_SECONDS} s"
    if not (folder / jar.file_name).is_file():
        reason = f"{jar.coordinates} could not be fetched from Maven Central:\n{tail(said)}"
        raise Failure(reason, f"check the network and the proxy, or put the jar into {folder} as {jar.file_name}")


def ivy() -> Path:
    (found,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
    return found


def tail(text: str, lines: int = 12) -> str:
    """Return the last lines that hold more than a progress bar."""
    return "\n".join([line for line in text.splitlines() if line.strip(". \t-")][-lines:])
