"""A Python environment for packages that clash with Headwater's own, or that few people need."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from headwater.cli.machine.failure import Failure


def bin_folder(state: Path, name: str, requirements: Path) -> Path:
    """Return the folder of the programs of a file of pinned requirements, installed on first use. Raises Failure."""
    pins = requirements.read_text(encoding="utf-8")
    environment = state / "python" / name
    installed = environment / "installed.txt"
    if not installed.is_file() or installed.read_text(encoding="utf-8") != pins:
        print(f"installing {pins.count('==')} Python packages for {name}, once", file=sys.stderr, flush=True)
        install(state, environment, requirements)
        installed.write_text(pins, encoding="utf-8")
    return environment / "bin"


def install(state: Path, environment: Path, requirements: Path) -> None:
    """Make a fresh environment: with uv if there is one, which is faster, else with venv and pip, and
    with nothing of the current folder. Raises Failure."""
    python = environment / "bin" / "python"
    uv = shutil.which("uv", path=os.pathsep.join([str(state / "uv" / "bin"), os.environ.get("PATH", "")]))
    if uv:
        run(uv, "venv", "--quiet", "--clear", "--python", sys.executable, environment)
        run(uv, "pip", "sync", "--quiet", "--require-hashes", "--python", python, requirements)
    else:
        run(sys.executable, "-I", "-m", "venv", "--clear", environment)
        pip = (python, "-I", "-m", "pip")
        run(*pip, "install", "--quiet", "--no-deps", "--require-hashes", "--requirement", requirements)


def run(*command: str | Path) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except subprocess.CalledProcessError as error:
        reason = f"the packages could not be installed:\n{(error.stdout + error.stderr).strip()}"
        raise Failure(reason, "check the network and the package index, then try again") from error
