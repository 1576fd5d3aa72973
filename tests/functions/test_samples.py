"""Every sample in events/ does in its function what events/README.md says it does."""

import base64
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events import story
from events.envelopes import CALLER, CONTEXT, KEY
from events.generate import samples
from headwater.lookup.routes import PREFIX, ROUTES
from local.template import read_template
from tests.embedded import Deployed, key_entry
from tests.functions.handlers import ROOT, Event, Function, Named
from tests.functions.own_queue import OwnQueue

pytestmark = pytest.mark.emulator

FOLDER = ROOT / "events"
LAKE = story.LAKE

AUTHORISED: dict[str, dict[str, str]] = {
    "authorise/bearer.json": CONTEXT,
    "authorise/x-api-key.json": CONTEXT,
    "authorise/without-key.json": {},
}

TAKEN: dict[str, list[story.Document]] = {
    "ingest/run-event.json": [story.CLEAN_START],
    "ingest/gzip.json": [story.CLEAN_COMPLETE],
    "ingest/dataset-event.json": [story.DATASET_EVENT],
    "ingest/job-event.json": [story.JOB_EVENT],
}

REFUSED: dict[str, tuple[int, list[str]]] = {
    "ingest/refused.json": (400, ["job.name: missing"]),
    "ingest/without-key.json": (
        401,
        ["key: missing, unknown or expired; send it as `Authorization: Bearer KEY` or `x-api-key: KEY`"],
    ),
}

BATCHES: dict[str, tuple[list[story.Document], list[Any]]] = {
    "ingest/batch.json": ([story.CLEAN_START, story.CLEAN_COMPLETE], []),
    "ingest/batch-refused-in-part.json": (
        [story.CLEAN_START, story.REVENUE_COMPLETE],
        [{"index": 1, "reason": "job.name: missing", "retriable": False}],
    ),
}

NORMALISED = "normalise/two-runs.json"

LINEAGE = {
    f"dataset:{LAKE}:raw/orders",
    f"job:{story.JOBS}:{story.CLEAN_ORDERS}",
    f"dataset:{LAKE}:orders_clean",
    f"job:{story.JOBS}:{story.REVENUE_DAILY}",
    f"dataset:{LAKE}:revenue_daily",
}
COLUMN_LINEAGE = {
    f"datasetField:{LAKE}:raw/orders:unit_price",
    f"datasetField:{LAKE}:orders_clean:order_total",
    f"datasetField:{LAKE}:revenue_daily:total_revenue",
}
ANSWERED: dict[str, Callable[[Any], bool]] = {
    "lookup/namespaces.json": lambda body: {LAKE, story.JOBS} <= set(names(body["namespaces"])),
    "lookup/namespace.json": lambda body: body["name"] == LAKE and body["createdAt"] == "2026-11-20T08:00:00Z",
    "lookup/datasets.json": lambda body: names(body["datasets"]) == ["orders_clean", "raw/orders", "revenue_daily"],
    "lookup/dataset.json": lambda body: names(body["fields"]) == ["order_id", "quantity", "unit_price"],
    "lookup/all-jobs.json": lambda body: {story.CLEAN_ORDERS, story.REVENUE_DAILY} <= set(names(body["jobs"])),
    "lookup/jobs.json": lambda body: names(body["jobs"]) == [story.CLEAN_ORDERS, story.REVENUE_DAILY],
    "lookup/job.json": lambda body: names(body["inputs"] + body["outputs"]) == ["orders_clean", "revenue_daily"],
    "lookup/job-runs.json": lambda body: [run["durationMs"] for run in body["runs"]] == [31_500],
    "lookup/run.json": lambda body: body["id"] == story.CLEAN_RUN and body["state"] == "COMPLETED",
    "lookup/run-facets.json": lambda body: body["facets"]["processing_engine"]["version"] == "3.5.9",
    "lookup/lineage.json": lambda body: {node["id"] for node in body["graph"]} == LINEAGE,
    "lookup/column-lineage.json": lambda body: {node["id"] for node in body["graph"]} == COLUMN_LINEAGE,
    "lookup/signed-with-iam.json": lambda body: {LAKE, story.JOBS} <= set(names(body["namespaces"])),
}
"""What is true of the answer."""


def names(shapes: list[dict[str, Any]]) -> list[str]:
    return [shape["name"] for shape in shapes]


def sample(name: str) -> Event:
    event: Event = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    return event


