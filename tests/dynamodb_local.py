"""DynamoDB Local, AWS's own emulator of DynamoDB, as a child process that keeps its tables in memory.

DynamoDB Local is stricter than the embedded stack's emulator: it has DynamoDB's conditions under concurrent writers,
its limits and its indexes. Its jars come from Maven Central, by the resolver of PySpark, and are checked against their
pins.
"""

import fcntl
import hashlib
import platform
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
import pytest

from headwater.cli.jvm.jars import tail
from headwater.cli.jvm.java import java_home
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.process_group import EXIT_WITH_PARENT, end_group
from local.emulator.account import Account
from local.layout import Layout
from tests.truststore import trust_options

COORDINATES = ("com.amazonaws", "DynamoDBLocal", "2.6.1")
PINS = Path(__file__).with_name("dynamodb_local.sha256")
PLATFORM = ("Linux", "x86_64")
SERVER = "com.amazonaws.services.dynamodbv2.local.main.ServerRunner"
FETCH_SECONDS = 600
READY_SECONDS = 30
STEPS_A_LINE = 20

WriteLine = Callable[[str], None]


@contextmanager
def dynamodb_local(config: pytest.Config, folder: Path) -> Iterator[Account]:
    """Run it, empty, for the length of a `with` block; `folder` takes its log. Skips the test where it cannot run."""
    if (platform.system(), platform.machine()) != PLATFORM:
        pytest.skip("DynamoDB Local's native library is published for Linux on x86-64 alone")
    layout, port, log = Layout.here(), free_port(), folder / "dynamodb-local.log"
    java = java_home(layout.state) / "bin" / "java"
    account = Account(f"http://127.0.0.1:{port}")
    fetched = files(layout.state / "dynamodb-local", java, terminal_writer(config))
    with start(command(java, fetched, port), log) as process:
        try:
            wait_until_ready(process, port, log)
            yield account
        finally:
            account.close()
            end_group(process)


def terminal_writer(config: pytest.Config) -> WriteLine:
    """Return what writes a line to the terminal, past the capture of output; a pytest-xdist worker has no terminal."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")

    def write(line: str) -> None:
        with capture.global_and_fixture_disabled():
            terminal.write_line(line)

    return write if terminal else lambda _: None


def files(folder: Path, java: Path, write: WriteLine) -> list[Path]:
    """Return the pinned files, fetched if they are not there yet; of several test runs one fetches. Raises Failure."""
    folder.mkdir(parents=True, exist_ok=True)
    pins = pinned()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if unverified(folder, pins):
            fetch(folder, java, pins, write)
    return [folder / name for name in pins]


def pinned() -> dict[str, str]:
    """Return what each file must hash to, by its name: PINS is in the format of sha256sum."""
    lines = (line.split() for line in PINS.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: sha256 for sha256, name in lines}


def unverified(folder: Path, pins: dict[str, str]) -> list[Path]:
    """Return the files that are missing or are not what was pinned."""
    return [folder / name for name, sha256 in pins.items() if digest(folder / name) != sha256]


def digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def fetch(folder: Path, java: Path, pins: dict[str, str], write: WriteLine) -> None:
    for file in unverified(folder, pins):
        file.unlink(missing_ok=True)  # the resolver would leave it as it is
    output = resolve(
        folder, java, lambda steps: write(f"fetching DynamoDB Local, once: {steps} of {2 * len(pins)} steps")
    )
    bad = unverified(folder, pins)
    if bad:
        names = ", ".join(file.name for file in bad[:3])
        reason = f"{len(bad)} files are missing or are not what {PINS.name} pins ({names}):\n{tail(output)}"
        raise Failure(reason, f"check the network and the proxy, remove {folder} and try again")


def resolve(folder: Path, java: Path, progress: Callable[[int], None]) -> str:
    """Fetch DynamoDB Local, its dependencies and its native library, and return the resolver's output."""
    (ivy,) = Path(pyspark.__file__).parent.glob("jars/ivy-*.jar")
    resolver = [str(java), *trust_options(folder), "-jar", str(ivy), "-cache", str(folder / "ivy")]
    wanted = ["-confs", "default", "-types", "jar", "bundle", "so", "-dependency", *COORDINATES]
    retrieve = ["-retrieve", str(folder / "[artifact]-[revision].[ext]")]
    with subprocess.Popen(  # noqa: S603 - our own words
        [*resolver, *wanted, *retrieve], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        out_of_time = threading.Timer(FETCH_SECONDS, process.kill)
        out_of_time.start()
        try:
            return "".join(counted(process.stdout or [], progress))
        finally:
            out_of_time.cancel()


def counted(lines: Iterable[str], progress: Callable[[int], None]) -> Iterator[str]:
    """Pass lines on, and report the number of steps done. A module takes two steps: found, then fetched."""
    steps = 0
    for line in lines:
        yield line
        if line.startswith(("\tfound ", "\t[SUCCESSFUL ]")):
            steps += 1
            if steps % STEPS_A_LINE == 0:
                progress(steps)


def command(java: Path, jars_and_library: list[Path], port: int) -> list[str]:
    jars = [str(file) for file in jars_and_library if file.suffix == ".jar"]
    library = jars_and_library[0].parent
    options = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]  # starts fast on a small machine
    options += [f"-Djava.library.path={library}", f"-Dsqlite4java.library.path={library}", "-cp", ":".join(jars)]
    return [str(java), *options, SERVER, "-port", str(port), "-inMemory", "-sharedDb", "-disableTelemetry"]


def start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        return subprocess.Popen(  # noqa: S603 - our own words
            ["/bin/sh", "-c", EXIT_WITH_PARENT, "sh", *command],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def wait_until_ready(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    log_text = log.read_text(encoding="utf-8", errors="replace")
    raise Failure(f"DynamoDB Local was not ready within {READY_SECONDS} s, or ended:\n{tail(log_text)}", f"read {log}")


def main() -> None:
    """Fetch it, so that no test has to wait for it."""
    layout = Layout.here()
    files(layout.state / "dynamodb-local", java_home(layout.state) / "bin" / "java", print)


if __name__ == "__main__":
    main()
