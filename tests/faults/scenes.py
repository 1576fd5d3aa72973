"""Scenes: what producers and people do, drawn from a seed; the scene with faults, and the same without."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headwater.catalog.parameters import LAST_RUN
from headwater.concurrent import make_sequential
from headwater.graph.facets.curation import TAGS
from headwater.graph.names.identity import dataset_id, job_id
from headwater.openlineage.event import Name
from headwater.store import keys
from tests import factory
from tests.catalog.conftest import ARN
from tests.factory import Document
from tests.faults.fake_aws import TableKey
from tests.faults.faults import NOW, Faults
from tests.faults.world import World

RATES = (0.01, 0.03, 0.1)
"""The share of calls that a fault happens to."""
TABLES = ("orders", "revenue")
SCHEMAS = (factory.schema("id:long"), factory.schema("id:string"), factory.schema("id:long", "x:int"))
TAGGED_JOB = (*keys.job_head(job_id(Name("demo", "load"))),)
TAG = keys.dataset_head(dataset_id(Name(TAGS, "pii"))).pk


@dataclass
class Scene:
    """The work of a scene: events, then requests to curate, then more events, then the sweep."""

    seed: int
    first: list[Document] = field(default_factory=list)
    requests: list[tuple[str, str, Document | None]] = field(default_factory=list)
    second: list[Document] = field(default_factory=list)

    def play(self, faults: Faults, *, in_order: bool) -> World:
        make_sequential()
        world = World(faults, in_order)
        with world.functions.running():
            for table in TABLES:
                world.functions.glue.add_table(f"shop.{table}", Parameters={"written": "by hand"})
            world.events(self.first)
            world.curate(self.requests)
            world.events(self.second)
            world.sweep()
            known = world.tables
            world.synchronise_all()
        stale = [name for name, parameters in world.tables.items() if parameters != known[name]]
        world.wrong += [f"stale table {name}: {known[name]} became {world.tables[name]}" for name in stale]
        return world


def scene(seed: int) -> Scene:
    chance = random.Random(seed)
    runs = [_run(chance, number) for number in range(chance.randint(2, 4))]
    first, second = _interleaved(chance, runs[:-1]), runs[-1]
    requests: list[tuple[str, str, Document | None]] = [
        ("PUT", "/api/v1/tags/pii", {"name": "pii", "description": "of people"}),
        ("POST", "/api/v1/namespaces/demo/jobs/load/tags/pii", None),
    ]
    return Scene(seed, first, requests if chance.random() < 0.5 else [], second)


def _run(chance: random.Random, number: int) -> list[Document]:
    """The events of a run, from its START to its end, if it ends."""
    job = chance.choice(["load", "report"]) if number else "load"
    facets = {"parent": factory.parent(0, "load")} if number and chance.random() < 0.3 else {}
    return [
        factory.run_event(
            kind,
            seconds=number * 60 + step + chance.random(),
            run=number,
            job=job,
            inputs=[_dataset(chance) for _ in range(chance.randint(0, 2))],
            outputs=[_dataset(chance) for _ in range(chance.randint(0, 2))],
            run_facets=facets,
        )
        for step, kind in enumerate(["START", "RUNNING", chance.choice(["COMPLETE", "COMPLETE", "FAIL", "RUNNING"])])
    ]


def _dataset(chance: random.Random) -> Document:
    facets: dict[str, Any] = {}
    if chance.random() < 0.7:
        facets["schema"] = chance.choice(SCHEMAS)
    if chance.random() < 0.3:
        facets["columnLineage"] = factory.columns(id=("s3://lake", chance.choice("abc"), "id"))
    if chance.random() < 0.1:
        facets["symlinks"] = factory.symlinks(chance.choice("abc"))
    if chance.random() < 0.3:
        return factory.dataset(f"table/shop/{chance.choice(TABLES)}", ARN, **facets)
    named = factory.dataset(chance.choice("abc"), **facets)
    if chance.random() < 0.8:
        return named
    assertions = [{"assertion": "not_null", "column": "id", "success": chance.random() < 0.5}]
    return {**named, "inputFacets": {"dataQualityAssertions": factory.facet(assertions=assertions)}}


def _interleaved(chance: random.Random, runs: list[list[Document]]) -> list[Document]:
    """The events of several runs, each run in order."""
    left = [list(run) for run in runs]
    events: list[Document] = []
    while any(left):
        events.append(chance.choice([run for run in left if run]).pop(0))
    return events


def differences(seed: int) -> tuple[list[str], dict[str, int]]:
    """What is wrong after the scene of a seed, and the faults that were injected."""
    in_order = seed % 2 == 0
    played = scene(seed)
    expected = played.play(Faults(seed, 0), in_order=True)
    faults = Faults(seed, RATES[seed // 2 % len(RATES)])
    world = played.play(faults, in_order=in_order)
    wrong = [*world.wrong, *map(str, world.dead)]
    wrong += [f"lost: {len(played.first + played.second) - len(world.accepted)} events"] * (
        len(world.accepted) != len(played.first + played.second)
    )
    wrong += [f"in quarantine: {key}" for key in world.functions.s3.objects if key.startswith("quarantine/")]
    wrong += [
        f"not forwarded in order: {group}"
        for group, bodies in world.queued.items()
        if world.forwarded.get(group) != bodies
    ]
    wrong += _items(expected, world)
    wrong += [f"several ids: {text}" for text in _repeated(expected.alerts, world.alerts)]
    if in_order:
        wrong += _tables(expected, world)
        wrong += _alerts(expected, world)
    return wrong, faults.injected


def _items(expected: World, world: World) -> list[str]:
    ours, theirs = _stored(world), _stored(expected)
    differing = sorted(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
    return [f"item {key}: {theirs.get(key)} became {ours.get(key)}" for key in differing]


def _stored(world: World) -> dict[TableKey, Any]:
    """The items, but for those that follow from the time at which an event was received, for stored alerts, and for
    those of curation: a repeated request is another event, at a later time."""
    items = world.functions.dynamodb.items.items()
    left_out = ("latency", "alert", "datasetAlert")
    return {key: item for key, item in items if item["kind"]["S"] not in left_out and not _is_curated(key)}


def _is_curated(key: TableKey) -> bool:
    return key == TAGGED_JOB or key[0] == TAG or key[1].startswith(f"E#{NOW:%Y-%m-%dT%H}")


def _tables(expected: World, world: World) -> list[str]:
    ours, theirs = ({name: _lasting(of) for name, of in each.tables.items()} for each in (world, expected))
    return [f"table {name}: {theirs[name]} became {ours[name]}" for name in theirs if ours[name] != theirs[name]]


def _lasting(parameters: Mapping[str, str]) -> dict[str, str]:
    """Parameters but for which run is the last: it is that of the time at which another parameter changed, and a fault
    may let one change and change back (docs/decisions/0012)."""
    return {name: "a run" if name == LAST_RUN else value for name, value in parameters.items()}


def _alerts(expected: World, world: World) -> list[str]:
    ours, theirs = (set(map(subject, each.alerts)) for each in (world, expected))
    return [
        *(f"alert lost: {alert}" for alert in theirs - ours),
        *(f"alert too many: {alert}" for alert in ours - theirs),
    ]


def _repeated(expected: Sequence[Document], alerts: Sequence[Document]) -> list[str]:
    """What alerts say under more ids than in the undisturbed scene. Two transitions may read the same: of a run that
    writes a schema, another, and the first again."""
    ids, undisturbed = _ids(alerts), _ids(expected)
    return [said for said, found in ids.items() if len(found) > max(1, len(undisturbed.get(said, ())))]


def _ids(alerts: Sequence[Document]) -> dict[str, set[str]]:
    ids: dict[str, set[str]] = {}
    for alert in alerts:
        ids.setdefault(subject(alert), set()).add(alert["id"])
    return ids


def subject(alert: Document) -> str:
    """What an alert says. Its id follows from the record of the stream: another table has other records."""
    return f"{alert['DetailType']} at {alert['time']} of {alert['nodeId']}: {alert['title']}"
