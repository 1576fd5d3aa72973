"""Functions are killed as by `kill -9` while clients post events: what was answered 201 is in the table, and once.

The times of the kills are drawn from a seed, and follow the progress of the clients and the queue, not the clock: each
function is killed a few times, on a fast machine and on a slow one. tests/faults kills functions between any two calls.
"""

import os
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from itertools import count
from pathlib import Path

import pytest

from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.end_to_end.recorded import folded_without_aws, versions

pytestmark = [
    pytest.mark.emulator,
    pytest.mark.engine,
    pytest.mark.skipif(sys.platform != "linux", reason="the processes of functions are found in /proc"),
]

SEED = 18
CLIENTS = 4
KILLS = {"authorise": 3, "ingest": 6, "normalise": 4}
"""The kills of each function. A message is delivered fifteen times: four kills of normalise cost no event."""
MOST_BETWEEN = 6
"""The events that are answered between two kills, at most."""
VISIBILITY_SECONDS = 5
PATIENCE_SECONDS = 300


@dataclass
class Clients:
    """Producers that post events, each event again until it is answered 201. `accepted` are the events answered so."""

    api: Api
    enough: threading.Event = field(default_factory=threading.Event)
    accepted: list[factory.Document] = field(default_factory=list)
    refused: Counter[int | None] = field(default_factory=Counter)

    def post(self, events: Iterator[factory.Document]) -> None:
        end = time.monotonic() + PATIENCE_SECONDS
        while not self.enough.is_set():
            event = next(events)
            while (status := self._status_of(event)) != 201:
                self.refused[status] += 1
                assert time.monotonic() < end, f"seed {SEED}: no event was accepted any more: {self.refused}"
                time.sleep(0.1)
            self.accepted.append(event)

    def _status_of(self, event: factory.Document) -> int | None:
        """The status of the response; None without a response."""
        try:
            return self.api.post_event(event).status
        except (OSError, HTTPException):
            return None


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with embedded_stack("killed") as running:
        yield running


def test_no_event_answered_201_is_lost_or_counted_twice_if_functions_are_killed(stack: Stack) -> None:
    deployed, clients = Deployed(stack.deployment), Clients(Api.of(stack.url, stack.key))
    queue = {"QueueUrl": deployed.outputs["QueueUrl"]}
    deployed.sqs.set_queue_attributes(**queue, Attributes={"VisibilityTimeout": str(VISIBILITY_SECONDS)})
    with ThreadPoolExecutor(CLIENTS) as threads:
        posting = [threads.submit(clients.post, events_of(number)) for number in range(CLIENTS)]
        try:
            kill_functions(stack, deployed, clients)
        finally:
            clients.enough.set()
        for client in posting:
            client.result()
    deployed.wait_for_ingestion(PATIENCE_SECONDS)
    print(f"seed {SEED}: {len(clients.accepted)} events, tries without 201 by status: {dict(clients.refused)}")  # noqa: T201
    assert len(clients.accepted) > len(KILLS)
    assert versions(deployed.items()) == folded_without_aws(clients.accepted, deployed.retention())


def events_of(client: int) -> Iterator[factory.Document]:
    """The events of runs, one run after the other, whose jobs and datasets other clients have, too."""
    for number in count():
        yield factory.run_event(
            ["START", "RUNNING", "RUNNING", "COMPLETE"][number % 4],
            seconds=number + client / 10,
            run=1000 * client + number // 4,
            job=f"job {(client + number // 4) % 3}",
            inputs=[factory.dataset(f"table {number % 7}")],
            outputs=[factory.dataset(f"table {number % 5}", schema=factory.schema(f"c{number % 3}:int"))],
        )


def kill_functions(stack: Stack, deployed: Deployed, clients: Clients) -> None:
    """Kills functions, each after some more events: one that has called AWS, and normalise while it has messages."""
    chance, end = random.Random(SEED), time.monotonic() + PATIENCE_SECONDS
    left = [function for function, times in KILLS.items() for _ in range(times)]
    chance.shuffle(left)
    goal = 0
    while left:
        assert time.monotonic() < end, f"seed {SEED}: not killed: {left}; {len(clients.accepted)} events"
        time.sleep(0.02)
        answered = len(clients.accepted)
        for function in dict.fromkeys(left) if answered >= goal else ():
            started = [pid for pid in processes(stack.emulator.process.pid, function) if has_called(pid)]
            if started and (function != "normalise" or deployed.in_flight()):
                time.sleep(chance.uniform(0, 0.05))
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(started), signal.SIGKILL)
                left.remove(function)
                goal = answered + chance.randint(1, MOST_BETWEEN)
                break


def processes(emulator: int, function: str) -> list[int]:
    """The processes in which the emulator runs a function. Their folders have the function's logical name."""
    children = [read(path).split() for path in Path(f"/proc/{emulator}/task").glob("*/children")]
    pids = [int(pid) for of_thread in children for pid in of_thread]
    return [pid for pid in pids if f"-{function}function-".encode() in read(Path(f"/proc/{pid}/cmdline")).lower()]


def has_called(pid: int) -> bool:
    """Whether a process has a connection. The emulator talks to it by pipes, so the process has called a service."""
    with suppress(OSError):
        return any(str(file.readlink()).startswith("socket:") for file in Path(f"/proc/{pid}/fd").iterdir())
    return False


def read(path: Path) -> bytes:
    """A file of /proc; nothing of a process or thread that has ended meanwhile."""
    with suppress(OSError):
        return path.read_bytes()
    return b""
