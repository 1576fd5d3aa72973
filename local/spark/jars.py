"""Fetches jars by their Maven coordinates, with the resolver inside PySpark, and verifies their pinned hashes."""

import fcntl
import hashlib
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pyspark

from local.failure import Failure
from local.layout import Layout
from local.spark.truststore import trust_options

RESOLVE_SECONDS = 600
LISTENER_PINS = Path(__file__).with_name("listener.sha256")
CONNECTOR_PINS = Path(__file__).with_name("connectors.sha256")
SPARK_4_PINS = Path(__file__).with_name("spark_4.sha256")
BROKER_PINS = Path(__file__).with_name("broker.sha256")
CONNECT_PINS = Path(__file__).with_name("connect.sha256")
REGISTRY_PINS = Path(__file__).with_name("registry.sha256")


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


def pinned_jars(pins: Path) -> list[Jar]:
    lines = (line.split() for line in pins.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return [Jar(sha256, *coordinates.split(":")) for sha256, coordinates in lines]


def jar_files(layout: Layout, java: Path, *pins: Path) -> list[Path]:
    """Return the files of the jars that these lists pin. Missing jars are fetched."""
    return verified_files([jar for pin in pins for jar in pinned_jars(pin)], layout.state / "jars", java)


def verified_files(jars: list[Jar], folder: Path, java: Path) -> list[Path]:
    """Return the files of the jars. If several processes need a missing jar, one process fetches it, the others wait.

    Raises Failure if a jar cannot be fetched or has another hash.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [jar for jar in jars if not (folder / jar.file_name).is_file()]
        if missing:
            names = ", ".join(jar.name for jar in missing)
            print(f"fetching from Maven Central, once: {names}", file=sys.stderr, flush=True)
            fetch(missing, folder, java)
    for jar in jars:
        verify(folder / jar.file_name, jar)
    return [folder / jar.file_name for jar in jars]


def verify(file: Path, jar: Jar) -> None:
    with file.open("rb") as stream:
        sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
    if sha256 != jar.sha256:
        file.unlink()
        reason = f"{jar.coordinates} is not the jar whose hash is pinned"
        raise Failure(reason, "try again; if the hash is wrong again, do not use the jar")


def fetch(jars: list[Jar], folder: Path, java: Path) -> None:
    module = folder / "module.xml"
    module.write_text(ivy_module(jars), encoding="utf-8")
    command = [str(java), *trust_options(folder), "-jar", str(ivy()), "-cache", str(folder / "ivy")]
    command += ["-ivy", str(module), "-confs", "default", "-types", "jar", "bundle", "tar.gz"]
    command += ["-retrieve", str(folder / "[organisation]_[artifact]-[revision].[ext]")]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=RESOLVE_SECONDS, check=False)
        output = done.stdout + done.stderr
    except subprocess.TimeoutExpired:
        output = f"no answer within {RESOLVE_SECONDS} s"
    for jar in jars:
        if not (folder / jar.file_name).is_file():
            reason = f"{jar.coordinates} could not be fetched from Maven Central:\n{tail(output)}"
            raise Failure(reason, f"check the network and the proxy, or put the jar into {folder} as {jar.file_name}")


def ivy_module(jars: list[Jar]) -> str:
    """Return an Ivy module that depends on these jars, without their own dependencies."""
    dependencies = "".join(
        f'<dependency org="{jar.organisation}" name="{jar.name}" rev="{jar.revision}" transitive="false">'
        f"{artifact(jar)}</dependency>"
        for jar in jars
    )
    info = '<info organisation="local" module="jars"/>'
    namespace = 'xmlns:m="http://ant.apache.org/ivy/maven"'
    return f'<ivy-module version="2.0" {namespace}>{info}<dependencies>{dependencies}</dependencies></ivy-module>'


def artifact(jar: Jar) -> str:
    """Return the element that names a file of another type than Maven's default, such as `tar.gz`."""
    if jar.extension == "jar":
        return ""
    classifier = f' m:classifier="{jar.classifier}"' if jar.classifier else ""
    return f'<artifact name="{jar.name}" type="{jar.extension}" ext="{jar.extension}"{classifier}/>'


def ivy() -> Path:
    (jar,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
    return jar


def tail(text: str, lines: int = 12) -> str:
    """Return the last lines of a log, without those of a progress bar."""
    return "\n".join([line for line in text.splitlines() if line.strip(". \t-")][-lines:])
