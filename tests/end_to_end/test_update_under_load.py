"""A stack is updated, and rolled back, while clients post: what was answered 201 is there, whatever the order.

CloudFormation updates one function after the other, so any mixture of two releases may serve for a while. Each function
is exchanged in each mixture of the others: whatever the order of an update, it is a part of this tour.
"""

import io
import time
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from local.stack.lifecycle import Stack
from tests import factory
from tests.embedded import Deployed, embedded_stack
from tests.end_to_end.api import Api
from tests.end_to_end.test_killed_functions import VISIBILITY_SECONDS, Clients, events_of
from tests.store.test_two_releases import ROOT, before

pytestmark = [pytest.mark.emulator, pytest.mark.engine]
__all__ = ["before"]

CLIENTS = 1
"""In the emulator, requests that come while a function starts take its files from each other: with several clients it
might never start."""
FUNCTIONS = ("authorise", "ingest", "normalise", "lookup")
PATIENCE_SECONDS = 120

Mixture = frozenset[str]
"""The functions of the release before; the others are of this one."""


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with embedded_stack("updated") as running:
        yield running


def tour(mixture: Mixture, tried: set[frozenset[Mixture]]) -> Iterator[str]:
    """The functions to exchange, one after the other: each of them, to and fro, in each mixture of the others."""
    for function in FUNCTIONS:
        step = frozenset({mixture, mixture ^ {function}})
        if step not in tried:
            tried.add(step)
            yield function
            yield from tour(mixture ^ {function}, tried)
            yield function


def test_a_tour_takes_each_step_to_and_fro() -> None:
    mixture, seen = Mixture(), Counter[tuple[Mixture, str]]()
    for function in tour(mixture, set()):
        seen[mixture, function] += 1
        mixture ^= {function}
    assert (mixture, len(seen), set(seen.values())) == (Mixture(), 2 ** len(FUNCTIONS) * len(FUNCTIONS), {1})


def packed(folder: Path, name: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", strict_timestamps=False) as archive:
        for path in sorted(folder.rglob("*")):
            if "__pycache__" not in path.parts:
                archive.write(path, Path(name) / path.relative_to(folder))
    return content.getvalue()


class Releases:
    """Exchanges the functions of a stack for those of the release before, and back."""

    def __init__(self, deployed: Deployed, before: Path) -> None:
        self._deployed, self._lambda = deployed, deployed.lambda_
        self._names = {function: deployed.function(function) for function in (*FUNCTIONS, "curate")}
        configuration = self._lambda.get_function_configuration(FunctionName=self._names["ingest"])
        dependencies, this = [layer["Arn"] for layer in configuration["Layers"]]
        layer = self._lambda.publish_layer_version(
            LayerName="headwater-before", Content={"ZipFile": packed(before / "headwater", "python/headwater")}
        )
        self._folders = {True: before, False: ROOT}
        self._layers = {True: [dependencies, layer["LayerVersionArn"]], False: [dependencies, this]}

    def exchange(self, function: str, *, is_before: bool) -> None:
        """Exchanges layer and code, by two calls, as CloudFormation does, and then moves the alias that is called."""
        name = self._names[function]
        self._lambda.update_function_configuration(FunctionName=name, Layers=self._layers[is_before])
        code = packed(self._folders[is_before] / "functions" / function, "")
        self._lambda.update_function_code(FunctionName=name, ZipFile=code)
        self._deployed.release(name)


def test_no_event_answered_201_is_lost_while_functions_are_updated_and_rolled_back(stack: Stack, before: Path) -> None:
    deployed, api = Deployed(stack.deployment), Api.of(stack.url, stack.key)
    releases, clients = Releases(deployed, before), Clients(api)
    hidden = {"VisibilityTimeout": str(VISIBILITY_SECONDS)}  # the emulator ends a normalise that is updated
    deployed.sqs.set_queue_attributes(QueueUrl=deployed.outputs["QueueUrl"], Attributes=hidden)
    with ThreadPoolExecutor(CLIENTS) as threads:
        posting = [threads.submit(clients.post, paced(deployed, events_of(number))) for number in range(CLIENTS)]
        try:
            mixture = Mixture()
            for number, function in enumerate(tour(mixture, set())):
                mixture ^= {function}
                releases.exchange(function, is_before=function in mixture)
                wait_until_served(clients, number, mixture)
        finally:
            clients.enough.set()
        for client in posting:
            client.result()
    deployed.wait_for_ingestion(PATIENCE_SECONDS)
    print(f"{len(clients.accepted)} events, tries without 201 by status: {dict(clients.refused)}")  # noqa: T201
    ledger = defaultdict[str, list[str]](list)
    for event in clients.accepted:
        ledger[event["run"]["runId"]].append(event["eventTime"])
    assert len(ledger) > 2 ** len(FUNCTIONS)
    for run, times in ledger.items():
        assert times_of(api, run) == times


def test_what_people_change_shows_whichever_release_a_function_is_of(stack: Stack, before: Path) -> None:
    """curate, what folds its events again, and what shows them, each of one release and of the other."""
    deployed, api = Deployed(stack.deployment), Api.of(stack.url, stack.key)
    releases, mixture = Releases(deployed, before), Mixture()
    assert api.post_event(factory.run_event("COMPLETE", run=7_000_000, job="tagged")).status == 201
    job = ("namespaces", "demo", "jobs", "tagged")
    for number, function in enumerate(("curate", "normalise", "lookup") * 2):
        mixture ^= {function}
        releases.exchange(function, is_before=function in mixture)
        wait_for(f"{sorted(mixture)} takes a tag", partial(is_tagged, api, job, f"tag{number}"))
        deployed.wait_for_ingestion(PATIENCE_SECONDS)
        tags = [f"tag{each}" for each in range(number + 1)]
        wait_for(f"{sorted(mixture)} shows {tags}", partial(has_tags, api, job, tags))


def is_tagged(api: Api, job: Sequence[str], tag: str) -> bool:
    return api.request("POST", "/".join(["/api/v1", *job, "tags", tag])).status in (200, 201)


def has_tags(api: Api, job: Sequence[str], tags: Sequence[str]) -> bool:
    answer = api.get(*job)
    return answer.status == 200 and sorted(answer.json["tags"]) == tags


def wait_for(what: str, is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        assert time.monotonic() < end, what
        time.sleep(0.1)


def paced(deployed: Deployed, events: Iterator[factory.Document]) -> Iterator[factory.Document]:
    """Events as fast as they are folded: the emulator folds one batch at a time."""
    for event in events:
        while deployed.queued() > 2 * CLIENTS:
            time.sleep(0.05)
        yield event


def wait_until_served(clients: Clients, number: int, mixture: Mixture) -> None:
    """Waits until a lookup knows an event that was posted since: all four functions had a part in it."""
    step, end = f"step {number}, of the former release {sorted(mixture)}", time.monotonic() + PATIENCE_SECONDS
    posted = len(clients.accepted) + 1  # one may have been answered meanwhile
    while len(clients.accepted) <= posted:
        assert time.monotonic() < end, f"{step}: no event is accepted: {clients.refused}"
        time.sleep(0.05)
    event = clients.accepted[posted]
    while event["eventTime"] not in times_of(clients.api, event["run"]["runId"]):
        assert time.monotonic() < end, f"{step}: {event['eventTime']} is not there"
        time.sleep(0.1)


def times_of(api: Api, run: str) -> list[str]:
    """The times of a run's events, as lookup answers them."""
    answer = api.get("jobs", "runs", run, "events")
    return sorted(event["eventTime"] for event in answer.json["events"]) if answer.status == 200 else []
