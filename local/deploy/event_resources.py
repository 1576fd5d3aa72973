"""Creates EventBridge's connections, API destinations and archives by API call.

Workaround: event-types. The emulator's CloudFormation refuses a template with resources of these types. They are
removed from the template before the deployment, and references to them are replaced by their future ARNs. Their own
references become outputs of the stack, which CloudFormation resolves.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from local.alerts.datadog import Datadog
from local.deploy.template import Template
from local.emulator.account import ACCOUNT_ID, REGION, Account

KINDS = {"AWS::Events::Archive": "archive", "AWS::Events::Connection": "connection"} | {
    "AWS::Events::ApiDestination": "api-destination"
}
"""The types, each with its kind in an ARN, in the order of creation: a resource refers to earlier kinds only."""
OF_CHATS = {"HasChat", "HasSlack", "HasTeams"}
"""The conditions of what posts alerts to a chat: on this machine, which has none, `ALERTS=url` posts them."""
NUMBERS = {"RetentionDays", "InvocationRateLimitPerSecond"}
SECRET = re.compile(r"\{\{resolve:secretsmanager:(.+)\}\}")

Outputs = dict[str, Any]


@dataclass(frozen=True)
class EventResource:
    """A resource that was removed from the template. In its properties each reference is an `OutputReference`."""

    name: str
    kind: str
    stack: str
    properties: dict[str, Any]

    @property
    def physical_name(self) -> str:
        return f"{self.stack}-{self.name}"

    @property
    def arn(self) -> str:
        return f"arn:aws:events:{REGION}:{ACCOUNT_ID}:{self.kind}/{self.physical_name}"


@dataclass(frozen=True)
class OutputReference:
    output: str


def extract(template: Template, stack: str) -> list[EventResource]:
    """Remove the resources of the refused types from a template, and return them in the order of their creation. What
    posts to a chat is removed for good."""
    for name in [name for name, made in template["Resources"].items() if made.get("Condition") in OF_CHATS]:
        del template["Resources"][name]
    extracted: list[EventResource] = []
    for resource_type, kind in KINDS.items():
        for name in [name for name, definition in template["Resources"].items() if definition["Type"] == resource_type]:
            properties = template["Resources"].pop(name)["Properties"]
            properties = references_as_outputs(properties, name, template.setdefault("Outputs", {}))
            extracted.append(EventResource(name, kind, stack, properties))
            template |= with_arn(template, extracted[-1])
    return extracted


def with_arn(value: Any, resource: EventResource) -> Any:
    """Return a part of a template, with references to a resource's ARN replaced by the ARN."""
    if value == {"Fn::GetAtt": [resource.name, "Arn"]}:
        return resource.arn
    if isinstance(value, dict):
        return {name: with_arn(member, resource) for name, member in value.items()}
    return [with_arn(member, resource) for member in value] if isinstance(value, list) else value


def references_as_outputs(value: Any, path: str, outputs: Outputs) -> Any:
    """Return properties, with each reference replaced by an output that is added to `outputs`."""
    if not isinstance(value, dict):
        return value
    if any(name == "Ref" or name.startswith("Fn::") for name in value):
        outputs[path] = {"Value": value}
        return OutputReference(path)
    return {name: references_as_outputs(member, path + name, outputs) for name, member in value.items()}


def create(
    account: Account, resources: list[EventResource], outputs: dict[str, str], datadog: Datadog
) -> Iterator[str]:
    """Create or update the resources, and yield kind and name of each."""
    for resource in resources:
        properties = resolved(resource.properties, outputs, account)
        if "InvocationEndpoint" in properties:
            properties["InvocationEndpoint"] = datadog.url + urlsplit(properties["InvocationEndpoint"]).path
        if "SourceArn" in properties:
            properties["EventSourceArn"] = properties.pop("SourceArn")
        create_or_update(account.events, resource, properties)
        yield f"the {resource.kind} {resource.name}"


def resolved(value: Any, outputs: dict[str, str], account: Account, name: str = "") -> Any:
    """Return properties, with the outputs of the stack and the values of secrets."""
    if isinstance(value, dict):
        return {key: resolved(member, outputs, account, key) for key, member in value.items()}
    text = outputs[value.output] if isinstance(value, OutputReference) else value
    if isinstance(text, str) and (secret := SECRET.fullmatch(text)):
        return account.secretsmanager.get_secret_value(SecretId=secret[1])["SecretString"]
    return int(text) if name in NUMBERS else text


def create_or_update(events: Any, resource: EventResource, properties: dict[str, Any]) -> None:
    call, named = resource.kind.replace("-", "_"), "ArchiveName" if resource.kind == "archive" else "Name"
    properties = {named: resource.physical_name} | properties
    try:
        getattr(events, f"create_{call}")(**properties)
    except events.exceptions.ResourceAlreadyExistsException:
        properties.pop("EventSourceArn", None)  # an archive cannot move to another bus
        getattr(events, f"update_{call}")(**properties)
