"""Measures the CPU time in which each function starts, beside that of boto3's client of DynamoDB: `make bench-cold`.

A start imports the app.py of a function and makes its clients, in a process of its own. The package headwater is a copy
with unchecked bytecode, as in the layer. The interpreter's own time is taken off, and rounds alternate.
"""

import compileall
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from py_compile import PycInvalidationMode

from benchmarks.figures import median
from tests.functions.environment import ROOT, environment

ROUNDS = 9
GOALS = {"authorise": 1.0, "ingest": 1.0, "lookup": 1.0, "normalise": 1.2, "alerts": 1.2, "curate": 1.5}
"""The most that a start may take, as a ratio to boto3's client of DynamoDB."""
CLIENT = 'import boto3; boto3.client("dynamodb")'


def measured(names: list[str], layer: Path) -> dict[str, float]:
    """The median CPU milliseconds of the client of boto3 and of each function, above those of a bare interpreter."""
    here = environment("web", layer)
    programs = {"python": ("pass", here), "boto3": (CLIENT, here)}
    programs |= {name: ("import app", environment(name, layer)) for name in names}
    times: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, (program, variables) in programs.items():
            times[name].append(_cpu(program, variables))
    bare = median(times.pop("python"))
    return {name: round(median(taken) - bare, 1) for name, taken in times.items()}


def _cpu(program: str, variables: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], env=variables, check=True)  # noqa: S603 - of ours
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def compiled_layer(folder: Path) -> Path:
    """A copy of the package headwater with its bytecode."""
    ignored = shutil.ignore_patterns("__pycache__", "built")
    shutil.copytree(ROOT / "layers" / "headwater" / "headwater", folder / "headwater", ignore=ignored)
    compileall.compile_dir(folder, quiet=2, invalidation_mode=PycInvalidationMode.UNCHECKED_HASH)
    return folder


def main() -> int:
    """Prints a table. Returns 1 if a function takes more than its goal."""
    names = sorted(app.parent.name for app in ROOT.glob("functions/*/app.py"))
    with tempfile.TemporaryDirectory() as folder:
        times = measured(names, compiled_layer(Path(folder)))
    ratios = {name: round(time / times["boto3"], 2) for name, time in times.items()}
    for name, time in times.items():
        goal = f"at most {GOALS[name]}" if name in GOALS else ""
        sys.stdout.write(f"{name:12} {time:6.0f} ms of CPU  {ratios[name]:5.2f}  {goal}\n")
    sys.stdout.write(json.dumps({"cpus": os.cpu_count(), "python": sys.version.split()[0], "ratios": ratios}) + "\n")
    return int(any(ratios[name] > goal for name, goal in GOALS.items()))


if __name__ == "__main__":
    sys.exit(main())
