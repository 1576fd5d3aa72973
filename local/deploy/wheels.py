"""Installs pinned requirements for this interpreter, with the uv that the Makefile put into .local."""

import subprocess
import sys
from pathlib import Path

from headwater.cli.machine.failure import Failure
from local.layout import Layout

INSTALL = ["pip", "install", "--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]


def install(layout: Layout, requirements: Path, *options: str | Path) -> None:
    """Install the packages that a requirements file pins. Raises Failure."""
    command: list[str | Path] = [layout.uv, *INSTALL, *options, "--requirements", requirements]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise Failure("uv is not in .local", "run this through make, which installs it") from error
    except subprocess.CalledProcessError as error:
        reason = f"{requirements.relative_to(layout.root)} could not be installed:\n{error.stderr.strip()}"
        raise Failure(reason, "check the network and the package index, then try again") from error
