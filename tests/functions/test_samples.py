"""Every sample of events/ has the effect in its function that events/README.md states."""

import base64
import gzip
import json
import re
import uuid
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events import story
from events.envelopes import CALLER, CONTEXT, KEY
from events.generate import samples
from headwater.curate.routes import ROUTES as WRITTEN
from headwater.http.paths import PREFIX
from headwater.http.router import Route
from headwater.lookup.routes import ROUTES
from local.alerts.queue import subscribe
from local.deploy.template import read_template
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
        ["key: missing, unknown or expired; send a key as `Authorization: Bearer KEY` or `x-api-key: KEY`"],
    ),
}

BATCHES: dict[str, tuple[list[story.Document], list[Any]]] = {
    "ingest/batch.json": ([story.CLEAN_START, story.CLEAN_COMPLETE], []),
    "ingest/batch-refused-in-part.json": (
        [story.CLEAN_START, story.REVENUE_COMPLETE],
        [{"index": 1, "reason": "job.name: missing", "retriable": False}],
    ),
}

FILES = {"web/page.json": 200, "web/unknown-file.json": 404}
"""The status of each sample for a file of the page."""
NORMALISED = "normalise/two-runs.json"
CATALOGUED = "catalog/window.json"
SCHEDULED = "glue_import/schedule.json"
STREAMED = "alerts/failed-and-late.json"
SWEPT = "sweep/schedule.json"
FOLLOWED = "connect/schedule.json"
PICKED_UP = "pickup/test-event.json"
FORWARDED = "forward/without-target.json"
REGISTERED = "registry/schedule.json"
ENDED = "curate/step-ended.json"
TRIGGERED = {NORMALISED, CATALOGUED, SCHEDULED, STREAMED, SWEPT, FOLLOWED, REGISTERED, PICKED_UP, FORWARDED, ENDED}
"""What no request leads to."""

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
    "lookup/runs.json": lambda body: story.CLEAN_RUN in {run["id"] for run in body["runs"]},
    "lookup/alerts.json": lambda body: "Run Failed" in {alert["type"] for alert in body["alerts"]},
    "lookup/alert.json": lambda body: (body["type"], body["name"]) == ("Run Failed", "revenue_daily"),
    "lookup/diff.json": lambda body: "revenue_daily" in names(body["nodes"]["added"]),
    "lookup/openapi.json": lambda body: body["openapi"] == "3.1.0" and "/api/v1/lineage" in body["paths"],
    "lookup/namespaces.json": lambda body: {LAKE, story.JOBS} <= set(names(body["namespaces"])),
    "lookup/namespace.json": lambda body: body["name"] == LAKE and body["createdAt"] == "2026-11-20T08:00:00Z",
    "lookup/datasets.json": lambda body: names(body["datasets"]) == ["orders_clean", "raw/orders", "revenue_daily"],
    "lookup/dataset.json": lambda body: names(body["fields"]) == ["order_id", "quantity", "unit_price"],
    "lookup/all-jobs.json": lambda body: {story.CLEAN_ORDERS, story.REVENUE_DAILY} <= set(names(body["jobs"])),
    "lookup/jobs.json": lambda body: names(body["jobs"]) == [story.REVENUE_DAILY, story.CLEAN_ORDERS],
    "lookup/job.json": lambda body: names(body["inputs"] + body["outputs"]) == ["orders_clean", "revenue_daily"],
    "lookup/job-runs.json": lambda body: [run["durationMs"] for run in body["runs"]] == [31_500],
    "lookup/run.json": lambda body: body["id"] == story.CLEAN_RUN and body["state"] == "COMPLETED",
    "lookup/run-facets.json": lambda body: body["facets"]["processing_engine"]["version"] == "3.5.9",
    "lookup/lineage.json": lambda body: {node["id"] for node in body["graph"]} == LINEAGE,
    "lookup/column-lineage.json": lambda body: {node["id"] for node in body["graph"]} == COLUMN_LINEAGE,
    "lookup/signed-with-iam.json": lambda body: {LAKE, story.JOBS} <= set(names(body["namespaces"])),
    "lookup/dataset-versions.json": lambda body: (
        [version["version"] for version in body["versions"]] == [story.CLEAN_RUN]
    ),
    "lookup/dataset-version.json": lambda body: body["createdByRun"]["id"] == story.CLEAN_RUN,
    "lookup/quality.json": lambda body: body["last"]["dataQualityAssertions"]["assertions"][0]["success"] is True,
    "lookup/job-versions.json": lambda body: (
        [version["version"] for version in body["versions"]] == [story.CLEAN_VERSION]
    ),
    "lookup/job-version.json": lambda body: body["latestRun"]["id"] == story.CLEAN_RUN,
    "lookup/run-children.json": lambda body: body["runs"] == [],
    "lookup/run-events.json": lambda body: [event["eventType"] for event in body["events"]] == ["COMPLETE", "START"],
    "lookup/impact.json": lambda body: len(body["owners"][0]["items"]) == 4,
    "lookup/rootcause.json": lambda body: body["suspect"]["id"] == story.REVENUE_RUN,
    "lookup/export.json": lambda body: len(body["nodes"]) == len(LINEAGE),
    "lookup/runlineage.json": lambda body: body["runs"][0]["inputs"][0]["producedByRunId"] == story.CLEAN_RUN,
    "lookup/events.json": lambda body: [event["eventType"] for event in body["events"]] == ["START", "COMPLETE"],
    "lookup/search.json": lambda body: {"orders_clean", "raw/orders"} <= set(names(body["results"])),
    "lookup/caller.json": lambda body: body["scopes"] == ["curate", "ingest", "read"],
    "lookup/expectations.json": lambda body: body["expectations"][0]["state"] == "UNKNOWN",
    "lookup/due.json": lambda body: body == {"expectations": [], "totalCount": 0},
    "lookup/insights.json": lambda body: body["insights"] == [],
    "lookup/search-groups.json": lambda body: {"orders_clean", "raw/orders"} <= set(names(body["results"])),
    "lookup/search-jobs.json": lambda body: len(body["hits"]) == 1,
    "lookup/search-datasets.json": lambda body: len(body["hits"]) == 1,
    "lookup/sources.json": lambda body: LAKE in names(body["sources"]),
    "lookup/source.json": lambda body: body["connectionUrl"] == LAKE,
    "lookup/tags.json": lambda body: {"PII", "SENSITIVE"} <= set(names(body["tags"])),
    "lookup/aliases.json": lambda body: body["dataset"]["name"] == "revenue_daily",
    "lookup/stats-events.json": lambda body: len(body) == 24,
    "lookup/stats-jobs.json": lambda body: len(body) == 24,
    "lookup/stats-datasets.json": lambda body: len(body) == 7,
    "lookup/settings.json": lambda body: body.keys() == {"text", "settings", "updatedAt", "updatedBy"},
    "lookup/audit.json": lambda body: body["isAudited"] is False and isinstance(body["entries"], list),
    "lookup/stats-set-aside.json": lambda body: body == {"jobs": []},
    "lookup/stats-refusals.json": lambda body: isinstance(body["refusals"], list) and body["setAside"] == [],
    "lookup/stats-sources.json": lambda body: len(body) == 24,
}
"""What is true of the answer."""


