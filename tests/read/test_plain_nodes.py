"""Nodes that are kept between lookups: whatever is written in between, answers are those of a table that is read anew.
A graph that did not change takes no read, and few calls for each node."""

import cProfile
import gc
import itertools
import json
import pstats
import random
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from benchmarks.graph import LayeredGraph, layered_graph
from benchmarks.spark_events import JOBS
from benchmarks.spark_events import LAKE as BENCHMARK_LAKE
from benchmarks.spark_events import events as events_of
from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.graph.names.identity import JobId, job_id
from headwater.graph.names.naming import Naming
from headwater.http.marquez import datasets as marquez
from headwater.http.request import ApiRequest
from headwater.http.response import response_or_error
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.dataset_details import DatasetDetails
from headwater.read.job_details import newest_runs
from headwater.read.reader import Reader
from headwater.read.run_details import RunDetails
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.caches import CheckedCache
from tests.factory import RETENTION, Document
from tests.fakes import fail_test
from tests.lookup.requests import ANYONE
from tests.random_runs import LAKE, TABLES, history_of

SOME = Principal("some", frozenset({"read"}), ("demo", LAKE), seal="seal")
FEW = Principal("few", frozenset({"read"}), ("demo",), seal="another seal")
RECORDED = Path(__file__).parents[1] / "fixtures" / "spark-3.5" / "orders.jsonl"
GRAPHS: list[tuple[str, dict[str, str]]] = [
    ("lineage", {}),
    ("lineage", {"depth": "1"}),
    ("lineage", {"direction": "upstream"}),
    ("lineage", {"view": "ever", "direction": "both"}),
    ("column-lineage", {"withDownstream": "true"}),
]


@pytest.fixture
def table(tmp_path: Path) -> Iterator[SqliteTable]:
    with closing(Database(tmp_path / "lineage.db")) as database:
        yield SqliteTable(database)


def answer(
    reader: GraphReader, path: str, query: dict[str, str], principal: Principal = ANYONE, at: datetime = factory.EPOCH
) -> tuple[int, bytes]:
    lists = {name: (text,) for name, text in query.items()}
    request = ApiRequest(principal, "GET", f"/api/v1/{path}", query, lists, received_at=at)
    response = response_or_error(lambda: respond(Lookups(reader, Naming(), fail_test), request), fail_test)
    return response.status, response.content()[1]


def assert_as_if_read_anew(table: SqliteTable, batches: Iterable[list[Document]], nodes: list[str]) -> None:
    """Folds batch by batch, and looks from each node after each."""
    store, warm = GraphStore(table, RETENTION, CheckedCache()), GraphReader(table, cache=CheckedCache())
    for batch in batches:
        fold(factory.received(*batch), store)
        for node in nodes:
            of_node = [(path, {"nodeId": node, **more}) for path, more in GRAPHS]
            of_node += [(f"namespaces/s3%3A%2F%2Flake/datasets/{name}", {}) for name in node.split(f"{LAKE}:")[1:]]
            for (path, query), principal in itertools.product(of_node, (ANYONE, SOME, FEW)):
                cold = answer(GraphReader(table), path, query, principal)
                assert answer(warm, path, query, principal) == cold, (path, query, principal.key_id)


def _changes(chance: random.Random) -> Iterator[Document]:
    """What makes a node other than plain: another name, a rename, a deletion, queries of an application."""
    names = chance.sample(TABLES, 5)
    linked = factory.dataset(names[0], symlinks=factory.symlinks(names[1]))
    renamed = factory.dataset(names[2], lifecycleStateChange=factory.renamed_from(names[3]))
    yield factory.run_event("COMPLETE", run=900, seconds=5_000, job="job 0", outputs=[linked])
    yield factory.run_event("COMPLETE", run=901, seconds=5_100, job="rename", outputs=[renamed])
    theirs = factory.dataset("t", "s3://theirs")
    written = [factory.dataset(names[0]), theirs]
    of_others = factory.run_event(
        "COMPLETE", run=902, seconds=5_150, inputs=[factory.dataset(names[1])], outputs=written
    )
    yield {**of_others, "job": {"namespace": "elsewhere", "name": "theirs"}}
    yield factory.run_event("COMPLETE", run=903, seconds=5_160, job="reads theirs", inputs=[theirs])
    deletion = factory.facet(deletedThrough=factory.at(6_000))
    yield factory.dataset_event(factory.dataset(names[4], headwater_deleted=deletion), seconds=6_000)
    of_application = {"parent": factory.parent(910, "app")}
    reads, writes = [factory.dataset(names[0])], [factory.dataset(names[2])]
    for kind, seconds in (("START", 5_200), ("RUNNING", 5_210)):
        yield factory.run_event(
            kind, run=911, seconds=seconds, job="app.query", run_facets=of_application, inputs=reads, outputs=writes
        )
    yield factory.run_event("COMPLETE", run=910, seconds=5_300, job="app")
    yield factory.run_event("FAIL", run=911, seconds=5_310, job="app.query", run_facets=of_application)


