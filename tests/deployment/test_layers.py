"""The layers that `sam build` makes by their Makefile's commands."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.deployment.conftest import ROOT


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A folder with a `uv` that only says how it was called."""
    folder = tmp_path / "bin"
    folder.mkdir()
    uv = folder / "uv"
    uv.write_text('#!/bin/sh\necho uv "$@"\n', encoding="utf-8")
    uv.chmod(0o755)
    return folder


def test_the_package_lands_where_lambda_looks_for_it(tools: Path, tmp_path: Path) -> None:
    make(tools, "headwater", "build-HeadwaterLayer", f"ARTIFACTS_DIR={tmp_path}")
    source = ROOT / "layers" / "headwater" / "headwater"
    built = tmp_path / "python" / "headwater"
    modules = {file.relative_to(source) for file in source.rglob("*.py")}
    assert modules
    assert {file.relative_to(built) for file in built.rglob("*.py")} == modules
    assert not list(built.rglob("__pycache__"))


@pytest.mark.parametrize(
    ("arguments", "platform"),
    [([], "aarch64-manylinux2014"), (["ARCHITECTURE=x86_64"], "x86_64-manylinux2014")],
)
def test_locked_wheels_are_fetched_for_the_processor_of_the_functions(
    tools: Path, arguments: list[str], platform: str
) -> None:
    called = make(tools, "dependencies", "build-DependenciesLayer", "ARTIFACTS_DIR=out", *arguments).stdout
    assert f"--python-platform {platform}" in called
    for argument in ("--python-version 3.12", "--only-binary :all:", "--require-hashes", "--target out/python"):
        assert argument in called


def test_a_processor_that_lambda_lacks_is_refused_by_name(tools: Path) -> None:
    refused = make(tools, "dependencies", "build-DependenciesLayer", "ARCHITECTURE=riscv64", check=False)
    assert refused.returncode != 0
    assert 'ARCHITECTURE is "riscv64", but Lambda has only arm64 and x86_64' in refused.stderr


def make(tools: Path, layer: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = ["make", "--silent", "--directory", str(ROOT / "layers" / layer), *arguments]
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, check=check, capture_output=True, text=True, env=environment)  # noqa: S603  our own
