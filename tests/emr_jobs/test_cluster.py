"""A cluster's definition has the listener, with its key in a file or a secret and never in a setting; a fault of the
listener's configuration does not keep the cluster from starting."""

import hashlib
import json
import os
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pytest
import yaml
from moto import mock_aws

from headwater.cli.jvm.spark_submit import CIRCUIT_BREAKER, LISTENER
from local.layout import Layout
from local.stack.lifecycle import Stack

ROOT = Layout.here().root
CLUSTER = ROOT / "emr_jobs" / "cluster"
URL = "https://abc.execute-api.eu-west-1.amazonaws.com"
KEY, JAR = "a-key-for-the-cluster", b"a jar"
GOOD = ("--url", URL, "--secret", "listener-key")
SHA256 = hashlib.sha256(JAR).hexdigest()


@pytest.mark.parametrize("script", [CLUSTER / "bootstrap.sh", ROOT / "headwater"], ids=lambda path: path.name)
def test_scripts_are_sound(script: Path) -> None:
    shellcheck = Path(sys.executable).with_name("shellcheck")
    process = subprocess.run([shellcheck, script], capture_output=True, text=True, check=False)  # noqa: S603
    assert (process.returncode, process.stdout) == (0, "")


@dataclass(frozen=True)
class Node:
    """A cluster's node, in a folder, with S3 and Secrets Manager of the embedded stack."""

    folder: Path
    endpoint: str

    @property
    def settings(self) -> Path:
        return self.folder / "etc" / "headwater" / "openlineage.yml"

    @property
    def jar(self) -> Path:
        return self.folder / "usr" / "lib" / "headwater" / "openlineage-spark.jar"

    def boot(self, *options: str) -> str:
        """Runs the bootstrap action and returns its output. The action must succeed, or no cluster would start."""
        path = f"{Path(__file__).parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
        credentials = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1"}
        environment = os.environ | credentials | {"PATH": path, "HEADWATER_ROOT": str(self.folder)}
        done = subprocess.run(  # noqa: S603
            [CLUSTER / "bootstrap.sh", *options],
            env=environment | {"ENDPOINT": self.endpoint},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0
        return done.stderr


@pytest.fixture
def node(shared_stack: Stack, tmp_path: Path) -> Node:
    account = shared_stack.deployment.account
    account.s3.create_bucket(Bucket="cluster")
    account.s3.put_object(Bucket="cluster", Key="openlineage-spark.jar", Body=JAR)
    present = {secret["Name"] for secret in account.secretsmanager.list_secrets()["SecretList"]}
    for name, value in (("listener-key", KEY), ("no-key", '{"key": "x"}')):
        if name not in present:
            account.secretsmanager.create_secret(Name=name, SecretString=value)
    return Node(tmp_path, account.endpoint)


@pytest.mark.emulator
def test_the_bootstrap_puts_key_and_jar_where_the_classification_looks_for_them(node: Node) -> None:
    jar = ("--jar", "s3://cluster/openlineage-spark.jar", "--sha256", SHA256)
    assert node.boot(*GOOD, *jar) == ""
    transport = yaml.safe_load(node.settings.read_text())["transport"]
    assert transport == {"type": "http", "url": URL, "auth": {"type": "api_key", "apiKey": KEY}}
    assert stat.S_IMODE(node.settings.stat().st_mode) == 0o640
    assert node.jar.read_bytes() == JAR
    settings = defaults("emr", "--release", "7.10.0")
    assert settings["spark.jars"] == f"/{node.jar.relative_to(node.folder)}"
    assert settings["spark.yarn.appMasterEnv.OPENLINEAGE_CONFIG"] == f"/{node.settings.relative_to(node.folder)}"


@pytest.mark.emulator
@pytest.mark.parametrize(
    ("options", "line"),
    [
        (("--url", URL, "--secret", "no-such-secret"), "secretsmanager:GetSecretValue"),
        (("--url", URL, "--secret", "no-key"), "it should be the key alone"),
        (
            ("--url", URL, "--secret", "listener-key", "--jar", "s3://cluster/none.jar", "--sha256", SHA256),
            "s3:GetObject",
        ),
        (("--url", URL, "--secret", "listener-key", "--jar", "s3://cluster/openlineage-spark.jar"), "--sha256"),
        (("--secret", "listener-key"), "--url is needed"),
        (("--url", URL), "--secret is needed"),
        (("--url",), "what is --url for?"),
    ],
)
def test_a_cluster_starts_despite_any_fault_of_its_lineage_and_logs_the_fault(
    node: Node, options: tuple[str, ...], line: str
) -> None:
    assert line in node.boot(*options)
    assert not node.jar.exists()
    assert not node.settings.exists()


def configuration(platform: str, *options: str) -> Any:
    program = str(CLUSTER / "configuration.py")
    command = [sys.executable, program, platform, "--url", URL, "--namespace", "prod", *options]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603


def defaults(platform: str, *options: str) -> dict[str, str]:
    """The settings of Spark in a platform's configuration."""
    settings = configuration(platform, *options)
    if platform == "glue":
        return dict(setting.split("=", maxsplit=1) for setting in settings["--conf"].split(" --conf "))
    (first, *_) = settings["applicationConfiguration"] if platform == "eks" else settings
    return dict(first.get("Properties") or first["properties"])


PLATFORMS = {"emr": (), "serverless": ("--secret", "arn:of-the-key"), "eks": (), "glue": ()}


@pytest.mark.parametrize(("platform", "options"), PLATFORMS.items())
def test_every_platform_has_the_listener_with_the_settings_that_are_tried_here(
    platform: str, options: tuple[str, ...]
) -> None:
    settings = defaults(platform, *options)
    assert settings["spark.extraListeners"] == LISTENER
    assert settings["spark.openlineage.transport.url"] == URL
    assert settings["spark.openlineage.namespace"] == "prod"
    assert settings["spark.openlineage.columnLineage.descriptionsEnabled"] == "true"
    assert settings.items() >= CIRCUIT_BREAKER.items()
    assert "spark.jars" not in settings, "EMR 7.11 and Glue 5.0 have the listener"
    key = settings.get("spark.openlineage.transport.auth.apiKey", "EMR.secret@")
    assert key.startswith("EMR.secret@"), "a reference, never a key"


@pytest.mark.parametrize("platform", ["serverless", "eks"])
def test_a_release_without_the_listener_gets_its_jar(platform: str) -> None:
    older = ("--release", "emr-7.10.0", *PLATFORMS[platform])
    assert defaults(platform, *older, "--jar", "s3://cluster/a.jar")["spark.jars"] == "s3://cluster/a.jar"
    with pytest.raises(subprocess.CalledProcessError):
        configuration(platform, *older)


@pytest.mark.parametrize(("platform", "options"), PLATFORMS.items())
def test_the_jar_beside_the_listener_is_one_more_line(platform: str, options: tuple[str, ...]) -> None:
    beside = "s3://cluster/headwater-spark.jar"
    if platform == "glue":
        assert configuration(platform, "--jar", beside)["--extra-jars"] == beside
    else:
        assert defaults(platform, *options, "--jar", beside)["spark.jars"] == beside


def test_the_jar_beside_the_listener_comes_after_that_which_the_bootstrap_copied() -> None:
    jars = defaults("emr", "--release", "7.10.0", "--jar", "s3://cluster/headwater-spark.jar")["spark.jars"]
    assert jars == "/usr/lib/headwater/openlineage-spark.jar,s3://cluster/headwater-spark.jar"


def test_a_key_that_is_a_setting_is_kept_out_of_spark_s_logs() -> None:
    settings = defaults("serverless", *PLATFORMS["serverless"])
    assert settings["spark.scheduler.listenerbus.logSlowEvent"] == "false"
    assert "api[.]?key" in settings["spark.redaction.regex"]


def test_a_glue_job_takes_its_key_from_the_secret_and_runs_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(CLUSTER)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    from glue_key import put_key  # type: ignore[import-not-found]  # noqa: PLC0415 - Glue has it as a file of its own

    with mock_aws():
        boto3.client("secretsmanager").create_secret(Name="key", SecretString=KEY)
        assert put_key("key", tmp_path)
        assert not put_key("no-such-secret", tmp_path / "other")
    file = tmp_path / ".openlineage" / "openlineage.yml"
    assert yaml.safe_load(file.read_text())["transport"]["auth"]["apiKey"] == KEY
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
