"""Several teams whose pipelines cross: whatever they post, in whatever order, each sees its own, and of the others the
names of the datasets that its own jobs named."""

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.access.principal import Principal
from tests import factory
from tests.access.teams import Stack, event

TEAMS = ("t0", "t1", "t2")
KEYS = {
    team: Principal(team, frozenset({"ingest", "read"}), (f"jobs-{team}", f"s3://{team}"), seal=f"seal {team}")
    for team in TEAMS
}
PLATFORM = Principal("platform", frozenset({"ingest"}), ("*",))
"""A scheduler of all teams, which posts events about the jobs of any team."""
NUMBERS = st.integers(0, 2)
MARKED = re.compile(r"(job|ds|col|owner|run)-(t\d)-?(\d?)")
"""The texts of a team: `job-t1-0`, `ds-t2-1`, `col-t0-2`. A team names its jobs, columns and owners after itself."""


@st.composite
def datasets(draw: st.DrawFn) -> tuple[str, str]:
    """A dataset of some team: the team, and the name."""
    team = draw(st.sampled_from(TEAMS))
    return team, f"ds-{team}-{draw(NUMBERS)}"


def described(by: str | None, team: str, name: str, sources: list[tuple[str, str]]) -> factory.Document:
    """A dataset with what the team `by` says of it. The platform (None) says what the dataset's team would say."""
    columns = {f"col-{by or team}": (f"s3://{of}", source, f"col-{of}") for of, source in sources}
    facets = {
        "schema": factory.schema(f"col-{by or team}:int"),
        "ownership": factory.facet(owners=[{"name": f"owner-{by or team}"}]),
        "columnLineage": factory.columns(**columns),
    }
    if by:
        facets["symlinks"] = factory.symlinks(f"ds-{TEAMS[0]}-0", namespace=f"s3://{TEAMS[0]}")
    return factory.dataset(name, f"s3://{team}", **facets)


@st.composite
def posts(draw: st.DrawFn) -> tuple[Principal, str, factory.Document]:
    """An event about a job of a team, and the principal that posts it: the team, or the platform."""
    is_of_platform = draw(st.booleans())
    team, number = draw(st.sampled_from(TEAMS)), draw(NUMBERS)
    inputs, outputs = draw(st.lists(datasets(), max_size=2)), draw(st.lists(datasets(), max_size=2))
    parent = draw(st.sampled_from(TEAMS))
    facets = {
        "parent": factory.facet(
            run={"runId": factory.run_id(90)}, job={"namespace": f"jobs-{parent}", "name": f"job-{parent}-{number}"}
        )
    }
    posted = event(
        draw(st.sampled_from(["START", "COMPLETE", "FAIL"])),
        factory.run_id(draw(NUMBERS)),
        f"jobs-{team}",
        f"job-{team}-{number}",
        seconds=draw(st.integers(0, 5)),
        inputs=[described(None if is_of_platform else team, *named, sources=[]) for named in inputs],
        outputs=[described(None if is_of_platform else team, *named, sources=inputs) for named in outputs],
        run_facets=facets if draw(st.booleans()) else {},
    )
    return PLATFORM if is_of_platform else KEYS[team], team, posted


def answers(stack: Stack, team: str) -> Iterator[Any]:
    """What a team gets to see when it asks for everything."""
    key = KEYS[team]
    nodes = [f"job:jobs-{team}:job-{team}-{number}" for number in range(3)]
    nodes += [f"dataset:s3://{team}:ds-{team}-{number}" for number in range(3)]
    for node in nodes:
        for path in ("lineage", "column-lineage", "export", "rootcause", "impact", "aliases"):
            for query in ({}, {"direction": "both"}, {"asOf": factory.at(3)}, {"view": "ever", "rollup": "parent"}):
                yield stack.get(key, path, nodeId=node, **query).body
    for number in range(3):
        run = factory.run_id(number)
        yield stack.get(key, f"jobs/runs/{run}").body
        yield stack.get(key, "runlineage/upstream", runId=run).body
        for path in ("versions", "quality"):
            yield stack.get(key, f"namespaces/s3://{team}/datasets/ds-{team}-{number}/{path}").body
        yield stack.get(key, f"namespaces/jobs-{team}/jobs/job-{team}-{number}/runs").body
    for path in ("jobs", "namespaces", "sources", f"namespaces/s3://{team}/datasets", "events/lineage"):
        yield stack.get(key, path).body
    yield stack.get(key, "search", q="-t").body


def named_by(team: str, posted: list[tuple[Principal, str, factory.Document]]) -> set[str]:
    """The texts that are a team's to see: its own, and the names that the events of its jobs name."""
    own = [document for _, of, document in posted if of == team]
    datasets = [dataset["name"] for document in own for dataset in document["inputs"] + document["outputs"]]
    return {*datasets, *MARKED_OF[team]}


def said_of(team: str, posted: list[tuple[Principal, str, factory.Document]]) -> set[str]:
    """The texts of the facets that events of a team's jobs have, on their runs and on the team's datasets."""
    own = [document for _, of, document in posted if of == team]
    datasets = [dataset for document in own for dataset in document["inputs"] + document["outputs"]]
    facets = [document["run"]["facets"] for document in own]
    facets += [dataset["facets"] for dataset in datasets if dataset["namespace"] == f"s3://{team}"]
    return {match[0] for match in MARKED.finditer(json.dumps(facets))}


MARKED_OF = {
    team: {f"{kind}-{team}{end}" for kind in ("job", "ds", "col", "owner") for end in ("", "-0", "-1", "-2")}
    for team in TEAMS
}


@settings(max_examples=40)
@given(st.lists(posts(), max_size=8))
def test_a_team_sees_its_own_and_the_names_that_it_used(posted: list[tuple[Principal, str, factory.Document]]) -> None:
    stack = Stack()
    for poster, _, document in posted:
        assert stack.post(poster, document).status == 201
    for team in TEAMS:
        seen = {match[0] for answer in answers(stack, team) for match in MARKED.finditer(json.dumps(answer))}
        assert seen - named_by(team, posted) - said_of(team, posted) == set()