CURATED: dict[str, Callable[[Any], bool]] = {
    "curate/put-namespace.json": lambda body: (body["name"], body["ownerName"]) == ("shop-desk", "desk"),
    "curate/put-source.json": lambda body: body["connectionUrl"] == story.SHOP_DB["connectionUrl"],
    "curate/put-tag.json": lambda body: body == {"name": "GOLD", "description": "Fit for reports"},
    "curate/put-dataset.json": lambda body: body["physicalName"] == "desk.returns" and len(body["fields"]) == 2,
    "curate/tag-dataset.json": lambda body: body["tags"] == ["GOLD"],
    "curate/tag-field.json": lambda body: body["fields"][1]["tags"] == ["PII"],
    "curate/untag-field.json": lambda body: body["fields"][1]["tags"] == [],
    "curate/untag-dataset.json": lambda body: body["tags"] == [],
    "curate/put-job.json": lambda body: names(body["inputs"]) == ["raw/returns"],
    "curate/own-dataset.json": lambda body: body["facets"]["ownership"]["owners"] == [{"name": "returns desk"}],
    "curate/own-job.json": lambda body: body["facets"]["ownership"]["owners"] == [{"name": "returns desk"}],
    "curate/tag-job.json": lambda body: body["tags"] == ["GOLD"],
    "curate/untag-job.json": lambda body: body["tags"] == [],
    "curate/delete-tag.json": lambda body: body == {"name": "GOLD", "description": "Fit for reports"},
    "curate/put-settings.json": lambda body: body["settings"]["expectations"][0]["rows"] == "20%",
    "curate/acknowledge.json": lambda body: body["acknowledged"]["note"] == "on it",
    "curate/silence.json": lambda body: body["silence"]["note"] == "moving the cluster",
    "curate/end-silence.json": lambda body: body["silence"]["note"] == "moving the cluster",
    "curate/take-back.json": lambda body: body == {"acknowledged": None},
    "curate/create-run.json": lambda body: (body["id"], body["state"]) == (story.COUNT_RUN, "NEW"),
    "curate/start-run.json": lambda body: (body["startedAt"], body["state"]) == ("2026-11-20T08:10:00Z", "RUNNING"),
    "curate/complete-run.json": lambda body: (body["durationMs"], body["state"]) == (4_000, "COMPLETED"),
    "curate/good-run.json": lambda body: body["judgement"]["note"] == "compared with the till",
    "curate/good-run-back.json": lambda body: "judgement" not in body,
    "curate/delete-dataset.json": lambda body: body["name"] == "raw/returns",
    "curate/clear-names.json": lambda body: body == {"totalCount": 0},
    "curate/delete-job.json": lambda body: body["name"] == "count_returns",
    "curate/delete-namespace.json": lambda body: body["isHidden"] is False,
}
"""What holds for the responses of curate, in the order in which the samples are sent."""
NOT_PERMITTED = {
    "lookup/signed-in.json": "read",
    "curate/signed-in-put.json": "ingest or curate",
    "curate/signed-in-post.json": "ingest or curate",
    "curate/signed-in-delete.json": "ingest or curate",
}
"""Requests of a person whose groups have no role in the stack, each with the scope that is missing."""
NOT_CURATED = {
    "curate/refused.json": (400, ["ownerName: missing"]),
    "curate/not-allowed.json": (403, ["key: lacks the scope admin; send a key with this scope"]),
}


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
    deployed.register_api_keys(key_entry(KEY, id=CALLER.key_id, scopes=scopes, namespaces=namespaces, seal=CALLER.seal))


