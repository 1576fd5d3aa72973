"""Spark is started as on a cluster: spark-submit, the listener, gzip, an API key, and nothing of the user's own."""

import stat
from pathlib import Path

import pytest
import yaml

from headwater.cli.jvm.spark_submit import SparkSubmit
from headwater.cli.machine.failure import Failure

KEY = "a-secret-key"


@pytest.fixture
def spark(tmp_path: Path) -> SparkSubmit:
    return SparkSubmit(
        tmp_path / "java", [Path("/jars/a.jar"), Path("/jars/b.jar")], "http://127.0.0.1:1", KEY, tmp_path
    )


def test_the_listener_posts_gzip_to_the_api(spark: SparkSubmit) -> None:
    settings = spark.settings()
    assert settings["spark.extraListeners"] == "io.openlineage.spark.agent.OpenLineageSparkListener"
    transport = {
        name.removeprefix("spark.openlineage.transport."): value
        for name, value in settings.items()
        if name.startswith("spark.openlineage.transport.")
    }
    assert transport == {
        "type": "http",
        "url": "http://127.0.0.1:1",
        "endpoint": "/api/v1/lineage",
        "compression": "gzip",
    }


def test_the_jars_are_on_the_drivers_class_path(spark: SparkSubmit) -> None:
    assert spark.settings()["spark.driver.extraClassPath"] == "/jars/a.jar:/jars/b.jar"


def test_the_command_runs_the_program_with_its_paths(spark: SparkSubmit, tmp_path: Path) -> None:
    command = spark.command(Path("clean_orders.py"), {"raw": Path("/lake/raw"), "clean": Path("/lake/clean")})
    assert command[0].endswith("bin/spark-submit")
    assert command[1:] == [
        "--properties-file",
        str(tmp_path / "spark.conf"),
        "clean_orders.py",
        "--raw=/lake/raw",
        "--clean=/lake/clean",
    ]


def test_the_key_is_in_a_private_file_and_not_in_the_command_or_a_setting(spark: SparkSubmit, tmp_path: Path) -> None:
    assert KEY not in " ".join(spark.command(Path("clean_orders.py"), {}))
    assert KEY not in (tmp_path / "spark.conf").read_text()
    file = Path(spark.environment()["OPENLINEAGE_CONFIG"])
    assert yaml.safe_load(file.read_text())["transport"]["auth"] == {"type": "api_key", "apiKey": KEY}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_spark_gets_this_java_and_none_of_the_users_settings(
    spark: SparkSubmit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_HOME", "/opt/another-spark")
    monkeypatch.setenv("AWS_PROFILE", "prod")
    monkeypatch.setenv("JAVA_HOME", "/opt/java-8")
    environment = spark.environment()
    assert environment["JAVA_HOME"] == str(spark.java_home)
    assert not {"SPARK_HOME", "AWS_PROFILE"} & environment.keys()


def test_the_failure_of_a_program_has_its_error_lines(spark: SparkSubmit, monkeypatch: pytest.MonkeyPatch) -> None:
    script = "echo 'INFO fine'; echo 'java.lang.ClassNotFoundException: no.Listener'; exit 3"
    monkeypatch.setattr(SparkSubmit, "command", lambda *_: ["/bin/sh", "-c", script])
    with pytest.raises(Failure, match=r"clean_orders.py failed:\njava.lang.ClassNotFoundException: no.Listener"):
        spark.run(Path("clean_orders.py"))
