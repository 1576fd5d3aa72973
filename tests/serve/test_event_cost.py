"""What an event costs the process: calls of Python, items and bytes. No other program moves these counts, as it moves
times.

The events are those of `make bench`, all STARTs and then all COMPLETEs: of a START each name is new, of a COMPLETE the
names are known. Redaction, checks, facets, expectations and the outbox are on.
"""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from types import FrameType

import pytest

from benchmarks.graph import layered_graph
from benchmarks.spark_events import events
from headwater.access.principal import Principal, Scope
from headwater.alerts.announce import Announcer
from headwater.fold.normalise import Normaliser
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.http.request import ApiRequest
from headwater.ingest.routes import Ingest
from headwater.openlineage.instant import Instant
from headwater.process_settings import read_settings
from headwater.serve.alerting import Announcing, LoggedBus
from headwater.serve.application import FOLD_CACHE_BYTES
from headwater.serve.fold_worker import BATCH, FoldWorker
from headwater.serve.log import ServeLog
from headwater.serve.posting import Posting
from headwater.store.caches import StateCache
from headwater.store.graph_store import GraphStore
from headwater.store.sqlite.home import SqliteHome

JOBS = 200
CACHE_BYTES = FOLD_CACHE_BYTES * JOBS // 700
"""Of the cache of states, what a job has in a graph of 700."""
ANYONE = Principal("test", frozenset(Scope), ("*",))


def calls_of(work: Callable[[], object]) -> int:
    """The calls of Python functions that a piece of work takes."""
    calls = 0

    def count(_frame: FrameType, event: str, _: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


class Process:
    """What `headwater serve` does with events, step by step in one thread."""

    def __init__(self, home: SqliteHome) -> None:
        self.home = home
        settings, log = read_settings(), ServeLog()
        store = GraphStore(home.table, replace(settings.retention, forms=home.forms), StateCache(CACHE_BYTES))
        ingest = Ingest(home.inbox, home.bodies, Naming(), settings.max_body_bytes, lambda _: None)
        self._posting = Posting(ingest, home.inbox)
        thresholds = Thresholds(300_000, {})
        normaliser = Normaliser(store, home.bodies, home.archive, Naming(), thresholds, self._now, log)
        self._folding = FoldWorker(home.inbox, home.transaction, normaliser, lambda: None)
        announcer = Announcer(store, home.bodies, LoggedBus(home.alert_log, ""), Naming(), log)
        self._announcing = Announcing(home.outbox, announcer)

    def post(self, bodies: list[bytes]) -> None:
        for body in bodies:
            assert self._posting.respond(ApiRequest(ANYONE, "POST", "/api/v1/lineage", {}, body=body)).status == 201

    def fold(self) -> None:
        while self.home.inbox.depth():
            self._folding.step()

    def announce(self) -> None:
        while not self._announcing.step():
            pass

    @staticmethod
    def _now() -> Instant:
        return Instant("2026-11-20T08:01:00.000000000Z")


def calls_of_each(process: Process, bodies: list[bytes]) -> tuple[int, int, int]:
    """The calls of an event as it is posted, as it is folded, and until its alerts are known."""
    posted = folded = announced = 0
    for start in range(0, len(bodies), BATCH):
        batch = bodies[start : start + BATCH]
        posted += calls_of(lambda batch=batch: process.post(batch))  # type: ignore[misc]
        folded += calls_of(process.fold)
        announced += calls_of(process.announce)
    return posted // len(bodies), folded // len(bodies), announced // len(bodies)


def stored(home: SqliteHome) -> tuple[int, int]:
    """The items of the file, and the bytes of their documents."""
    with home.database.reading() as connection:
        lengths = "sum(ifnull(length(doc), 0) + ifnull(length(parts), 0))"
        items, size = connection.execute(f"SELECT count(*), {lengths} FROM items").fetchone()  # noqa: S608
    return items, size


@pytest.mark.usefixtures("measured")
def test_what_an_event_with_new_names_and_one_with_known_names_cost(home: SqliteHome) -> None:
    process = Process(home)
    documents = [json.dumps(event).encode() for event in events(layered_graph(JOBS, 1), 1, 1)]
    posted, folded, announced = calls_of_each(process, documents[0::2])
    assert posted <= 225
    assert folded <= 2_830
    assert announced <= 45
    items, size = stored(home)
    assert items <= 43 * JOBS
    assert size <= 2_700 * JOBS
    posted, folded, announced = calls_of_each(process, documents[1::2])
    assert posted <= 200
    assert folded <= 2_220
    assert announced <= 180
    more_items, more_bytes = stored(home)
    assert more_items - items <= 5 * JOBS
    assert more_bytes - size <= 880 * JOBS