@pytest.mark.usefixtures("admitted")
@pytest.mark.parametrize("name", AUTHORISED)
def test_authorise_returns_the_principal_of_the_key(named: Named, name: str) -> None:
    assert named("authorise")(sample(name)) == {"isAuthorized": True, "context": AUTHORISED[name]}


def test_what_api_gateway_remembers_an_answer_for_is_the_only_header_with_a_key(named: Named) -> None:
    """Else a key in another header would be that of everybody who sends the same Authorization, for KeyCacheSeconds."""
    request = sample(next(iter(AUTHORISED)))
    bearer = {name.lower(): text for name, text in request["headers"].items()}["authorization"]
    other = {"authorization": "Basic abc", "x-api-key": bearer.removeprefix("Bearer ")}
    assert named("authorise")({**request, "headers": other})["context"]
    assert named("authorise")({**request, "headers": other, "identitySource": ["Basic abc"]})["context"] == {}
    assert named("authorise")({**request, "headers": other, "identitySource": [bearer]})["context"]


@pytest.mark.parametrize("name", TAKEN)
def test_ingest_takes_an_event(ingest: Function, queue: OwnQueue, name: str) -> None:
    answer = ingest(sample(name))
    assert (answer["statusCode"], json.loads(answer["body"])["status"]) == (201, "accepted")
    assert queue.events() == TAKEN[name]


@pytest.mark.parametrize("name", REFUSED)
def test_ingest_names_the_fault_of_a_refused_request(ingest: Function, queue: OwnQueue, name: str) -> None:
    answer = ingest(sample(name))
    status, faults = REFUSED[name]
    text = "; ".join(faults)
    assert answer["statusCode"] == status
    assert json.loads(answer["body"]) == {"code": status, "message": text, "details": text, "faults": faults}
    assert queue.bodies() == []


@pytest.mark.parametrize("name", BATCHES)
def test_ingest_accepts_the_correct_events_of_a_batch(ingest: Function, queue: OwnQueue, name: str) -> None:
    taken, failed = BATCHES[name]
    answer = ingest(sample(name))
    body = json.loads(answer["body"])
    assert (answer["statusCode"], body["summary"]["successful"], body["failed_events"]) == (200, len(taken), failed)
    assert queue.events() == taken


