"""Deploys template.yaml into the emulator through its CloudFormation, and says what became of its resources."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import ClientError

from local.account import Account
from local.batch_grants import grant_batches
from local.failure import Failure
from local.layout import Layout
from local.packages import content_name, function_package, layer_package
from local.template import packaged, read_template

if TYPE_CHECKING:
    from mypy_boto3_cloudformation.type_defs import ParameterTypeDef

STACK = "headwater"
CODE_BUCKET = "headwater-code"
TEMPLATE_KEY = "template.json"
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
    """The deployed stack: the physical ids of its resources by type."""

    account: Account
    resources: dict[str, list[str]]

    def only(self, resource_type: str) -> str:
        """Return the physical id of the one resource of a type."""
        (physical_id,) = self.resources[resource_type]
        return physical_id

    @property
    def api_url(self) -> str:
        """The emulator's own address of the HTTP API; the front takes it to the public one."""
        return f"{self.account.endpoint}/_aws/execute-api/{self.only('AWS::ApiGatewayV2::Api')}/$default"


def deploy(
    layout: Layout,
    account: Account,
    iam: bool,
    say: Callable[[str], None],
    parameters: Mapping[str, str] = MappingProxyType({}),
) -> Deployment:
    """Create the stack, or bring one that was kept on disk up to the present template and code."""
    uploads = Uploads(layout, account)
    template = uploads.template(packaged(read_template(layout.template), layout.root, uploads))
    change(account, template, parameters)
    wait_until_deployed(account)
    deployment = Deployment(account, resources(account))
    if iam:
        for role in grant_batches(account, deployment.resources["AWS::IAM::Role"]):
            say(f"made by API call: sqs:SendMessageBatch for {role}, which on AWS is part of sqs:SendMessage")
    return deployment


class Uploads:
    """Puts packages into the emulator's S3, each under its hash."""

    def __init__(self, layout: Layout, account: Account) -> None:
        self.layout = layout
        self.s3 = account.s3
        self.endpoint = account.endpoint
        self.s3.create_bucket(Bucket=CODE_BUCKET)

    def __call__(self, resource_type: str, folder: Path) -> str:
        """Package a folder, upload it and return its address."""
        is_layer = resource_type == "AWS::Serverless::LayerVersion"
        package = layer_package(self.layout, folder) if is_layer else function_package(folder)
        key = content_name(package)
        self.s3.put_object(Bucket=CODE_BUCKET, Key=key, Body=package)
        return f"s3://{CODE_BUCKET}/{key}"

    def template(self, body: str) -> str:
        """Upload the template, as `sam deploy` does, and return its address: in a request it may have 51,200 bytes."""
        self.s3.put_object(Bucket=CODE_BUCKET, Key=TEMPLATE_KEY, Body=body.encode())
        return f"{self.endpoint}/{CODE_BUCKET}/{TEMPLATE_KEY}"


def change(account: Account, template_url: str, parameters: Mapping[str, str]) -> None:
    """Start the creation of the stack, or its update if there is one already."""
    cloudformation = account.cloudformation
    call = cloudformation.update_stack if exists(account) else cloudformation.create_stack
    given: list[ParameterTypeDef] = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
    try:
        call(StackName=STACK, TemplateURL=template_url, Parameters=given, Capabilities=CAPABILITIES)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise refused(str(error)) from error


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
