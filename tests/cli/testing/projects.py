"""Runs pytest with the plugin on a small project, as a process of its own: the project's, and nothing of this one."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from tests.serve.process import ENVIRONMENT, ROOT

PLUGIN = ("-p", "headwater.cli.testing.plugin", "-p", "no:cacheprovider", "--import-mode=prepend")
SECONDS = 300


class Ran(NamedTuple):
    status: int
    output: str


def run_pytest(project: Path, *arguments: str, python_path: Iterable[Path] = (), **more: str) -> Ran:
    """The outcome of pytest in the folder of a project; `more` is added to the environment."""
    path = os.pathsep.join(map(str, (*python_path, ROOT / "layers" / "headwater")))
    environment = {**ENVIRONMENT, "PYTHONPATH": path, **more}
    command = [sys.executable, "-m", "pytest", *PLUGIN, *arguments]
    done = subprocess.run(  # noqa: S603
        command, cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=SECONDS
    )
    return Ran(done.returncode, done.stdout + done.stderr)
