"""Jars are named by coordinates and held to their pins."""

import hashlib
from pathlib import Path

import pytest

from local.failure import Failure
from local.spark import jars
from local.spark.jars import BROKER_PINS, CONNECTOR_PINS, LISTENER_PINS, SPARK_4_PINS, Jar, pinned_jars, verified_files

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
    assert verified_files([JAR], tmp_path, Path("/no/java")) == [tmp_path / JAR.file_name]


def test_another_jar_under_the_name_is_refused_and_removed(tmp_path: Path) -> None:
    (tmp_path / JAR.file_name).write_bytes(b"something else")
    with pytest.raises(Failure, match=r"io\.example:thing_2\.12:1\.0 is not the jar"):
        verified_files([JAR], tmp_path, Path("/no/java"))
    assert not (tmp_path / JAR.file_name).exists()


def test_an_unreachable_repository_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "java"
    program.write_text("#!/bin/sh\necho 'Connection refused'\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setattr(jars, "ivy", lambda: Path("ivy.jar"))
    with pytest.raises(Failure, match="Connection refused") as failure:
        verified_files([JAR], tmp_path, program)
    assert "Maven Central" in failure.value.reason
    assert JAR.file_name in failure.value.next_step
