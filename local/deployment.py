"""Deploys template.yaml into the emulator through its CloudFormation, and says what became of its resources."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import ClientError

from local.account import Account
from local.batch_grants import grant_batches
from local.datadog import Datadog
from local.event_resources import make, take_out
from local.failure import Failure
from local.layout import Layout
from local.packages import content_name, function_package, layer_package
from local.template import packaged, read_template

if TYPE_CHECKING:
    from mypy_boto3_cloudformation.type_defs import ParameterTypeDef

STACK = "headwater"
CODE_BUCKET = "headwater-code"
TEMPLATE_KEY = "template.json"
DATADOG_SECRET = "headwater-datadog-key"  # noqa: S105 - its name
DEPLOY_SECONDS = 60
CAPABILITIES: list[Literal["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]] = [
    "CAPABILITY_IAM",
    "CAPABILITY_NAMED_IAM",
    "CAPABILITY_AUTO_EXPAND",
]
IN_PROGRESS = "_IN_PROGRESS"
DONE = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


@dataclass(frozen=True)
class Deployment:
    """The deployed stack: the physical ids of its resources by type, and its outputs."""

    account: Account
    resources: dict[str, list[str]]
    outputs: dict[str, str]

    def only(self, resource_type: str) -> str:
        """Return the physical id of the one resource of a type."""
        (physical_id,) = self.resources[resource_type]
        return physical_id

    @property
    def api_url(self) -> str:
        """The emulator's own address of the HTTP API; the front takes it to the public one."""
        return f"{self.account.endpoint}/_aws/execute-api/{self.only('AWS::ApiGatewayV2::Api')}/$default"


@dataclass(frozen=True)
class Wanted:
    """What is deployed for one stack: `url` is where people reach it, `iam` says that roles count; `parameters` are
    those of the template that are not to have their default."""

    layout: Layout
    url: str
    iam: bool
    datadog: Datadog
    parameters: Mapping[str, str]


def deploy(wanted: Wanted, account: Account, say: Callable[[str], None]) -> Deployment:
    """Create the stack, or bring one that was kept on disk up to the present template and code."""
    layout, datadog = wanted.layout, wanted.datadog
    template = read_template(layout.template)
    refuse_unknown(wanted.parameters, template["Parameters"])
    taken_out = take_out(template, STACK)
    body = packaged(template, layout.root, Uploads(layout, account))
    given = {"DatadogKeySecretArn": datadog_secret(account, datadog), "PublicUrl": wanted.url}
    change(account, body, {**given, **wanted.parameters})
    wait_until_deployed(account)
    deployment = Deployment(account, resources(account), outputs(account))
    made = ["the secret of the local Datadog's key", *make(account, taken_out, deployment.outputs, datadog)]
    say(f"made by API call: {', '.join(made)}")
    if wanted.iam:
        for role in grant_batches(account, deployment.resources["AWS::IAM::Role"]):
            say(f"made by API call: sqs:SendMessageBatch for {role}, which on AWS is part of sqs:SendMessage")
    return deployment


def refuse_unknown(given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that the template lacks, as CloudFormation does and the emulator does not."""
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise Failure(f"template.yaml has no parameter {', '.join(unknown)}", f"take one of {', '.join(sorted(known))}")


class Uploads:
    """Puts packages into the emulator's S3, each under its hash."""

    def __init__(self, layout: Layout, account: Account) -> None:
        self.layout = layout
        self.s3 = account.s3
        self.s3.create_bucket(Bucket=CODE_BUCKET)

    def __call__(self, resource_type: str, folder: Path) -> str:
        """Package a folder, upload it and return its address."""
        is_layer = resource_type == "AWS::Serverless::LayerVersion"
        package = layer_package(self.layout, folder) if is_layer else function_package(folder)
        key = content_name(package)
        self.s3.put_object(Bucket=CODE_BUCKET, Key=key, Body=package)
        return f"s3://{CODE_BUCKET}/{key}"


def datadog_secret(account: Account, datadog: Datadog) -> str:
    """Keep the key of the local Datadog as a team keeps its own, and return the secret's ARN."""
    secrets = account.secretsmanager
    try:
        return secrets.create_secret(Name=DATADOG_SECRET, SecretString=datadog.key)["ARN"]
    except secrets.exceptions.ResourceExistsException:
        return secrets.put_secret_value(SecretId=DATADOG_SECRET, SecretString=datadog.key)["ARN"]


def change(account: Account, body: str, parameters: dict[str, str]) -> None:
    """Start the creation of the stack, or its update if there is one already."""
    cloudformation = account.cloudformation
    call = cloudformation.update_stack if exists(account) else cloudformation.create_stack
    given: list[ParameterTypeDef] = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
    try:
        call(StackName=STACK, TemplateURL=uploaded(account, body), Parameters=given, Capabilities=CAPABILITIES)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise refused(str(error)) from error


def uploaded(account: Account, body: str) -> str:
    """Put the template into the emulator's S3 and return its URL: inline it may have 51,200 bytes."""
    account.s3.put_object(Bucket=CODE_BUCKET, Key=TEMPLATE_KEY, Body=body.encode())
    return f"https://s3.amazonaws.com/{CODE_BUCKET}/{TEMPLATE_KEY}"


def exists(account: Account) -> bool:
    try:
        account.cloudformation.describe_stacks(StackName=STACK)
    except ClientError:
        return False
    return True


def wait_until_deployed(account: Account) -> None:
    deadline = time.monotonic() + DEPLOY_SECONDS
    while time.monotonic() < deadline:
        status = account.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]["StackStatus"]
        if status in DONE:
            return
        if not status.endswith(IN_PROGRESS):
            raise refused(f"{status}\n" + "\n".join(failed_resources(account)))
        time.sleep(0.1)
    raise refused(f"not deployed within {DEPLOY_SECONDS} s")


def refused(reason: str) -> Failure:
    return Failure(f"the emulator did not deploy template.yaml: {reason}", "correct what it names, then try again")


def failed_resources(account: Account) -> Iterator[str]:
    for event in account.cloudformation.describe_stack_events(StackName=STACK)["StackEvents"]:
        if event.get("ResourceStatus", "").endswith("_FAILED"):
            yield f"  {event.get('LogicalResourceId')}: {event.get('ResourceStatusReason', 'no reason given')}"


def resources(account: Account) -> dict[str, list[str]]:
    """Return the physical ids of the stack's resources by type."""
    by_type: dict[str, list[str]] = {}
    for page in account.cloudformation.get_paginator("list_stack_resources").paginate(StackName=STACK):
        for summary in page["StackResourceSummaries"]:
            by_type.setdefault(summary["ResourceType"], []).append(summary["PhysicalResourceId"])
    return by_type


def outputs(account: Account) -> dict[str, str]:
    described = account.cloudformation.describe_stacks(StackName=STACK)["Stacks"][0]
    return {output["OutputKey"]: output["OutputValue"] for output in described["Outputs"]}