def files() -> set[str]:
    return {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.json")}


@pytest.fixture(scope="module")
def admitted(deployed: Deployed) -> None:
    """Puts the samples' key among those that the API takes."""
    scopes, namespaces = sorted(CALLER.scopes), list(CALLER.namespaces)
    deployed.admit(key_entry(KEY, id=CALLER.key_id, scopes=scopes, namespaces=namespaces))


@pytest.mark.usefixtures("admitted")
@pytest.mark.parametrize("name", AUTHORISED)
def test_authorise_says_whose_key_it_is(named: Named, name: str) -> None:
    assert named("authorise")(sample(name)) == {"isAuthorized": True, "context": AUTHORISED[name]}


@pytest.mark.parametrize("name", TAKEN)
def test_ingest_takes_an_event(ingest: Function, queue: OwnQueue, name: str) -> None:
    answer = ingest(sample(name))
    assert (answer["statusCode"], json.loads(answer["body"])["status"]) == (201, "accepted")
    assert queue.events() == TAKEN[name]


@pytest.mark.parametrize("name", REFUSED)
def test_ingest_refuses_and_says_why(ingest: Function, queue: OwnQueue, name: str) -> None:
    answer = ingest(sample(name))
    status, details = REFUSED[name]
    assert answer["statusCode"] == status
    assert json.loads(answer["body"]) == {"code": status, "message": "; ".join(details), "details": details}
    assert queue.bodies() == []


@pytest.mark.parametrize("name", BATCHES)
def test_ingest_takes_what_it_can_of_a_batch(ingest: Function, queue: OwnQueue, name: str) -> None:
    taken, failed = BATCHES[name]
    answer = ingest(sample(name))
    body = json.loads(answer["body"])
    assert (answer["statusCode"], body["summary"]["successful"], body["failed_events"]) == (200, len(taken), failed)
    assert queue.events() == taken


@pytest.fixture(scope="module")
def folded(named: Named) -> Any:
    """What normalise answers to its sample, by which the table holds what lookups ask for."""
    return named("normalise")(sample(NORMALISED))


def test_normalise_folds_two_groups(folded: Any, deployed: Deployed) -> None:
    assert folded == {"batchItemFailures": []}
    states = {item["run_id"]["S"]: item["state"]["S"] for item in deployed.items().values() if "run_id" in item}
    assert states.items() >= {story.CLEAN_RUN: "COMPLETED", story.REVENUE_RUN: "COMPLETED"}.items()


@pytest.mark.usefixtures("folded")
@pytest.mark.parametrize("name", ANSWERED)
def test_lookup_answers(named: Named, name: str) -> None:
    answer = named("lookup")(sample(name))
    body = json.loads(answer["body"])
    assert answer["statusCode"] == 200, body
    assert ANSWERED[name](body), body


def test_every_sample_is_run() -> None:
    assert files() == {*AUTHORISED, *TAKEN, *REFUSED, *BATCHES, NORMALISED, *ANSWERED}


def test_every_function_has_a_sample() -> None:
    assert {Path(name).parts[0] for name in files()} == {app.parent.name for app in ROOT.glob("functions/*/app.py")}


def test_every_route_of_the_api_has_a_sample() -> None:
    resources = read_template(ROOT / "template.yaml")["Resources"].values()
    routes = {each["Properties"]["RouteKey"] for each in resources if each["Type"] == "AWS::ApiGatewayV2::Route"}
    assert {sample(name)["routeKey"] for name in files() if not name.startswith("normalise/")} == routes


def test_every_question_of_the_lookup_api_has_a_sample() -> None:
    asked = {sample(name)["rawPath"].removeprefix(PREFIX) for name in ANSWERED}
    matched = {next(pattern for pattern, _ in ROUTES if re.fullmatch(pattern, path)) for path in asked}
    assert matched == {pattern for pattern, _ in ROUTES}


def test_the_readme_lists_every_sample_with_its_command() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in readme.splitlines() if line.startswith("| `")]
    assert {row[0].strip("| `") for row in rows} == files()
    for file, function, _, command in rows:
        name = file.strip("| `")
        assert name.startswith(f"{function}/")
        assert command.startswith(f"`sam local invoke {function.capitalize()}Function ")
        assert command.endswith(f"-e events/{name}` |")


def test_the_samples_are_as_they_are_generated() -> None:
    assert {name: opened(sample(name)) for name in files()} == {name: opened(made) for name, made in samples().items()}


def opened(event: Any) -> Any:
    """An event with what is gzipped in it in the clear: compressors differ, and so do the hashes over their output."""
    if isinstance(event, dict):
        return {name: opened(member) for name, member in event.items() if name not in ("md5OfBody", "content-length")}
    if isinstance(event, list):
        return [opened(member) for member in event]
    if isinstance(event, str) and event.startswith("H4sI"):
        return gzip.decompress(base64.b64decode(event))
    if isinstance(event, str) and event.startswith('{"receivedAt"'):
        return opened(json.loads(event))
    return event
