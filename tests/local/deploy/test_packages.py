"""A function's package is its folder, a layer's is below `python/`, and the same content has the same bytes."""

import os
import stat
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from headwater.cli.machine.failure import Failure
from local.deploy.packages import content_name, function_package, layer_package
from local.layout import Layout


def names(package: bytes) -> list[str]:
    return zipfile.ZipFile(BytesIO(package)).namelist()


def write(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


@pytest.fixture
def function(tmp_path: Path) -> Path:
    write(tmp_path / "ingest" / "app.py", "handler = None\n")
    write(tmp_path / "ingest" / "__pycache__" / "app.pyc")
    return tmp_path / "ingest"


def test_a_function_is_its_folder_without_caches(function: Path) -> None:
    assert names(function_package(function)) == ["app.py"]


def test_the_same_content_is_the_same_package_whatever_its_times(function: Path) -> None:
    before = function_package(function)
    os.utime(function / "app.py", (0, 0))
    assert function_package(function) == before
    write(function / "app.py", "handler = 1\n")
    assert content_name(function_package(function)) != content_name(before)


def test_a_layers_packages_go_under_python_and_its_other_files_stay_out(tmp_path: Path) -> None:
    layer = tmp_path / "layers" / "headwater"
    write(layer / "headwater" / "__init__.py")
    write(layer / "headwater" / "graph" / "run.py")
    write(layer / "Makefile")
    assert names(layer_package(Layout(tmp_path), layer)) == [
        "python/headwater/__init__.py",
        "python/headwater/graph/run.py",
    ]


@pytest.fixture
def layer_with_requirements(tmp_path: Path) -> Path:
    """A layer with requirements, in a project whose uv installs one file and counts its calls."""
    script = write(
        tmp_path / ".local" / "uv" / "bin" / "uv",
        '#!/bin/sh\necho asked >> "$(dirname "$0")/asked"\n'
        'while [ "$1" != --target ]; do shift; done\nmkdir -p "$2/simplejson" && touch "$2/simplejson/__init__.py"\n',
    )
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return write(tmp_path / "layers" / "dependencies" / "requirements.txt", "simplejson==1").parent


def test_a_layers_requirements_are_installed_once(tmp_path: Path, layer_with_requirements: Path) -> None:
    layout = Layout(tmp_path)
    assert names(layer_package(layout, layer_with_requirements)) == ["python/simplejson/__init__.py"]
    layer_package(layout, layer_with_requirements)
    asked = layout.uv.with_name("asked")
    assert asked.read_text().splitlines() == ["asked"]
    write(layer_with_requirements / "requirements.txt", "simplejson==2")
    layer_package(layout, layer_with_requirements)
    assert asked.read_text().splitlines() == ["asked", "asked"]


def test_requirements_that_cannot_be_installed_are_a_failure(tmp_path: Path, layer_with_requirements: Path) -> None:
    write(Layout(tmp_path).uv, "#!/bin/sh\necho no such package >&2\nexit 1\n")
    with pytest.raises(Failure, match="no such package"):
        layer_package(Layout(tmp_path), layer_with_requirements)