@pytest.mark.parametrize("seed", range(8))
def test_answers_are_those_of_a_table_that_is_read_anew(table: SqliteTable, seed: int) -> None:
    chance = random.Random(seed)
    events = [*history_of(chance), *_changes(chance)]
    chance.shuffle(events)
    nodes = [f"dataset:{LAKE}:{chance.choice(TABLES)}", "job:demo:job 0", "job:demo:reads theirs"]
    assert_as_if_read_anew(table, [events[at : at + 4] for at in range(0, len(events), 4)], nodes)


def test_so_are_those_of_recorded_queries_of_an_application(table: SqliteTable) -> None:
    events = [json.loads(line) for line in RECORDED.read_text(encoding="utf-8").splitlines()]
    outputs = {(used["namespace"], used["name"]) for event in events for used in event.get("outputs", ())}
    jobs = {(event["job"]["namespace"], event["job"]["name"]) for event in events}
    nodes = [f"dataset:{space}:{name}" for space, name in sorted(outputs)[:2]]
    nodes += [f"job:{space}:{name}" for space, name in sorted(jobs)[:2]]
    assert_as_if_read_anew(table, [events[at : at + 8] for at in range(0, len(events), 8)], nodes)


def _busy_jobs(chance: random.Random) -> Iterator[Document]:
    """More than ten runs of each of a few jobs, whose inputs are written again and again; some fail, some end late or
    never, some report that they run, some start others."""
    for number in range(48):
        at, job = 60 * number + chance.randint(0, 90), f"job {chance.randint(0, 3)}"
        facets: Document = {"headwater_heartbeat": factory.facet(everySeconds=300)} if chance.random() < 0.3 else {}
        if chance.random() < 0.3:
            facets["parent"] = factory.parent(900 + number % 3, "app")
        sides: dict[str, Any] = {
            "inputs": list(map(factory.dataset, chance.sample(TABLES, 2))),
            "outputs": list(map(factory.dataset, chance.sample(TABLES, 1))),
            "run_facets": facets,
        }
        yield factory.run_event("START", run=number, seconds=at, job=job, **sides)
        if (ended := chance.choice(["COMPLETE", "COMPLETE", "FAIL", "RUNNING", ""])) != "":
            yield factory.run_event(ended, run=number, seconds=at + chance.choice([5, 600]), job=job, **sides)


def _said_of_jobs() -> Iterator[Document]:
    """A job is tagged, gets owners, is deleted, and runs again."""
    tags = {"tags": factory.facet(tags=[{"key": "gold", "value": "true", "source": "USER"}])}
    owners = {"ownership": factory.facet(owners=[{"name": "team:a", "type": "OWNER"}])}
    deleted = {"headwater_deleted": factory.facet(deletedThrough=factory.at(2_000))}
    for seconds, facets in ((1_000, tags), (1_500, owners), (2_000, deleted)):
        event = factory.job_event(job="job 1", seconds=seconds)
        yield {**event, "job": {**event["job"], "facets": facets}}
    yield factory.run_event("COMPLETE", run=800, seconds=2_500, job="job 1", inputs=[factory.dataset(TABLES[0])])


