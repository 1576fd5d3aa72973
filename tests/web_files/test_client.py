"""The types of the page's client are those of GET /openapi.json: each member that the page reads is in the answer."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from headwater.lookup.openapi import FILE
from tests.serve.process import ROOT

API = json.loads(FILE.read_bytes())
SCHEMAS: Mapping[str, Any] = API["components"]["schemas"]
SCHEMA_OF = {
    "Alert": "Alert",
    "BoardRun": "TopRun",
    "Caller": "/api/v1/caller",
    "Dataset": "Dataset",
    "DatasetInGraph": "DatasetInGraph",
    "DatasetVersion": "DatasetVersion",
    "Field": "Field",
    "Finding": "Finding",
    "Impact": "/api/v1/impact",
    "ImpactItem": "NodeAtRisk",
    "Job": "Job",
    "JobInGraph": "JobInGraph",
    "Name": "Name",
    "Namespace": "Namespace",
    "RootCause": "/api/v1/rootcause",
    "Run": "RunOfJob",
    "Transformation": "Transformation",
}
"""The schema of each type: a component, or the answer of a route."""


class Member(NamedTuple):
    name: str
    is_optional: bool


def interfaces() -> dict[str, tuple[list[str], list[Member]]]:
    """The interfaces of the client: what each extends, and its own members."""
    found = {}
    for source in sorted((ROOT / "web" / "src" / "api").glob("*.ts")):
        for name, bases, body in re.findall(
            r"^export interface (\w+)(?: extends ([\w, ]+))? \{\n(.*?)^\}", source.read_text(), re.MULTILINE | re.DOTALL
        ):
            members = [Member(member, bool(mark)) for member, mark in re.findall(r"^  (\w+)(\??):", body, re.MULTILINE)]
            found[name] = ([base.strip() for base in bases.split(",") if base.strip()], members)
    return found


INTERFACES = interfaces()


def members_of(name: str) -> Iterator[Member]:
    bases, members = INTERFACES[name]
    yield from members
    for base in bases:
        yield from members_of(base)


def schema_of(name: str) -> Mapping[str, Any]:
    known = SCHEMA_OF[name]
    if not known.startswith("/"):
        schema: Mapping[str, Any] = SCHEMAS[known]
        return schema
    answer: Mapping[str, Any] = API["paths"][known]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    return answer


@pytest.mark.parametrize("name", SCHEMA_OF)
def test_each_member_that_the_page_reads_is_in_the_answer(name: str) -> None:
    schema = schema_of(name)
    read = list(members_of(name))
    assert read
    assert {member.name for member in read} <= schema["properties"].keys()


@pytest.mark.parametrize("name", SCHEMA_OF)
def test_a_member_that_an_answer_may_lack_is_optional_in_the_page(name: str) -> None:
    required = set(schema_of(name)["required"])
    assert [member.name for member in members_of(name) if not member.is_optional and member.name not in required] == []


def test_every_path_that_the_page_asks_for_is_a_route() -> None:
    asked = set()
    for source in (ROOT / "web" / "src").rglob("*.ts*"):
        asked |= set(re.findall(r'\bget<[^(]*>\("([\w/-]+)"', source.read_text()))
    assert {"lineage", "search/groups", "caller"} <= asked
    assert {f"/api/v1/{path}" for path in asked} <= API["paths"].keys()
