"""Jars are named by coordinates and held to their pins."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from headwater.cli.jvm import jars
from headwater.cli.jvm.jars import (
    BROKER_PINS,
    CONNECTOR_PINS,
    LISTENER_PINS,
    SPARK_4_PINS,
    Jar,
    pinned_jars,
    verified_files,
)
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port

CONTENT = b"a jar"
JAR = Jar(hashlib.sha256(CONTENT).hexdigest(), "io.example", "thing_2.12", "1.0")


def test_the_listener_is_pinned() -> None:
    assert [jar.coordinates for jar in pinned_jars(LISTENER_PINS)] == ["io.openlineage:openlineage-spark_2.12:1.53.0"]


def test_every_list_pins_its_jars_by_their_hashes() -> None:
    jars = [jar for pins in (LISTENER_PINS, CONNECTOR_PINS, SPARK_4_PINS, BROKER_PINS) for jar in pinned_jars(pins)]
    assert all(len(jar.sha256) == 64 for jar in jars)
    assert len({jar.file_name for jar in jars}) == len(jars)


def test_a_jar_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    (tmp_path / JAR.file_name).write_bytes(CONTENT)
    assert verified_files([JAR], tmp_path) == [tmp_path / JAR.file_name]
    assert [file.name for file in tmp_path.iterdir()] == [JAR.file_name], "the folder may be one that only root writes"


def test_another_jar_under_the_name_is_refused_and_removed(tmp_path: Path) -> None:
    (tmp_path / JAR.file_name).write_bytes(b"something else")
    with pytest.raises(Failure, match=r"io\.example:thing_2\.12:1\.0 is not the jar"):
        verified_files([JAR], tmp_path)
    assert not (tmp_path / JAR.file_name).exists()


def test_another_jar_is_refused_where_it_cannot_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / JAR.file_name).write_bytes(b"something else")

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(Failure, match="is not the jar"):
        verified_files([JAR], tmp_path)


def test_an_unreachable_repository_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jars, "CENTRAL", f"http://127.0.0.1:{free_port()}")
    with pytest.raises(Failure, match="Connection refused") as failure:
        verified_files([JAR], tmp_path)
    assert "Maven Central" in failure.value.reason
    assert JAR.file_name in failure.value.next_step
    assert [file.name for file in tmp_path.iterdir()] == ["lock"]


def test_a_missing_jar_is_fetched_by_its_coordinates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = replace(JAR, extension="tar.gz", classifier="all")
    for jar, name in ((JAR, "thing_2.12-1.0.jar"), (archive, "thing_2.12-1.0-all.tar.gz")):
        published = tmp_path / "central" / "io" / "example" / "thing_2.12" / "1.0" / name
        published.parent.mkdir(parents=True, exist_ok=True)
        published.write_bytes(CONTENT)
        monkeypatch.setattr(jars, "CENTRAL", (tmp_path / "central").as_uri())
        (file,) = verified_files([jar], tmp_path / "jars")
        assert file.read_bytes() == CONTENT
