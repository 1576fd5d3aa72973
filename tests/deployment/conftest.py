"""template.yaml, read once for the tests of this folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from local.deploy.template import read_template

ROOT = Path(__file__).parents[2]

Properties = dict[str, Any]


class Resources:
    def __init__(self, resources: dict[str, Properties]) -> None:
        self._resources = resources

    def __getitem__(self, name: str) -> Properties:
        properties: Properties = self._resources[name]["Properties"]
        return properties

    def whole(self, name: str) -> Properties:
        """Return a resource with what stands beside its properties, such as its deletion policy."""
        return self._resources[name]

    def of_type(self, resource_type: str) -> dict[str, Properties]:
        """Return the properties of all resources of a type, by name; there must be one at least."""
        resources = {
            name: self[name] for name, resource in self._resources.items() if resource["Type"] == resource_type
        }
        assert resources, f"template.yaml has no {resource_type}"
        return resources


def watched_metric(alarm: Properties) -> Properties:
    """Namespace, name and dimensions of the metric that an alarm watches; of a rate, of what is counted as bad."""
    if "Metrics" not in alarm:
        return alarm
    (bad,) = [metric["MetricStat"]["Metric"] for metric in alarm["Metrics"] if metric["Id"] == "bad"]
    watched: Properties = bad
    return watched


@pytest.fixture(scope="session")
def written() -> Properties:
    """The template as it is written, in which a stack may take over a table, a bucket and keys (test_adoption.py)."""
    return read_template(ROOT / "template.yaml")


@pytest.fixture(scope="session")
def template(written: Properties) -> Properties:
    """The template of a stack that takes over nothing and has no domain, and whose Glue database is named."""
    template: Properties = chosen(
        written, dict.fromkeys(("OwnTable", "OwnBucket", "OwnKeys", "HasDatabase"), 1) | {"HasDomain": 2}
    )
    return template


def chosen(value: Any, branches: Mapping[str, int]) -> Any:
    """A part of a template, with the given branch (1 or 2) of each `Fn::If` of these conditions, and with names that
    are bound in a `Fn::Sub` written into its text."""
    if isinstance(value, list):
        return [chosen(member, branches) for member in value]
    if not isinstance(value, dict):
        return value
    if "Fn::If" in value and value["Fn::If"][0] in branches:
        return chosen(value["Fn::If"][branches[value["Fn::If"][0]]], branches)
    resolved = {name: chosen(member, branches) for name, member in value.items()}
    match resolved:
        case {"Fn::Sub": [str(text), dict() as bound]}:
            return {"Fn::Sub": written_out(text, bound)}
    return resolved


def written_out(text: str, bound: Mapping[str, Any]) -> Any:
    """The text of a `Fn::Sub` with what is bound to resources, attributes and texts; what is not, stays bound."""
    rest = {}
    for name, value in bound.items():
        match value:
            case {"Ref": str(referred)}:
                text = text.replace(f"${{{name}}}", f"${{{referred}}}")
            case {"Fn::GetAtt": [resource, attribute]}:
                text = text.replace(f"${{{name}}}", f"${{{resource}.{attribute}}}")
            case {"Fn::Sub": str(inner)}:
                text = text.replace(f"${{{name}}}", inner)
            case _:
                rest[name] = value
    return [text, rest] if rest else text


@pytest.fixture(scope="session")
def resources(template: Properties) -> Resources:
    return Resources(template["Resources"])
