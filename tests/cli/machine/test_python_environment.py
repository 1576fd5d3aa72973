"""An environment of pinned packages is made by uv or by pip, once for its pins."""

import hashlib
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from headwater.cli.machine import python_environment
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.python_environment import bin_folder
from local.layout import Layout

UV = Layout.here().uv


def requirements(folder: Path, version: str, sha256: str = "") -> Path:
    """The pin of a wheel whose package says its version, and needs what no index has."""
    wheel = folder / f"thing-{version}-py3-none-any.whl"
    metadata = {
        "METADATA": f"Metadata-Version: 2.1\nName: thing\nVersion: {version}\nRequires-Dist: no-such-thing\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(wheel, "w") as files:
        files.writestr("thing.py", f"print({version!r})\n")
        for name, text in metadata.items():
            files.writestr(f"thing-{version}.dist-info/{name}", text)
    pin = sha256 or hashlib.sha256(wheel.read_bytes()).hexdigest()
    file = folder / "requirements.txt"
    file.write_text(f"thing @ {wheel.as_uri()} --hash=sha256:{pin}\n")
    return file


@pytest.mark.parametrize(
    "uv", [pytest.param(str(UV), id="uv"), pytest.param(None, marks=pytest.mark.engine, id="venv and pip")]
)
def test_an_environment_has_what_is_pinned_now(uv: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: uv)
    monkeypatch.chdir(tmp_path)
    for name in ("venv", "pip"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(1)  # the user's own")
    for version in ("1.0", "2.0"):
        pinned = requirements(tmp_path, version)
        python = bin_folder(tmp_path, "thing", pinned) / "python"
        run = subprocess.run([python, "-c", "import thing"], capture_output=True, text=True, check=True)  # noqa: S603
        assert run.stdout == f"{version}\n"
    monkeypatch.setattr(python_environment, "install", None)  # it is there
    assert bin_folder(tmp_path, "thing", pinned) == python.parent


def test_a_package_that_is_not_what_is_pinned_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: str(UV))
    with pytest.raises(Failure, match="could not be installed"):
        bin_folder(tmp_path, "thing", requirements(tmp_path, "1.0", "0" * 64))