@pytest.mark.parametrize("seed", range(4))
def test_lists_of_jobs_are_those_of_a_table_that_is_read_anew(table: SqliteTable, seed: int) -> None:
    """Also by the clock alone: a run that has missed its heartbeats, without an event; and once runs have expired."""
    chance = random.Random(seed)
    events = [*_busy_jobs(chance), *_changes(chance), *_said_of_jobs()]
    chance.shuffle(events)
    warm, store = GraphReader(table, cache=CheckedCache()), GraphStore(table, RETENTION, CheckedCache())
    paths = ["namespaces/demo/jobs", "jobs", "namespaces/demo/jobs/job 0", "namespaces/demo/jobs/job 1"]
    is_silent = set()

    def compare(seconds: float) -> None:
        at = factory.EPOCH + timedelta(seconds=seconds)
        for path, principal in itertools.product(paths, (ANYONE, chance.choice((SOME, FEW)))):
            cold = answer(GraphReader(table), path, {}, principal, at)
            assert answer(warm, path, {}, principal, at) == cold, (path, principal.key_id, seconds)
            is_silent.add(b"noContactSince" in cold[1])

    while events:
        batch = [events.pop() for _ in range(min(len(events), chance.choice([1, 4, 16])))]
        fold(factory.received(*batch), store)
        compare(chance.choice([0, 3_000, 6_000]))
        compare(6_000)
    assert is_silent == {True, False}
    now = factory.EPOCH.timestamp() + RETENTION.runs.total_seconds() + 1_800
    while table.remove_expired(now):
        compare(9_000)
    compare(9_000)


