"""Measures how fast a system takes events: over several connections, the events of a job in their order."""

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from benchmarks.figures import median, percentile
from benchmarks.graph import LayeredGraph
from benchmarks.spark_events import JOBS, events
from benchmarks.system import System

Document = dict[str, Any]
Say = Callable[[str], None]

PRINT_EVERY_SECONDS = 5
BUSY_POLL_SECONDS = 0.1
"""How often a lookup asks whether all events are visible. Asking every 2 ms took a third of the server's time."""
PROBES, PROBES_NAMESPACE = 20, "benchmark-probes"


@dataclass(frozen=True)
class Load:
    """The events of a graph, posted over some connections, at most `rate` a second."""

    graph: LayeredGraph
    runs: int
    seed: int
    connections: int
    rate: float | None


@dataclass(frozen=True)
class Ingestion:
    """The figures of the load. Milliseconds are those from the request to the response.

    visible_a_second    events divided by the time until lookups, ten a second, show the last run of each connection.
                        The last run of every job is waited for as well, without being measured
    cpu_millis          CPU time of the system for an event; None if its processes run elsewhere
    peak_megabytes      the largest memory of the system; None if its processes run elsewhere
    shown_after_millis  on the idle system: from the 201 of an event until a lookup shows its run
    """

    events: int
    kilobytes: float
    accepted_a_second: float
    visible_a_second: float
    p50: float
    p95: float
    p99: float
    cpu_millis: float | None
    peak_megabytes: float | None
    shown_after_millis: float


def measure_ingestion(system: System, load: Load, say: Say) -> Ingestion:
    """Posts the events, and waits until all are visible. Raises RuntimeError if the system refuses an event."""
    documents = events(load.graph, load.runs, load.seed)
    by_job = [list(of_job) for _, of_job in groupby(documents, key=lambda event: event["job"]["name"])]
    rounds = [event for at in zip(*by_job, strict=True) for event in at]
    count = len(rounds)
    cpu, started = system.cpu_seconds(), time.perf_counter()
    progress = _Progress(system.name, count, say)
    lanes: list[list[tuple[int, Document]]] = [[] for _ in range(load.connections)]
    for index, event in enumerate(rounds):
        lanes[hash(event["job"]["name"]) % load.connections].append((index, event))

    def post(lane: Sequence[tuple[int, Document]]) -> list[float]:
        milliseconds = []
        for index, event in lane:
            if load.rate and (early := started + index / load.rate - time.perf_counter()) > 0:
                time.sleep(early)
            answer = system.post(event)
            if answer.status not in (200, 201):
                raise RuntimeError(f"{system.name} answered {answer.status}: {answer.body[:300].decode()}")
            milliseconds.append(answer.milliseconds)
            progress.add()
        return milliseconds

    with ThreadPoolExecutor(load.connections) as pool:
        milliseconds = [took for lane in pool.map(post, lanes) for took in lane]
    accepted = time.perf_counter() - started
    _wait_for_runs(system, [lane[-1][1] for lane in lanes if lane])
    visible = time.perf_counter() - started
    used = system.cpu_seconds() - cpu
    _wait_for_runs(system, [of_job[-1] for of_job in by_job])
    local = bool(system.processes)
    return Ingestion(
        events=count,
        kilobytes=sum(len(repr(event)) for event in rounds[:100]) / len(rounds[:100]) / 1000,
        accepted_a_second=count / accepted,
        visible_a_second=count / visible,
        p50=percentile(milliseconds, 50),
        p95=percentile(milliseconds, 95),
        p99=percentile(milliseconds, 99),
        cpu_millis=used / count * 1000 if local else None,
        peak_megabytes=system.peak_megabytes() if local else None,
        shown_after_millis=_shown_after(system),
    )


def _wait_for_runs(system: System, last: Sequence[Document]) -> None:
    """Waits until lookups show the runs of these events. Of all jobs that takes some time itself."""
    for event in last:
        system.wait_for_run(JOBS, event["job"]["name"], event["run"]["runId"], BUSY_POLL_SECONDS)


def _shown_after(system: System) -> float:
    """The median over some small events, each sent when the event before is visible."""
    seconds = []
    for number in range(PROBES):
        run_id, job = str(uuid.uuid4()), f"probe_{number}"
        event = {
            "eventTime": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            "producer": "https://example.com/benchmark",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "eventType": "COMPLETE",
            "run": {"runId": run_id},
            "job": {"namespace": PROBES_NAMESPACE, "name": job},
            "inputs": [],
            "outputs": [],
        }
        answer = system.post(event)
        if answer.status not in (200, 201):
            raise RuntimeError(f"{system.name} answered {answer.status}: {answer.body[:300].decode()}")
        seconds.append(system.wait_for_run(PROBES_NAMESPACE, job, run_id))
    return median(seconds) * 1000


class _Progress:
    def __init__(self, name: str, count: int, say: Say) -> None:
        self._name, self._count, self._say = name, count, say
        self._started = self._printed = time.monotonic()
        self._done = 0
        self._lock = threading.Lock()

    def add(self) -> None:
        with self._lock:
            self._done += 1
            now = time.monotonic()
            if now - self._printed > PRINT_EVERY_SECONDS:
                self._printed = now
                a_second = self._done / (now - self._started)
                self._say(f"  {self._name}: {self._done:,} of {self._count:,} events, {a_second:,.0f} a second")