@pytest.fixture(scope="module")
def folded(named: Named) -> Any:
    """The response of normalise to its sample; afterwards the table holds what the lookups' samples name."""
    return named("normalise")(sample(NORMALISED))


def test_normalise_folds_two_groups(folded: Any, deployed: Deployed) -> None:
    assert folded == {"batchItemFailures": []}
    states = {item["run_id"]["S"]: item["state"]["S"] for item in deployed.items().values() if "run_id" in item}
    assert states.items() >= {story.CLEAN_RUN: "COMPLETED", story.REVENUE_RUN: "COMPLETED"}.items()


@pytest.fixture(scope="module")
def announced(named: Named) -> None:
    """Stores the alerts that the lookups' samples name."""
    named("alerts")(sample(STREAMED))


@pytest.mark.usefixtures("folded", "announced")
@pytest.mark.parametrize("name", ANSWERED)
def test_lookup_answers(named: Named, name: str) -> None:
    answer = named("lookup")(sample(name))
    body = json.loads(answer["body"])
    assert answer["statusCode"] == 200, body
    assert ANSWERED[name](body), body


@pytest.fixture(scope="module")
def curated(named: Named, deployed: Deployed, announced: None) -> dict[str, Any]:
    """What curate answers to its samples, one after the other."""
    answers = {name: named("curate")(sample(name)) for name in CURATED}
    deployed.wait_for_ingestion()
    return answers


@pytest.mark.parametrize("name", CURATED)
def test_curate_answers_with_the_new_state(curated: dict[str, Any], name: str) -> None:
    answer = curated[name]
    body = json.loads(answer["body"])
    assert answer["statusCode"] == (201 if name == "curate/create-run.json" else 200), body
    assert CURATED[name](body), body


@pytest.mark.parametrize("name", NOT_CURATED)
def test_curate_names_the_fault_of_a_refused_request(named: Named, name: str) -> None:
    answer = named("curate")(sample(name))
    status, faults = NOT_CURATED[name]
    text = "; ".join(faults)
    assert json.loads(answer["body"]) == {"code": status, "message": text, "details": text, "faults": faults}


@pytest.mark.parametrize("name", NOT_PERMITTED)
def test_a_person_without_a_role_may_nothing(named: Named, name: str) -> None:
    answer = named(name.partition("/")[0])(sample(name))
    message = f"person: is in no group with the scope {NOT_PERMITTED[name]}; groups of headwater.yml give it"
    assert (answer["statusCode"], json.loads(answer["body"])["message"]) == (403, message)


@pytest.mark.usefixtures("curated")
def test_normalise_keeps_a_deletion_of_curate(named: Named) -> None:
    for name in ("curate/delete-dataset.json", "curate/delete-job.json"):
        assert named("curate")(sample(name))["statusCode"] == 404


def test_forward_leaves_out_what_is_for_no_target_of_the_stack(named: Named) -> None:
    assert named("forward")(sample(FORWARDED)) == {"batchItemFailures": []}


def test_curate_takes_the_end_of_a_step_that_it_does_not_know_again(named: Named) -> None:
    assert named("curate")(sample(ENDED)) == {"batchItemFailures": [{"itemIdentifier": "notification-0"}]}


def test_alerts_tells_of_a_run_that_failed_and_of_an_event_that_came_late(named: Named, deployed: Deployed) -> None:
    by_job = {"FilterPolicyScope": "MessageBody", "FilterPolicy": json.dumps({"name": ["revenue_daily"]})}
    queue = subscribe(deployed.account, deployed.outputs["AlertTopicArn"], f"samples-{uuid.uuid4().hex}", **by_job)
    for _ in range(2):
        assert named("alerts")(sample(STREAMED)) == {"batchItemFailures": []}
    alerts = [alert for _ in range(4) for alert in queue.receive(2)]
    assert Counter(alert.message["alert"] for alert in alerts) == {"Run Failed": 2, "Emission Latency Exceeded": 2}
    assert len({alert.message["id"] for alert in alerts}) == 2


def test_sweep_looks_at_open_runs(named: Named) -> None:
    assert named("sweep")(sample(SWEPT)).keys() == {"openRuns", "abandoned", "missing"}