def test_runs_of_a_job_are_not_kept_without_one_that_cannot_be_read(
    table: SqliteTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer says that it is missing, until somebody has repaired it in the file."""
    monkeypatch.setenv("POWERTOOLS_METRICS_NAMESPACE", "Headwater/test")
    fold(factory.received(*(factory.run_event("COMPLETE", run=run) for run in range(3))), GraphStore(table, RETENTION))
    reader, run_id = GraphReader(table, cache=StateCache()), factory.run_id(1)

    def listed() -> tuple[bool, list[str]]:
        request = ApiRequest(ANYONE, "GET", "/api/v1/namespaces/demo/jobs", {})
        answer = json.loads(respond(Lookups(reader, Naming(), lambda *_, **__: None), request).content()[1])
        return "truncated" in answer, sorted(run["id"] for run in answer["jobs"][0]["latestRuns"])

    with table._database.writing() as connection:
        (whole,) = connection.execute("SELECT doc FROM items WHERE run_id = ?", (run_id,)).fetchone()
        connection.execute("UPDATE items SET doc = ? WHERE run_id = ?", (b"damaged", run_id))
    others = [factory.run_id(0), factory.run_id(2)]
    assert [listed(), listed()] == [(True, others)] * 2
    with table._database.writing() as connection:
        connection.execute("UPDATE items SET doc = ? WHERE run_id = ?", (whole, run_id))
    assert listed() == (False, sorted([*others, run_id]))


def test_a_list_of_jobs_reads_runs_of_those_that_changed(table: SqliteTable, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls of C functions are counted, too. Before, each job of ten runs took 3,200, also if nothing had changed."""
    graph, store = layered_graph(40, 1), GraphStore(table, RETENTION)
    fold(factory.received(*events_of(graph, 10, 1)), store)
    reader, path = GraphReader(table, cache=StateCache()), f"namespaces/{JOBS}/jobs"
    first = answer(reader, path, {})
    assert [len(job["latestRuns"]) for job in json.loads(first[1])["jobs"]] == [10] * 40
    asked: set[JobId] = set()

    def counted(reader: Reader, ids: Collection[JobId], now: Instant) -> list[list[RunDetails]]:
        asked.update(ids if reader.store.cache else ())
        return newest_runs(reader, ids, now)

    monkeypatch.setattr("headwater.lookup.nodes.jobs.newest_runs", counted)
    profile = cProfile.Profile()
    gc.disable()  # its callbacks of other tests would be counted
    again = profile.runcall(answer, reader, path, {})
    gc.enable()
    assert again == first
    assert pstats.Stats(profile).total_calls / 40 < 100  # type: ignore[attr-defined]
    assert asked == set()
    changed, *_, elsewhere = graph.middle(4)
    for job in (elsewhere, changed):  # what was read together is read again, each by itself from then on
        asked.clear()
        fold(factory.received(*list(events_of(LayeredGraph((job,)), 11, 2))[-2:]), store)
        assert answer(reader, path, {}) == answer(GraphReader(table), path, {}) != first
    beside = {job.name for job in graph.jobs if {*job.inputs, job.output} & {*changed.inputs, changed.output}}
    assert job_id(Name(JOBS, changed.name)) in asked
    assert asked <= {job_id(Name(JOBS, name)) for name in beside}


@pytest.mark.parametrize("namespaces", [("*",), (JOBS, BENCHMARK_LAKE)])
def test_a_graph_that_did_not_change_takes_no_read_and_few_calls_for_each_node(
    table: SqliteTable, monkeypatch: pytest.MonkeyPatch, namespaces: tuple[str, ...]
) -> None:
    """Calls of C functions are counted, too. Before nodes were kept there were 210 for each."""
    graph = layered_graph(120, 1)
    fold(factory.received(*events_of(graph, 1, 1)), GraphStore(table, RETENTION))
    reader, query = GraphReader(table, cache=StateCache()), {"nodeId": f"job:{JOBS}:{graph.middle(1)[0].name}"}
    principal = Principal("test", frozenset({"read"}), namespaces, seal="seal")
    answer(reader, "lineage", query, principal)
    reads: list[str] = []
    rows = table._rows
    monkeypatch.setattr(table, "_rows", lambda query, *given: reads.append(query) or rows(query, *given))  # type: ignore[func-returns-value]
    profile = cProfile.Profile()
    _, content = profile.runcall(answer, reader, "lineage", query, principal)
    nodes = len(json.loads(content)["graph"])
    assert nodes > 200
    assert reads == []
    assert pstats.Stats(profile).total_calls / nodes < 40  # type: ignore[attr-defined]


def test_a_commit_of_one_node_leaves_the_others_as_they_are_kept(table: SqliteTable) -> None:
    """Their items are compared, and no state is decoded."""
    graph = layered_graph(30, 1)
    store = GraphStore(table, RETENTION)
    fold(factory.received(*events_of(graph, 1, 1)), store)
    cache = StateCache()
    reader, query = GraphReader(table, cache=cache), {"nodeId": f"job:{JOBS}:{graph.middle(1)[0].name}"}
    first = answer(reader, "lineage", query)
    kept: dict[str, Any] = dict(cache._nodes)
    fold(factory.received(factory.run_event("COMPLETE", job="elsewhere", outputs=[factory.dataset("other")])), store)
    assert answer(reader, "lineage", query) == first
    assert len(kept) > 50
    assert cache._nodes == kept


def test_listed_datasets_that_did_not_change_are_not_written_again(
    table: SqliteTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = GraphStore(table, RETENTION)
    fold(factory.received(*events_of(layered_graph(30, 1), 1, 1)), store)
    made: list[str] = []
    listed = marquez.listed_dataset

    def counted(details: DatasetDetails) -> JsonObject:
        made.append(details.head.facts.name.name)
        return listed(details)

    monkeypatch.setattr(marquez, "listed_dataset", counted)
    reader, path = GraphReader(table, cache=StateCache()), f"namespaces/{quote(BENCHMARK_LAKE, safe='')}/datasets"
    first = answer(reader, path, {"limit": "100"})
    assert len(made) == len(json.loads(first[1])["datasets"]) > 30
    made.clear()
    assert answer(reader, path, {"limit": "100"}) == first
    assert made == []
    new = {**factory.dataset("new"), "namespace": BENCHMARK_LAKE}
    fold(factory.received(factory.run_event("COMPLETE", job="elsewhere", outputs=[new])), store)
    answer(reader, path, {"limit": "100"})
    assert made == ["new"]


@pytest.mark.parametrize("usage", ["true", "false"])
def test_a_listed_dataset_shows_a_number_with_its_last_digits(table: SqliteTable, usage: str) -> None:
    """Equal numbers may have other digits: `7` and `7.00`."""
    store, reader = GraphStore(table, RETENTION), GraphReader(table, cache=StateCache())
    path, query = f"namespaces/{quote(LAKE, safe='')}/datasets", {"withUsage": usage}
    for run, digits in enumerate(("7", "7.00", "7.0")):
        checks = {"dataQualityMetrics": factory.facet(rowCount=Decimal(digits))}
        checked = {**factory.dataset("orders"), "namespace": LAKE, "inputFacets": checks}
        fold(factory.received(factory.run_event("COMPLETE", run=run, inputs=[checked])), store)
        kept = answer(reader, path, query)
        assert f'"rowCount":{digits}'.encode() in kept[1]
        assert kept == answer(GraphReader(table), path, query)
