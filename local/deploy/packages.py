"""The zip files of functions and layers. Zip files of the same content are equal byte by byte."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from headwater.cli.machine.failure import Failure
from local.layout import Layout

INSTALL = ["pip", "install", "--quiet", "--no-deps", "--require-hashes", "--python", sys.executable]
EPOCH = (1980, 1, 1, 0, 0, 0)
EXCLUDED = {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
HOMES = {"cli", "serve"}
"""What people run: no function imports it (layers/headwater/Makefile)."""
NAME_LENGTH = 16


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


def function_package(source: Path) -> bytes:
    """Return the zip of a function's folder."""
    return zip_files((file.relative_to(source).as_posix(), file) for file in files_below(source))


def layer_package(layout: Layout, source: Path) -> bytes:
    """Return the zip of a layer: its packages and its requirements below `python/`.

    The requirements are installed for this interpreter, which runs the emulator's Lambda processes; `sam build`
    installs them for Lambda's platform.
    """
    return zip_files(layer_files(layout, source))


def layer_files(layout: Layout, source: Path) -> Iterator[tuple[str, Path]]:
    for file in files_below(source):
        path = file.relative_to(source)
        if (source / path.parts[0] / "__init__.py").is_file() and path.parts[1] not in HOMES:
            yield f"python/{path.as_posix()}", file
    requirements = source / "requirements.txt"
    if requirements.is_file():
        folder = install_once(layout, requirements)
        for file in files_below(folder):
            yield f"python/{file.relative_to(folder).as_posix()}", file


def install_once(layout: Layout, requirements: Path) -> Path:
    """Return a folder with the requirements, installed once for each version of the file and of this interpreter."""
    version = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:NAME_LENGTH]
    target = layout.state / "layers" / version
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another stack may be started from this folder, too
        if not target.is_dir():
            unfinished = target.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            install(layout, requirements, "--target", unfinished)
            unfinished.rename(target)
    return target


def files_below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not EXCLUDED.intersection(path.relative_to(folder).parts):
            yield path


def zip_files(files: Iterator[tuple[str, Path]]) -> bytes:
    """Return a zip without times, and without compression, since the zip never leaves this machine."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, file in files:
            archive.writestr(zipfile.ZipInfo(name, EPOCH), file.read_bytes())
    return buffer.getvalue()


def content_name(package: bytes) -> str:
    """Return the object key of a package. The key is a hash, so a deployment of unchanged code changes nothing."""
    return f"{hashlib.sha256(package).hexdigest()[:NAME_LENGTH]}.zip"
