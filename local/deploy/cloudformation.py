"""The CloudFormation stack in the emulator: created or updated, awaited, described."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import ClientError

from headwater.cli.machine.failure import Failure
from local.emulator.account import Account

if TYPE_CHECKING:
    from mypy_boto3_cloudformation.type_defs import ParameterTypeDef

STACK = "headwater"
DEPLOY_SECONDS = 60
CAPABILITIES: list[Literal["CAPABILITY_IAM", "CAPABILITY_NAMED_IAM", "CAPABILITY_AUTO_EXPAND"]] = [
    "CAPABILITY_IAM",
    "CAPABILITY_NAMED_IAM",
    "CAPABILITY_AUTO_EXPAND",
]
IN_PROGRESS = "_IN_PROGRESS"
DONE = {"CREATE_COMPLETE", "UPDATE_COMPLETE"}


def create_or_update(account: Account, template_url: str, parameters: dict[str, str]) -> None:
    """Start the creation of the stack, or its update if it exists. Raises Failure."""
    cloudformation = account.cloudformation
    call = cloudformation.update_stack if exists(account) else cloudformation.create_stack
    given: list[ParameterTypeDef] = [{"ParameterKey": k, "ParameterValue": v} for k, v in parameters.items()]
    try:
        call(StackName=STACK, TemplateURL=template_url, Parameters=given, Capabilities=CAPABILITIES)
    except ClientError as error:
        if "No updates are to be performed" not in str(error):
            raise deployment_failure(str(error)) from error


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
            raise deployment_failure(f"{status}\n" + "\n".join(failed_resources(account)))
        time.sleep(0.1)
    raise deployment_failure(f"not deployed within {DEPLOY_SECONDS} s")


def deployment_failure(reason: str) -> Failure:
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
