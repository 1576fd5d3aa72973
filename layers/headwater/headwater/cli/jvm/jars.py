"""Fetches jars of Maven Central by their coordinates, and verifies their pinned hashes."""

import fcntl
import hashlib
import os
import shutil
import sys
import urllib.request
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headwater.cli.failure import reason_of
from headwater.cli.machine.failure import Failure

CENTRAL = "https://repo1.maven.org/maven2"
ANSWER_SECONDS = 60
FOLDER = "HEADWATER_JARS"
LISTENER_PINS = Path(__file__).with_name("listener.sha256")
CONNECTOR_PINS = Path(__file__).with_name("connectors.sha256")
SPARK_4_PINS = Path(__file__).with_name("spark_4.sha256")
BROKER_PINS = Path(__file__).with_name("broker.sha256")
CONNECT_PINS = Path(__file__).with_name("connect.sha256")


@dataclass(frozen=True)
class Jar:
    """The coordinates of a jar, or of another file of Maven Central such as a tar.gz, and its pinned hash. A classifier
    names one of several files of an artifact."""

    sha256: str
    organisation: str
    name: str
    revision: str
    extension: str = "jar"
    classifier: str = ""

    @property
    def file_name(self) -> str:
        return f"{self.organisation}_{self.name}-{self.revision}.{self.extension}"

    @property
    def coordinates(self) -> str:
        return f"{self.organisation}:{self.name}:{self.revision}"

    @property
    def url(self) -> str:
        folder = "/".join((CENTRAL, *self.organisation.split("."), self.name, self.revision))
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{folder}/{self.name}-{self.revision}{classifier}.{self.extension}"


def pinned_jars(pins: Path) -> list[Jar]:
    lines = (line.split() for line in pins.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [Jar(sha256, *coordinates.split(":")) for sha256, coordinates in lines]


def jar_files(state: Path, *pins: Path) -> list[Path]:
    """Return the files of the jars that these lists pin, in the folder HEADWATER_JARS if the environment names one.
    Missing jars are fetched."""
    return fetch_into(Path(os.environ.get(FOLDER) or state / "jars").absolute(), *pins)


def fetch_into(folder: Path, *pins: Path) -> list[Path]:
    """Return the files of the jars that these lists pin, in a folder. Missing jars are fetched. Raises Failure."""
    return verified_files([jar for pin in pins for jar in pinned_jars(pin)], folder)


def verified_files(jars: list[Jar], folder: Path) -> list[Path]:
    """Return the files of the jars. If several processes need a missing jar, one process fetches it, the others wait.

    Raises Failure if a jar cannot be fetched or has another hash.
    """
    if missing_jars(jars, folder):  # else the folder need not be writable
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if missing := missing_jars(jars, folder):
                names = ", ".join(jar.name for jar in missing)
                print(f"fetching from Maven Central, once: {names}", file=sys.stderr, flush=True)
                for jar in missing:
                    fetch(jar, folder / jar.file_name)
    for jar in jars:
        verify(folder / jar.file_name, jar)
    return [folder / jar.file_name for jar in jars]


def missing_jars(jars: list[Jar], folder: Path) -> list[Jar]:
    return [jar for jar in jars if not (folder / jar.file_name).is_file()]


def verify(file: Path, jar: Jar) -> None:
    with file.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if sha256 != jar.sha256:
        with suppress(OSError):  # the folder is another user's, or another process was faster
            file.unlink()
        reason = f"{jar.coordinates} is not the jar whose hash is pinned"
        raise Failure(reason, "try again; if the hash is wrong again, do not use the jar")


def fetch(jar: Jar, file: Path) -> None:
    part = file.with_suffix(".part")
    try:
        with urllib.request.urlopen(jar.url, timeout=ANSWER_SECONDS) as answer, part.open("wb") as copy:
            shutil.copyfileobj(answer, copy)
    except OSError as error:
        reason = f"{jar.coordinates} could not be fetched from Maven Central: {reason_of(error)}"
        step = f"check the network and the proxy, or put the jar into {file.parent} as {file.name}"
        raise Failure(reason, step) from error
    part.replace(file)


def tail(text: str, lines: int = 12) -> str:
    """Return the last lines of a log, without those of a progress bar."""
    return "\n".join([line for line in text.splitlines() if line.strip(". \t-")][-lines:])
