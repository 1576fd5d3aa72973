"""Spark 3 and Spark 4 get the jars of their version of Scala, and a Java that they run on."""

from pathlib import Path

import pytest

from headwater.cli.jvm import installed_spark
from headwater.cli.jvm.jars import CONNECTOR_PINS, LISTENER_PINS, SPARK_4_PINS
from headwater.cli.machine.failure import Failure


@pytest.mark.parametrize(("version", "pins"), [("3.5.9", [LISTENER_PINS, CONNECTOR_PINS]), ("4.1.4", [SPARK_4_PINS])])
def test_the_jars_are_those_of_the_version_and_the_one_beside_the_listener(
    version: str, pins: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = tmp_path / "headwater-spark.jar"
    monkeypatch.setattr(installed_spark, "version", lambda _: version)
    monkeypatch.setattr(installed_spark, "jar_files", lambda _, *pins: [*pins])
    monkeypatch.setattr(installed_spark, "JAR", beside)
    assert installed_spark.spark_jars(Path()) == pins
    beside.write_bytes(b"classes")
    assert installed_spark.spark_jars(Path()) == [*pins, beside]


def test_spark_4_is_not_started_on_the_java_of_the_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installed_spark, "version", lambda _: "4.1.4")
    monkeypatch.setattr(installed_spark, "users_java", lambda: None)
    with pytest.raises(Failure, match=r"jdk\.incubator\.vector") as failure:
        installed_spark.spark_java(tmp_path)
    assert "install a JDK 17 or 21" in failure.value.next_step
    assert list(tmp_path.iterdir()) == []
