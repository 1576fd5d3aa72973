"""`headwater submit --fetch-jars` fetches what submit and tests need into a folder, where both find it."""

import hashlib
from pathlib import Path

import pytest

from headwater.cli.jvm import jars
from headwater.cli.jvm.jars import fetch_into, jar_files
from headwater.cli.submit import __main__ as command

CONTENT = b"a jar"


@pytest.fixture
def pins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    published = tmp_path / "central" / "io" / "example" / "thing" / "1.0" / "thing-1.0.jar"
    published.parent.mkdir(parents=True)
    published.write_bytes(CONTENT)
    monkeypatch.setattr(jars, "CENTRAL", (tmp_path / "central").as_uri())
    file = tmp_path / "pins.sha256"
    file.write_text(f"{hashlib.sha256(CONTENT).hexdigest()} io.example:thing:1.0\n")
    monkeypatch.setattr(command, "spark_pins", lambda: (file,))
    return file


def test_the_jars_are_in_the_folder_once_and_are_found_there_offline(
    pins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "kept"
    with pytest.raises(SystemExit, match=r"^0$"):
        command.main(["--fetch-jars", str(folder)])
    assert f"next: set HEADWATER_JARS={folder}" in capsys.readouterr().out
    monkeypatch.setattr(jars, "CENTRAL", "http://127.0.0.1:1")
    with pytest.raises(SystemExit, match=r"^0$"):
        command.main(["--fetch-jars", str(folder)])
    monkeypatch.setenv("HEADWATER_JARS", str(folder))
    assert jar_files(tmp_path / "state", pins) == [folder / "io.example_thing-1.0.jar"] == fetch_into(folder, pins)


def test_a_jar_that_cannot_be_fetched_is_told(pins: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "CENTRAL", "http://127.0.0.1:1")
    with pytest.raises(SystemExit, match=r"failed: io\.example:thing:1\.0 could not be fetched"):
        command.main(["--fetch-jars", str(tmp_path / "kept")])
