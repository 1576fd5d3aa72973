"""The drill of docs/restore.md: a stack goes on with a restored table, a bucket and keys that it did not make."""

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.machine.ports import free_port
from local.deploy.deployment import DeploymentOptions, deploy
from local.layout import Layout
from local.stack.lifecycle import Stack, StackOptions, run_stack
from tests.embedded import Deployed

pytestmark = pytest.mark.emulator

EVENTS = (Path(__file__).parents[2] / "fixtures" / "spark-3.5" / "orders.jsonl").read_text().splitlines()
ASKED = {"nodeId": "dataset:file:/data/revenue_daily"}


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with run_stack(StackOptions(Layout.here(), "test-restore", free_port(), iam=True), lambda _: None) as running:
        yield running


def restored_table(deployed: Deployed, name: str) -> str:
    """A table that is restored, with what the page says to turn on, but for its expiry: the recorded events are old.
    Returns the label of its stream."""
    dynamodb, source = deployed.dynamodb, deployed.outputs["TableName"]
    dynamodb.restore_table_to_point_in_time(SourceTableName=source, TargetTableName=name, UseLatestRestorableTime=True)
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    dynamodb.update_table(TableName=name, DeletionProtectionEnabled=True, StreamSpecification=stream)
    recovery = {"PointInTimeRecoveryEnabled": True}
    dynamodb.update_continuous_backups(TableName=name, PointInTimeRecoverySpecification=recovery)
    label: str = dynamodb.describe_table(TableName=name)["Table"]["LatestStreamLabel"]
    return label


def copied_bucket(deployed: Deployed, name: str) -> str:
    """A bucket with the objects of the archive, as its replica has them."""
    s3, source = deployed.account.s3, deployed.outputs["ArchiveBucketName"]
    s3.create_bucket(Bucket=name)
    for key, body in deployed.objects("").items():
        s3.put_object(Bucket=name, Key=key, Body=body)
    assert source != name
    return name


def post(stack: Stack, deployed: Deployed, events: list[str]) -> None:
    assert {stack.api.post(json.loads(event)).status for event in events} == {201}
    deployed.wait_for_ingestion()


def test_a_stack_goes_on_with_what_was_restored_and_leaves_what_it_had(stack: Stack) -> None:
    deployed = Deployed(stack.deployment)
    post(stack, deployed, EVENTS)
    lineage, before = stack.api.ask("lineage", **ASKED).document, deployed.items()
    own = dict(deployed.outputs)
    secrets = deployed.account.secretsmanager
    keys: Any = secrets.get_secret_value(SecretId=own["KeysSecretArn"])["SecretString"]
    parameters = {
        "TableName": "restored",
        "TableStreamLabel": restored_table(deployed, "restored"),
        "ArchiveBucketName": copied_bucket(deployed, "restored-archive"),
        "KeysSecretArn": secrets.create_secret(Name="restored-keys", SecretString=keys)["ARN"],
    }

    options = DeploymentOptions(Layout.here(), stack.url, iam=True, datadog=stack.datadog, parameters=parameters)
    deploy(options, stack.deployment.account, lambda _: None)

    after = Deployed(stack.deployment)
    assert {name: after.outputs[name] for name in ("TableName", "ArchiveBucketName", "KeysSecretArn")} == {
        name: parameters[name] for name in ("TableName", "ArchiveBucketName", "KeysSecretArn")
    }
    assert stack.api.ask("lineage", **ASKED).document == lineage
    later = json.loads(EVENTS[-1])
    later["job"]["name"], later["run"]["runId"] = "after_the_restore", str(uuid.uuid4())
    post(stack, after, [json.dumps(later)])
    assert stack.api.get("namespaces", later["job"]["namespace"], "jobs", "after_the_restore").status == 200
    assert before.keys() < after.items().keys()
    assert deployed.items() == before  # the table before was left alone
