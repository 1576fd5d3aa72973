"""What the wheel's modules import is declared in pyproject.toml; the launcher and the wheel have the same commands."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from headwater.cli.__main__ import COMMANDS
from tests.serve.process import ENVIRONMENT, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
OF_LAMBDA = {"aws_lambda_powertools"}
"""What only a Lambda imports."""
PACKAGES = {
    "pydantic_core": "pydantic-core",
    "kafka": "kafka-python",
    "yaml": "pyyaml",
    "attr": "attrs",
    "openlineage": "openlineage-python",
    "py4j": "pyspark",
}


def modules() -> Iterator[Path]:
    for shipped in PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]:
        path = ROOT / shipped
        yield from [path] if path.is_file() else path.rglob("*.py")


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "").partition(".")[0]


def declared() -> set[str]:
    project = PROJECT["project"]
    wanted = [
        *project["dependencies"],
        *(requirement for extra in project["optional-dependencies"].values() for requirement in extra),
    ]
    return {re.split(r"[>=; ]", requirement)[0] for requirement in wanted}


def test_what_the_wheel_imports_is_declared() -> None:
    own = {"headwater", "job_lineage"}
    names = {name for path in modules() for name in imported(path)} - own - set(sys.stdlib_module_names) - OF_LAMBDA
    assert {PACKAGES.get(name, name) for name in names} <= declared()
    assert "uvicorn" in names


def test_every_command_tells_its_options() -> None:
    for name in COMMANDS:
        command = [sys.executable, "-m", "headwater.cli", name, "--help"]
        run = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)  # noqa: S603
        assert run.stdout.startswith(f"usage: headwater {name}")


def test_an_unknown_command_is_told_the_known_ones() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "headwater.cli", "sevre"], env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert all(f"headwater {name} " in run.stderr for name in COMMANDS)
