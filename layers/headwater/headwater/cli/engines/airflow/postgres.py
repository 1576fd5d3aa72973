"""A Postgres as a child process, from the wheel pgserver: a database `shop` on a loopback port, without a password."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from headwater.cli.jvm.jars import tail
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.process_group import end_group

READY_SECONDS = 30
PRINT_FOLDER = "import pathlib, pgserver; print(pathlib.Path(pgserver.__file__).parent / 'pginstall' / 'bin')"


@contextmanager
def run_postgres(programs: Path, folder: Path) -> Iterator[str]:
    """Run a new server for a `with` block, and yield its host and port. Raises Failure."""
    found = subprocess.run([programs / "python", "-I", "-c", PRINT_FOLDER], capture_output=True, text=True, check=True)
    postgres = Path(found.stdout.strip())
    user = make_folder(folder)
    if user is not None:  # who may not enter root's folder of caches
        postgres = copied(postgres, folder / "programs")
    data, log, port = folder / "data", folder / "postgres.log", free_port()
    with log.open("wb") as output:
        made: list[str | Path] = [
            postgres / "initdb",
            "--pgdata",
            data,
            "--username",
            "shop",
            "--auth",
            "trust",
            "--encoding",
            "UTF8",
        ]
        if subprocess.run(made, stdout=output, stderr=output, cwd=folder, user=user, check=False).returncode:
            raise failure("Postgres could not make its files", log)
        command: list[str | Path] = [
            postgres / "postgres",
            "-D",
            data,
            "-p",
            str(port),
            "-h",
            "127.0.0.1",
            "-k",
            folder,
            "-F",
        ]
        process = subprocess.Popen(command, stdout=output, stderr=output, cwd=folder, user=user, start_new_session=True)
    try:
        psql = [str(postgres / "psql"), "-h", "127.0.0.1", "-p", str(port), "-U", "shop", "-d", "postgres"]
        wait_until_ready(process, psql, log)
        subprocess.run([*psql, "-c", "CREATE DATABASE shop"], capture_output=True, check=True)
        yield f"127.0.0.1:{port}"
    finally:
        end_group(process)


def make_folder(folder: Path) -> int | None:
    """Make the folder, and return the user that owns it if it is another: Postgres refuses to run as root."""
    folder.mkdir()
    if os.geteuid() != 0:
        return None
    folder.parent.chmod(0o711)
    shutil.chown(folder, "nobody")
    return folder.stat().st_uid


def copied(programs: Path, folder: Path) -> Path:
    """Copy the programs with the libraries beside their package, and return their folder."""
    packages = programs.parents[2]
    for package in packages.glob("pgserver*"):
        shutil.copytree(package, folder / package.name)
    return folder / programs.relative_to(packages)


def wait_until_ready(process: subprocess.Popen[bytes], psql: Sequence[str], log: Path) -> None:
    """Waits for the answer to a query: the port is open while the server is still starting."""
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if subprocess.run([*psql, "-c", "SELECT 1"], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.1)
    raise failure(f"Postgres was not ready within {READY_SECONDS} s, or ended", log)


def failure(reason: str, log: Path) -> Failure:
    text = tail(log.read_text(encoding="utf-8", errors="replace"))
    return Failure(f"{reason}:\n{text}", "correct the cause that the lines name")
