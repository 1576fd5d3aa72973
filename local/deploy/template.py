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
