"""Makes by API call what template.yaml has of EventBridge and the emulator's CloudFormation refuses as a type.

Those resources are taken out of the template before it is deployed; what refers to them gets the ARNs that they will
have. What they refer to is asked back as outputs of the stack: CloudFormation resolves it, and nothing here has to.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from local.account import ACCOUNT_ID, REGION, Account
from local.datadog import Datadog
from local.template import Template

KINDS = {"AWS::Events::Archive": "archive", "AWS::Events::Connection": "connection"} | {
    "AWS::Events::ApiDestination": "api-destination"
}
"""As an ARN has them. Something may only refer to what stands before it here."""
NUMBERS = {"RetentionDays", "InvocationRateLimitPerSecond"}
SECRET = re.compile(r"\{\{resolve:secretsmanager:(.+)\}\}")

Outputs = dict[str, Any]


@dataclass(frozen=True)
class EventResource:
    """A resource that was taken out. Where its properties refer to something they hold the `Asked` output instead."""

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
class Asked:
    output: str


def take_out(template: Template, stack: str) -> list[EventResource]:
    """Take what is refused out of a template, and return it in the order in which it can be made."""
    taken: list[EventResource] = []
    for resource_type, kind in KINDS.items():
        for name in [name for name, each in template["Resources"].items() if each["Type"] == resource_type]:
            properties = template["Resources"].pop(name)["Properties"]
            asked = ask(properties, name, template.setdefault("Outputs", {}))
            taken.append(EventResource(name, kind, stack, asked))
            template |= refer_to_arn(template, taken[-1])
    return taken


def refer_to_arn(value: Any, resource: EventResource) -> Any:
    """Return a part of a template with the ARN of a resource in the place of what asks for it."""
    if value == {"Fn::GetAtt": [resource.name, "Arn"]}:
        return resource.arn
    if isinstance(value, dict):
        return {name: refer_to_arn(each, resource) for name, each in value.items()}
    return [refer_to_arn(each, resource) for each in value] if isinstance(value, list) else value


def ask(value: Any, path: str, outputs: Outputs) -> Any:
    """Return properties with an output, added to `outputs`, in the place of each thing that they refer to."""
    if not isinstance(value, dict):
        return value
    if any(name == "Ref" or name.startswith("Fn::") for name in value):
        outputs[path] = {"Value": value}
        return Asked(path)
    return {name: ask(each, path + name, outputs) for name, each in value.items()}


def make(account: Account, taken: list[EventResource], outputs: dict[str, str], datadog: Datadog) -> Iterator[str]:
    """Make the resources, or bring those that were kept up to date, and yield what each is."""
    for resource in taken:
        properties = answered(resource.properties, outputs, account)
        if "InvocationEndpoint" in properties:
            properties["InvocationEndpoint"] = datadog.url + urlsplit(properties["InvocationEndpoint"]).path
        if "SourceArn" in properties:
            properties["EventSourceArn"] = properties.pop("SourceArn")
        put(account.events, resource, properties)
        yield f"the {resource.kind} {resource.name}"


def answered(value: Any, outputs: dict[str, str], account: Account, name: str = "") -> Any:
    """Return properties with what the stack answered, and with the texts of secrets."""
    if isinstance(value, dict):
        return {key: answered(each, outputs, account, key) for key, each in value.items()}
    text = outputs[value.output] if isinstance(value, Asked) else value
    if isinstance(text, str) and (secret := SECRET.fullmatch(text)):
        return account.secretsmanager.get_secret_value(SecretId=secret[1])["SecretString"]
    return int(text) if name in NUMBERS else text


def put(events: Any, resource: EventResource, properties: dict[str, Any]) -> None:
    call, named = resource.kind.replace("-", "_"), "ArchiveName" if resource.kind == "archive" else "Name"
    properties = {named: resource.physical_name} | properties
    try:
        getattr(events, f"create_{call}")(**properties)
    except events.exceptions.ResourceAlreadyExistsException:
        properties.pop("EventSourceArn", None)  # of an archive, which stays with its bus
        getattr(events, f"update_{call}")(**properties)
