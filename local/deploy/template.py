"""template.yaml with the addresses of uploads in place of folders of code, as `sam package` does for AWS."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

from headwater.cli.machine.failure import Failure

CODE_PROPERTIES = {"AWS::Serverless::Function": "CodeUri", "AWS::Serverless::LayerVersion": "ContentUri"}

Template = dict[str, Any]
Resource = dict[str, Any]
Upload = Callable[[str, Path], str]


def read_template(file: Path) -> Template:
    """Return the template, with the short forms of intrinsic functions (`!Ref`) written out. Raises Failure."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Failure(f"{file.name} is missing", "run from a complete checkout") from error
    template: Template = yaml_parse(text)
    return template


def package(template: Template, root: Path, upload: Upload) -> str:
    """Return the template as JSON, with the address `upload(resource type, folder)` in place of each folder of code."""
    for name, resource, code_property in code_resources(template):
        folder = resource["Properties"].get(code_property)
        if not isinstance(folder, str) or not (root / folder).is_dir():
            raise Failure(
                f"{name}.{code_property} is not a folder: {folder!r}", "point it at the code in template.yaml"
            )
        resource["Properties"][code_property] = upload(resource["Type"], root / folder)
    return json.dumps(template)


def code_resources(template: Template) -> Iterator[tuple[str, Resource, str]]:
    for name, resource in template["Resources"].items():
        if resource["Type"] in CODE_PROPERTIES:
            yield name, resource, CODE_PROPERTIES[resource["Type"]]


LEADING_KEYS = "dynamodb:LeadingKeys"


def without_key_guards(value: Any) -> Any:
    """A part of a template, without the guards of key conditions.

    Workaround: leading-keys. A role that may write items of some keys has `ForAllValues:StringLike` on them, which is
    true also for a request without keys; `Null` beside it demands that there are keys. The emulator's IAM does not know
    that condition key, so that `Null` would refuse each write.
    """
    if isinstance(value, dict):
        members = {name: member for name, member in value.items() if name != "Null" or LEADING_KEYS not in member}
        return {name: without_key_guards(member) for name, member in members.items()}
    return [without_key_guards(member) for member in value] if isinstance(value, list) else value


def without_rates(template: Template) -> Template:
    """The template without the alarms that evaluate an expression.

    Workaround: metric-math. The emulator's CloudFormation refuses them.
    """
    resources = template["Resources"]
    rates = {name for name, resource in resources.items() if "Metrics" in resource.get("Properties", {})}
    return template | {"Resources": {name: each for name, each in resources.items() if name not in rates}}
