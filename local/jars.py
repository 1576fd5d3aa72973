"""Fetches jars by their Maven coordinates, with the resolver inside PySpark, and holds them to their pins."""

import fcntl
import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyspark

from local.failure import Failure
from local.layout import Layout
from local.truststore import trust_options

RESOLVE_SECONDS = 300
PINS = Path(__file__).with_name("jars.sha256")
"""The listener alone; the lists beside it are of what else a version of Spark wants, and of a Kafka broker."""
CONNECTORS = Path(__file__).with_name("connectors.sha256")
SPARK_4 = Path(__file__).with_name("spark_4.sha256")
BROKER = Path(__file__).with_name("broker.sha256")


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


def jar_files(layout: Layout, java: Path, *pins: Path) -> list[Path]:
    """Return the files of the jars that these lists pin (the listener's, if none is named), fetched if need be."""
    folder = layout.state / "jars"
    return held_to_their_pins([jar for each in pins or (PINS,) for jar in pinned_jars(each)], folder, java)


def held_to_their_pins(jars: list[Jar], folder: Path, java: Path) -> list[Path]:
    """Return the jars' files; those that are missing are fetched at once, by one of the processes that want them."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [jar for jar in jars if not (folder / jar.file_name).is_file()]
        if missing:
            names = ", ".join(jar.name for jar in missing)
            print(f"fetching from Maven Central, once: {names}", file=sys.stderr, flush=True)
            fetch(missing, folder, java)
    for jar in jars:
        check(folder / jar.file_name, jar)
    return [folder / jar.file_name for jar in jars]


def check(file: Path, jar: Jar) -> None:
    with file.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if sha256 != jar.sha256:
        file.unlink()
        reason = f"{jar.coordinates} is not the jar that is pinned in local"
        raise Failure(reason, "try again; if it stays so, do not use it")


def fetch(jars: list[Jar], folder: Path, java: Path) -> None:
    wanted = folder / "wanted.xml"
    wanted.write_text(module_of(jars), encoding="utf-8")
    command = [str(java), *trust_options(folder), "-jar", str(ivy()), "-cache", str(folder / "ivy")]
    command += ["-ivy", str(wanted), "-confs", "default", "-types", "jar", "bundle"]
    command += ["-retrieve", str(folder / "[organisation]_[artifact]-[revision].[ext]")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RESOLVE_SECONDS, check=False)
        said = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        said = f"no answer within {RESOLVE_SECONDS} s"
    for jar in jars:
        if not (folder / jar.file_name).is_file():
            reason = f"{jar.coordinates} could not be fetched from Maven Central:\n{tail(said)}"
            raise Failure(reason, f"check the network and the proxy, or put the jar into {folder} as {jar.file_name}")


def module_of(jars: list[Jar]) -> str:
    """Return the resolver's description of something that depends on these jars and on nothing that they ask for."""
    wanted = "".join(
        f'<dependency org="{jar.organisation}" name="{jar.name}" rev="{jar.revision}" transitive="false"/>'
        for jar in jars
    )
    info = '<info organisation="local" module="wanted"/>'
    return f'<ivy-module version="2.0">{info}<dependencies>{wanted}</dependencies></ivy-module>'


def ivy() -> Path:
    (found,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
    return found


def tail(text: str, lines: int = 12) -> str:
    """Return the last lines that hold more than a progress bar."""
    return "\n".join([line for line in text.splitlines() if line.strip(". \t-")][-lines:])
