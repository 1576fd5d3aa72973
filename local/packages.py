"""Makes the zips that the deployment uploads: one a function, one a layer, the same bytes for the same content."""

import hashlib
import shutil
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from local.layout import Layout
from local.wheels import install

EPOCH = (1980, 1, 1, 0, 0, 0)
LEFT_OUT = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
NAME_LENGTH = 16


def function_package(source: Path) -> bytes:
    """Return the zip of a function's folder."""
    return zipped((file.relative_to(source).as_posix(), file) for file in files_below(source))


def layer_package(layout: Layout, source: Path) -> bytes:
    """Return the zip of a layer: its packages and its requirements under `python/`, as Lambda puts them on the path.

    The template's own build fetches wheels for Lambda's platform; here they are those of this interpreter.
    """
    return zipped(layer_files(layout, source))


def layer_files(layout: Layout, source: Path) -> Iterator[tuple[str, Path]]:
    for file in files_below(source):
        path = file.relative_to(source)
        if (source / path.parts[0] / "__init__.py").is_file():
            yield f"python/{path.as_posix()}", file
    requirements = source / "requirements.txt"
    if requirements.is_file():
        folder = installed(layout, requirements)
        for file in files_below(folder):
            yield f"python/{file.relative_to(folder).as_posix()}", file


def installed(layout: Layout, requirements: Path) -> Path:
    """Return a folder with the requirements installed for this interpreter; it is kept until they change."""
    version = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:NAME_LENGTH]
    target = layout.state / "layers" / version
    if not target.is_dir():
        unfinished = target.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        install(layout, requirements, "--target", unfinished)
        unfinished.rename(target)
    return target


def files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not LEFT_OUT.intersection(path.relative_to(folder).parts):
            yield path


def zipped(files: Iterator[tuple[str, Path]]) -> bytes:
    """Return a zip without compression, since it never leaves the machine, and without times."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, file in files:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), file.read_bytes())
    return buffer.getvalue()


def content_name(package: bytes) -> str:
    """Return the object key of a package: its hash, so that unchanged code deploys as no change."""
    return f"{hashlib.sha256(package).hexdigest()[:NAME_LENGTH]}.zip"
