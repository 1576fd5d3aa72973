"""Embedded stacks for tests, and the resources behind their API: the table, the queues, the bucket, the keys."""

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

from headwater.cli.machine.ports import free_port
from headwater.store.table import Retention
from local.deploy.cloudformation import STACK
from local.deploy.deployment import Deployment
from local.layout import Layout
from local.stack.function_logs import log_lines
from local.stack.lifecycle import Stack, StackOptions, run_stack

LOGS = Path("tests") / str(os.getpid())
"""Where the stacks of this process log, below .local."""
INGESTION_SECONDS = 60
QUEUED = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
"""The counts of a queue's messages: those that wait, and those in flight."""

Items = dict[tuple[str, str], dict[str, Any]]
KeyEntry = dict[str, Any]


@contextmanager
def embedded_stack(name: str, *, iam: bool = False, **parameters: str) -> Iterator[Stack]:
    """A fresh stack on a free port; `parameters` are the template's."""
    options = StackOptions(Layout.here(), str(LOGS / name), free_port(), iam=iam, parameters=parameters)
    with run_stack(options, lambda _: None) as running:
        Deployed(running.deployment).disable_ttl()
        yield running


def key_entry(key: str, **changes: Any) -> KeyEntry:
    """An entry of the keys' secret, with every permission and no expiry; `changes` override its members."""
    entry = {"id": key, "sha256": hashlib.sha256(key.encode()).hexdigest(), "scopes": ["ingest", "read"]}
    return entry | {"namespaces": ["*"]} | changes


