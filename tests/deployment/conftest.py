"""template.yaml, read once for the tests of this folder."""

from pathlib import Path
from typing import Any

import pytest

from local.deploy.template import read_template

ROOT = Path(__file__).parents[2]

Properties = dict[str, Any]


class Resources:
    """The resources of the template, by name or by type."""

    def __init__(self, resources: dict[str, Properties]) -> None:
        self._resources = resources

    def __getitem__(self, name: str) -> Properties:
        """Return the properties of a resource."""
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


@pytest.fixture(scope="session")
def template() -> Properties:
    return read_template(ROOT / "template.yaml")


@pytest.fixture(scope="session")
def resources(template: Properties) -> Resources:
    return Resources(template["Resources"])