@pytest.mark.usefixtures("folded")
def test_catalog_and_glue_import_alternate_between_a_table_and_its_dataset(named: Named, deployed: Deployed) -> None:
    storage = {"Columns": [], "Location": f"{LAKE}/orders_clean/"}
    table = {"Name": "orders_clean", "StorageDescriptor": storage, "Parameters": {"owner": "team:shop"}}
    deployed.glue.create_database(DatabaseInput={"Name": "shop"})
    deployed.glue.create_table(DatabaseName="shop", TableInput=table)
    assert named("catalog")(sample(CATALOGUED)) == {"batchItemFailures": []}
    parameters = deployed.glue.get_table(DatabaseName="shop", Name="orders_clean")["Table"]["Parameters"]
    assert parameters["headwater.upstream"] == f'["{LAKE}/raw/orders"]'
    assert parameters["owner"] == "team:shop"
    assert named("glue_import")(sample(SCHEDULED)) == {"read": 1, "told": 1}
    deployed.wait_for_ingestion()
    assert named("glue_import")(sample(SCHEDULED)) == {"read": 1, "told": 0}


@pytest.mark.parametrize("name", FILES)
def test_web_answers_anyone_with_a_file_or_says_that_there_is_none(named: Named, name: str) -> None:
    assert named("web")(sample(name))["statusCode"] == FILES[name]


def test_every_sample_is_run() -> None:
    requested = {*AUTHORISED, *TAKEN, *REFUSED, *BATCHES, *ANSWERED, *CURATED, *NOT_CURATED, *NOT_PERMITTED, *FILES}
    assert files() == {*requested, *TRIGGERED}


def test_every_function_has_a_sample() -> None:
    assert {Path(name).parts[0] for name in files()} == {app.parent.name for app in ROOT.glob("functions/*/app.py")}


def test_every_route_of_the_api_has_a_sample() -> None:
    resources = read_template(ROOT / "template.yaml")["Resources"].values()
    routes = {
        resource["Properties"]["RouteKey"] for resource in resources if resource["Type"] == "AWS::ApiGatewayV2::Route"
    }
    assert {sample(name)["routeKey"] for name in files() - TRIGGERED} == routes


def test_every_question_of_the_lookup_api_has_a_sample() -> None:
    requested = {sample(name)["rawPath"].removeprefix(PREFIX) for name in ANSWERED}
    matched = {next(route.pattern for route in ROUTES if re.fullmatch(route.pattern, path)) for path in requested}
    assert matched == {route.pattern for route in ROUTES}


def test_every_route_of_curate_has_a_sample() -> None:
    requested = [(sample(name)["requestContext"]["http"]["method"], sample(name)["rawPath"]) for name in CURATED]
    matched = {next(route for route in WRITTEN if _matches(route, *request)) for request in requested}
    assert matched == set(WRITTEN)


def _matches(route: Route[Any, Any, Any], method: str, path: str) -> bool:
    return route.method == method and bool(re.fullmatch(route.pattern, path.removeprefix(PREFIX)))


def test_the_readme_lists_every_sample_with_its_command() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in readme.splitlines() if line.startswith("| `")]
    assert {row[0].strip("| `") for row in rows} == files()
    for file, function, _, command in rows:
        name = file.strip("| `")
        assert name.startswith(f"{function}/")
        assert command.startswith(f"`sam local invoke {function.title().replace('_', '')}Function ")
        assert command.endswith(f"-e events/{name}` |")


def test_the_samples_are_as_they_are_generated() -> None:
    assert {name: opened(sample(name)) for name in files()} == {name: opened(made) for name, made in samples().items()}


UNSTABLE = {"md5OfBody", "content-length", "v"}
"""What is counted or hashed over the output of a compressor."""


def opened(event: Any) -> Any:
    """An event with what is gzipped in it in the clear: compressors differ, and so do the hashes over their output."""
    if isinstance(event, dict):
        return {name: opened(member) for name, member in event.items() if name not in UNSTABLE}
    if isinstance(event, list):
        return [opened(member) for member in event]
    if isinstance(event, str) and event.startswith("eJ"):
        return zlib.decompress(base64.b64decode(event))
    if isinstance(event, str) and event.startswith("H4sI"):
        return gzip.decompress(base64.b64decode(event))
    if isinstance(event, str) and event.startswith('{"receivedAt"'):
        return opened(json.loads(event))
    return event
