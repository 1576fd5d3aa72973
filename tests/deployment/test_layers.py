"""The layers that `sam build` makes by their Makefile's commands."""

import json
import os
import subprocess
import sys
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from local.deploy.template import read_template
from tests.deployment.conftest import ROOT

UNCHECKED = b"\x01\0\0\0"
"""The flags of bytecode with an unchecked hash (PEP 552)."""
UV = """#!/bin/sh
echo uv "$@"
while [ $# -gt 0 ]; do
  case "$1" in --python-platform) platform=$2 ;; --target) target=$2 ;; esac
  shift
done
mkdir -p "$target" && touch "$target/core.py" "$target/core.$platform.so"
"""


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
    make(tools, "headwater", "build-HeadwaterLayer", f"ARTIFACTS_DIR={tmp_path}", "BYTECODE=no-such-python")
    source = ROOT / "layers" / "headwater" / "headwater"
    built = tmp_path / "python" / "headwater"
    modules = {file.relative_to(source) for file in source.rglob("*.py")}
    homes = {module for module in modules if module.parts[0] in ("cli", "serve")}
    assert homes
    assert {file.relative_to(built) for file in built.rglob("*.py")} == modules - homes
    assert not list(built.rglob("__pycache__"))


@pytest.mark.parametrize("platform", ["aarch64-manylinux2014", "x86_64-manylinux2014"])
def test_locked_wheels_are_fetched_for_both_processors_of_lambda(tools: Path, platform: str, tmp_path: Path) -> None:
    called = make_dependencies(tools, tmp_path)
    assert f"--python-platform {platform}" in called
    for argument in ("--python-version 3.12", "--only-binary :all:", "--require-hashes", f"--target {tmp_path}/python"):
        assert argument in called


def test_the_compiled_modules_of_both_processors_lie_side_by_side(tools: Path, tmp_path: Path) -> None:
    make_dependencies(tools, tmp_path)
    found = sorted(file.name for file in (tmp_path / "python").iterdir())
    assert found == ["core.aarch64-manylinux2014.so", "core.py", "core.x86_64-manylinux2014.so"]
    assert not (tmp_path / "x86_64").exists()


def test_a_layer_has_bytecode_that_no_function_checks_against_its_source(tools: Path, tmp_path: Path) -> None:
    compiler = f"{sys.executable} -m compileall -q --invalidation-mode unchecked-hash -s {tmp_path} -p /opt"
    make(tools, "headwater", "build-HeadwaterLayer", f"ARTIFACTS_DIR={tmp_path}", f"BYTECODE={compiler}")
    built = tmp_path / "python" / "headwater"
    compiled = {Path(cache_from_source(str(module))) for module in built.rglob("*.py")}
    assert compiled
    assert compiled == set(built.rglob("*.pyc"))
    assert {file.read_bytes()[4:8] for file in compiled} == {UNCHECKED}


def test_a_layer_without_the_python_of_the_runtime_has_no_bytecode_and_says_so(tools: Path, tmp_path: Path) -> None:
    made = make(tools, "headwater", "build-HeadwaterLayer", f"ARTIFACTS_DIR={tmp_path}", "BYTECODE=no-such-python -m x")
    assert "no bytecode, so cold starts take longer: run make build, or install Python 3.12" in made.stderr
    assert not list(tmp_path.rglob("*.pyc"))


def test_the_compiler_of_make_build_is_the_python_of_the_runtime() -> None:
    runtime = read_template(ROOT / "template.yaml")["Globals"]["Function"]["Runtime"]
    package = json.loads((ROOT / "layers" / "compiler" / "package.json").read_text(encoding="utf-8"))
    assert (runtime, package["dependencies"]["pyodide"]) == ("python3.12", "0.27.7"), "Pyodide 0.27 is Python 3.12"


def make_dependencies(tools: Path, artifacts: Path) -> str:
    """Builds the layer with a `uv` that writes a module for each platform, and returns how that was called."""
    (tools / "uv").write_text(UV, encoding="utf-8")
    arguments = (f"ARTIFACTS_DIR={artifacts}", "BYTECODE=no-such-python")
    return make(tools, "dependencies", "build-DependenciesLayer", *arguments).stdout


def make(tools: Path, layer: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = ["make", "--silent", "--directory", str(ROOT / "layers" / layer), *arguments]
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(command, check=check, capture_output=True, text=True, env=environment)  # noqa: S603  our own
