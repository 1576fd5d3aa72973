"""Functions are killed as `kill -9` does, while clients post events: what was answered 201 is stored, and once."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest

from headwater.fold.fold import fold
from headwater.store.dynamodb import attributes_of
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed, Items, embedded_stack
from tests.end_to_end.api import Api
from tests.fakes import FakeBucket

pytestmark = [pytest.mark.emulator, pytest.mark.engine]

CLIENTS, EVENTS_EACH = 4, 24
KILLS_OF_NORMALISE = 4
"""The fifth delivery of a message is its last."""
KILLS = 20
SECONDS = 300


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with embedded_stack("killed") as running:
        yield running


def test_no_event_answered_201_is_lost_or_counted_twice_if_functions_are_killed(stack: Stack) -> None:
    deployed, ledger, ended = Deployed(stack.deployment), list[factory.Document](), threading.Event()
    queue = {"QueueUrl": deployed.outputs["QueueUrl"]}
    deployed.sqs.set_queue_attributes(**queue, Attributes={"VisibilityTimeout": "5"})
    clients = [threading.Thread(target=send, args=[stack, number, ledger]) for number in range(CLIENTS)]
    killer, killed = threading.Thread(target=lambda: killed.extend(kill(stack, ended))), list[str]()
    for thread in (*clients, killer):
        thread.start()
    for client in clients:
        client.join(SECONDS)
    wait_until_quiet(deployed)
    ended.set()
    killer.join()
    wait_until_quiet(deployed)
    print(f"{len(ledger)} events answered 201; killed: {sorted(killed)}")  # noqa: T201
    assert len(ledger) == CLIENTS * EVENTS_EACH
    assert "normalise" in killed
    assert len(killed) > KILLS_OF_NORMALISE
    assert deployed.dead_letters() == 0
    assert deployed.objects("quarantine/") == {}
    assert without_latency(deployed.items()) == without_latency(folded(ledger, deployed))


def send(stack: Stack, client: int, ledger: list[factory.Document]) -> None:
    """A client posts its events one after the other, and each again until it is answered 201."""
    for number in range(EVENTS_EACH):
        event = numbered(client, number)
        end = time.monotonic() + SECONDS
        while status_of(stack, event) != 201:
            assert time.monotonic() < end
        ledger.append(event)


def status_of(stack: Stack, event: factory.Document) -> int | None:
    """The status of the response; None without a response."""
    try:
        return Api.of(stack.url, stack.key).post_event(event).status
    except (OSError, HTTPException):
        return None


def numbered(client: int, number: int) -> factory.Document:
    """One of some events of a few runs, which share datasets with the other clients."""
    output = factory.dataset(f"table {number % 5}", schema=factory.schema(f"c{number % 3}:int"))
    return factory.run_event(
        ["START", "RUNNING", "RUNNING", "COMPLETE"][number % 4],
        seconds=number + client / 10,
        run=100 * client + number // 4,
        job=f"job {(client + number // 4) % 3}",
        inputs=[factory.dataset(f"table {number % 7}")],
        outputs=[output],
    )


def kill(stack: Stack, ended: threading.Event) -> list[str]:
    """Kills functions at random times, of those that run the one that was killed least. Returns their names."""
    chance, killed = random.Random(18), list[str]()
    while len(killed) < KILLS and not ended.wait(chance.uniform(0.1, 1)):
        running = {
            pid: name
            for pid, name in processes(stack.emulator.process.pid).items()
            if name != "normalise" or killed.count(name) < KILLS_OF_NORMALISE
        }
        if running:
            pid = min(sorted(running), key=lambda pid: killed.count(running[pid]))
            os.kill(pid, signal.SIGKILL)
            killed.append(running[pid])
    return killed


def processes(emulator: int) -> dict[int, str]:
    """The processes of functions that the emulator has started, with the functions' names."""
    found: dict[int, str] = {}
    for children in Path(f"/proc/{emulator}/task").glob("*/children"):
        for pid in map(int, children.read_text().split()):
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode()
            if "ministack-lambda-" in command:
                name = command.partition("ministack-lambda-")[2].partition("/")[0].lower()
                known = (
                    part for part in ("ingest", "normalise", "alerts", "authorise", "lookup", "catalog") if part in name
                )
                found[pid] = next(known, name)
    return found


def wait_until_quiet(deployed: Deployed) -> None:
    end = time.monotonic() + SECONDS
    while deployed.queued():
        assert time.monotonic() < end, f"{deployed.queued()} messages are not folded"
        time.sleep(0.2)


def folded(events: list[factory.Document], deployed: Deployed) -> Items:
    """The items of the events, folded in memory."""
    table = MemoryTable()
    fold(factory.received(*events), GraphStore(table, deployed.retention()))
    return {(key.pk, key.sk): attributes_of(item, FakeBucket()) for key, item in table.items.items()}


def without_latency(items: Items) -> Items:
    """The items that do not follow from the time at which an event was received."""
    return {key: item for key, item in items.items() if item.get("kind", {}).get("S") != "latency"}