class Deployed:
    """The resources of a stack, as the owner of its account sees them."""

    def __init__(self, deployment: Deployment) -> None:
        self.account = deployment.account
        self._deployment = deployment

    @cached_property
    def dynamodb(self) -> Any:
        return self.account.client("dynamodb")

    @cached_property
    def sqs(self) -> Any:
        return self.account.client("sqs")

    @cached_property
    def glue(self) -> Any:
        return self.account.client("glue")

    @cached_property
    def lambda_(self) -> Any:
        return self.account.client("lambda")

    @cached_property
    def outputs(self) -> Mapping[str, str]:
        described = self.account.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]
        return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}

    def environment(self, function: str) -> dict[str, str]:
        """The variables of a function, by its name in functions/."""
        return self._configuration(function)[1]

    def function(self, function: str) -> str:
        """The physical name of a function, by its name in functions/."""
        return self._configuration(function)[0]

    @contextmanager
    def misconfigured(self, function: str, **variables: str) -> Iterator[None]:
        """For the length of a `with` block a function has other variables."""
        name, given = self._configuration(function)
        self.lambda_.update_function_configuration(FunctionName=name, Environment={"Variables": given | variables})
        self.release(name)
        try:
            yield
        finally:
            self.lambda_.update_function_configuration(FunctionName=name, Environment={"Variables": given})
            self.release(name)

    def release(self, name: str) -> None:
        """Publishes what a function is by now, and moves its alias there, if it has one, as an update does."""
        if self.lambda_.list_aliases(FunctionName=name)["Aliases"]:
            version = self.lambda_.publish_version(FunctionName=name)["Version"]
            self.lambda_.update_alias(FunctionName=name, Name="live", FunctionVersion=version)

    def _configuration(self, function: str) -> tuple[str, dict[str, str]]:
        for name in self._deployment.resources["AWS::Lambda::Function"]:
            variables = self.lambda_.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
            if variables["POWERTOOLS_SERVICE_NAME"] == function:
                return name, dict(variables)
        raise KeyError(function)

    def retention(self) -> Retention:
        variables = self.environment("normalise")
        runs, events = (timedelta(days=int(variables[f"{what}_RETENTION_DAYS"])) for what in ("RUN", "EVENT"))
        return Retention(runs, events)

    def role(self, logical_id: str) -> str:
        resources = self.account.cloudformation.describe_stack_resources(StackName=STACK, LogicalResourceId=logical_id)
        return resources["StackResources"][0]["PhysicalResourceId"]

    def register_api_keys(self, *entries: KeyEntry) -> None:
        secrets, secret = self.account.secretsmanager, self.outputs["KeysSecretArn"]
        keys = json.loads(secrets.get_secret_value(SecretId=secret)["SecretString"])["keys"]
        secrets.put_secret_value(SecretId=secret, SecretString=json.dumps({"keys": [*keys, *entries]}))

    def items(self) -> Items:
        """Every item that folds make, by its key: without alerts, audit entries and counts of refused requests."""
        pages = self.dynamodb.get_paginator("scan").paginate(TableName=self.outputs["TableName"], ConsistentRead=True)
        items = (item for page in pages for item in page["Items"])
        keyed = ((item["PK"]["S"], item["SK"]["S"], item) for item in items)
        return {(pk, sk): item for pk, sk, item in keyed if not pk.startswith(("K#", "AUDIT#"))}

    def objects(self, prefix: str) -> dict[str, bytes]:
        """The objects of the archive bucket whose keys have this prefix."""
        s3, bucket = self.account.s3, self.outputs["ArchiveBucketName"]
        entries = s3.list_objects_v2(Bucket=bucket, Prefix=prefix).get("Contents", [])
        return {entry["Key"]: s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read() for entry in entries}

    def queued(self) -> int:
        """The number of messages in the queue, in flight or not."""
        return self._count("QueueUrl", *QUEUED)

    def dead_letters(self) -> int:
        return self._count("DeadLetterQueueUrl", *QUEUED)

    def in_flight(self) -> int:
        """The number of messages that normalise has, or had until its visibility timeout."""
        return self._count("QueueUrl", "ApproximateNumberOfMessagesNotVisible")

    def wait_for_ingestion(self, seconds: float = INGESTION_SECONDS) -> None:
        """Waits until the queue is empty. Fails after `seconds`, or if a message is quarantined or a dead letter."""
        deadline = time.monotonic() + seconds
        while self.queued():
            assert time.monotonic() < deadline, f"{self.queued()} messages are not normalised after {seconds} s"
            time.sleep(0.1)
        assert self.dead_letters() == 0
        assert self.objects("quarantine/") == {}

    @contextmanager
    def queue_paused(self) -> Iterator[None]:
        """For the length of a `with` block normalise takes no messages out of the queue."""
        mappings = self.lambda_.list_event_source_mappings()["EventSourceMappings"]
        queue = f":{self.outputs['QueueUrl'].rpartition('/')[2]}"
        (mapping,) = [mapping["UUID"] for mapping in mappings if mapping["EventSourceArn"].endswith(queue)]
        self.lambda_.update_event_source_mapping(UUID=mapping, Enabled=False)
        try:
            yield
        finally:
            self.lambda_.update_event_source_mapping(UUID=mapping, Enabled=True)

    @contextmanager
    def visibility(self, seconds: int) -> Iterator[None]:
        """For the length of a `with` block, a failed message is delivered again after so many seconds.

        normalise does not find the queue, so that it sets no pause of its own, which is minutes in the end."""
        of_queue = {"QueueUrl": self.outputs["QueueUrl"]}
        before = self.sqs.get_queue_attributes(**of_queue, AttributeNames=["VisibilityTimeout"])["Attributes"]
        self.sqs.set_queue_attributes(**of_queue, Attributes={"VisibilityTimeout": str(seconds)})
        try:
            with self.misconfigured("normalise", QUEUE_URL=f"{self.outputs['QueueUrl']}-unknown"):
                yield
        finally:
            self.sqs.set_queue_attributes(**of_queue, Attributes=before)

    def wait_until_logged(self, function: str, text: str) -> None:
        """Waits until a function has logged a text. Fails after a minute."""
        groups = [name for name in self._deployment.resources["AWS::Logs::LogGroup"] if name.endswith(f"/{function}")]
        deadline = time.monotonic() + INGESTION_SECONDS
        while not any(text in line for line in log_lines(self.account, groups)):
            assert time.monotonic() < deadline, f"{function} did not log {text!r} within {INGESTION_SECONDS} s"
            time.sleep(0.1)

    def disable_ttl(self) -> None:
        """Turns the table's TTL off, since the items of old recorded events would expire during a test."""
        setting = {"Enabled": False, "AttributeName": "expires_at"}
        self.dynamodb.update_time_to_live(TableName=self.outputs["TableName"], TimeToLiveSpecification=setting)

    def _count(self, queue: str, *names: str) -> int:
        url = self.outputs[queue]
        attributes = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(names))["Attributes"]
        return sum(int(attributes[name]) for name in names)
