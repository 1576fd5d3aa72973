"""What a key sees beside other teams is what it would see in a Headwater that only ever had its own events: each GET of
the OpenAPI document, with each parameter, about its own nodes and about those of others. So no count, suggestion, page,
cursor or refusal tells that there is anybody else."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from headwater.access.principal import Principal
from headwater.lookup.openapi import FILE
from tests import factory
from tests.access.teams import ALL_SCOPES, Answer, Stack, event

DOCUMENT = json.loads(FILE.read_text())
OPERATIONS = {path: members["get"] for path, members in DOCUMENT["paths"].items() if "get" in members}
SHARED = {"/api/v1/openapi.json", "/api/v1/audit", "/api/v1/settings"}
"""The document is the same for all; the others are for administrators of all namespaces."""


TIMES = ("2026-11-20T09:00:00Z", "2026-11-20T08:01:30Z")


class Team(NamedTuple):
    """A team; its events name nothing of others, though jobs, tables and columns of all teams have the same names."""

    name: str
    number: int

    @property
    def principal(self) -> Principal:
        return Principal(self.name, ALL_SCOPES, (f"team-{self.name}", self.lake), seal=f"seal of {self.name}")

    @property
    def lake(self) -> str:
        return f"s3://{self.name}-lake"

    @property
    def run(self) -> str:
        return factory.run_id(100 * self.number)

    def events(self) -> list[factory.Document]:
        own, namespace = f"{self.name}_own", f"team-{self.name}"
        schema = factory.schema("id:int", f"{self.name}_column:string")
        raw = factory.dataset("raw", self.lake, schema=schema)
        orders = factory.dataset(
            "orders",
            self.lake,
            schema=schema,
            ownership=factory.facet(owners=[{"name": f"{self.name}_owner"}]),
            tags=factory.facet(tags=[{"key": f"{self.name}_tag", "value": "x"}, {"key": "pii", "value": "true"}]),
            columnLineage=factory.columns(id=(self.lake, "raw", "id")),
            dataSource=factory.facet(name=self.lake, uri=self.lake),
            symlinks=factory.facet(identifiers=[{"namespace": self.lake, "name": f"db.{own}", "type": "TABLE"}]),
        )
        report = factory.dataset(own, self.lake, columnLineage=factory.columns(x=(self.lake, "orders", "id")))
        parent = {"parent": factory.facet(run={"runId": self.run}, job={"namespace": namespace, "name": "daily"})}
        made: list[factory.Document] = []
        for day in range(self.number + 1):
            first, second = (factory.run_id(100 * self.number + 10 * day + at) for at in (1, 2))
            seconds = 3600.0 * day
            load: dict[str, Any] = {"inputs": [raw], "outputs": [orders], "run_facets": parent}
            made += [
                event("START", first, namespace, "load", seconds=seconds, **load),
                event("COMPLETE", first, namespace, "load", seconds=seconds + 60, **load),
                event("FAIL", second, namespace, own, seconds=seconds + 90, inputs=[orders], outputs=[report]),
            ]
        return [event("START", self.run, namespace, "daily"), *made]


TEAMS = (Team("a", 1), Team("b", 2), Team("c", 3))


@cache
def stack_of(*teams: Team) -> Stack:
    stack = Stack()
    for team in teams:
        assert stack.post(team.principal, team.events()).body["summary"]["failed"] == 0
    return stack


def values(name: str, schema: dict[str, Any]) -> list[str]:
    """What a parameter is given: each member of an enumeration, and what is one's own, another's and nobody's."""
    whose = [team.name for team in TEAMS] + ["nobody"]
    told = {
        "namespace": [f"team-{each}" for each in whose] + [f"s3://{each}-lake" for each in whose],
        "q": [f"{each}_own" for each in whose] + ["orders", "load", "raw", "c_colum", "b_owner", "lake", "team-"],
        "tag": [f"{each}_tag" for each in whose] + ["pii"],
        "owner": [f"{each}_owner" for each in whose],
        "producer": ["spark", "unknown"],
        "timezone": ["UTC"],
        "width": ["80"],
        **{name: list(TIMES) for name in ("after", "before", "asOf", "from", "to")},
        "limit": ["1", "2"],
        "offset": ["1"],
        "depth": ["0", "1", "20"],
    }
    kinds = schema.get("items", schema).get("enum") or (["true", "false"] if schema.get("type") == "boolean" else [])
    return told.get(name, kinds)


def places(path: str, named: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The path and the required parameters, for the nodes and runs of each team and of nobody."""
    for team in (*TEAMS, Team("nobody", 9)):
        job, dataset = {"job": "load", "namespace": f"team-{team.name}"}, {"dataset": "orders", "namespace": team.lake}
        of_path = {**(job if "{job}" in path else dataset), "run": team.run, "source": team.lake, "alert": "0" * 32}
        of_path |= {"version": team.run}
        address = path
        for name, value in of_path.items():
            address = address.replace(f"{{{name}}}", value.replace("/", "%2F"))
        if "nodeId" in named:
            for node in (f"job:team-{team.name}:load", f"dataset:{team.lake}:orders", f"dataset:{team.lake}:raw"):
                yield address, {"nodeId": node}
            if not named["nodeId"].get("required"):
                yield address, {}
        elif "runId" in named:
            yield address, {"runId": team.run}
        else:
            yield address, {"q": "orders"} if named.get("q", {}).get("required") else {}


def requests(path: str) -> Iterator[tuple[str, dict[str, str]]]:
    given = [*OPERATIONS[path].get("parameters", []), *DOCUMENT["paths"][path].get("parameters", [])]
    references = DOCUMENT["components"].get("parameters", {})
    resolved = [references[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in given]
    named = {each["name"]: each for each in resolved if each["in"] == "query"}
    for address, query in places(path, named):
        yield address, query
        for name, parameter in named.items():
            for value in values(name, parameter["schema"]):
                yield address, {**query, name: value}


def pages(stack: Stack, team: Team, path: str, query: dict[str, str]) -> Iterator[Answer]:
    """An answer, and the pages behind it."""
    answer = stack.get(team.principal, path, **query)
    yield answer
    seen = 0
    while isinstance(answer.body, dict) and isinstance(cursor := answer.body.get("cursor"), str) and seen < 6:
        answer, seen = stack.get(team.principal, path, **{**query, "cursor": cursor}), seen + 1
        yield answer


@pytest.mark.parametrize("path", sorted(OPERATIONS.keys() - SHARED))
def test_a_key_sees_what_it_would_see_alone(path: str) -> None:
    answered = 0
    for team in TEAMS:
        for address, query in dict.fromkeys((at, tuple(of.items())) for at, of in requests(path)):
            beside = [*pages(stack_of(*TEAMS), team, address, dict(query))]
            assert beside == [*pages(stack_of(team), team, address, dict(query))], (team.name, address, query)
            answered += beside[0].status == 200
    assert answered or "{alert}" in path or "{version}" in path
