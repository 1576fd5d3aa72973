"""What Marquez's clients demand of an answer, beyond the recorded answers of Marquez.

The Java client parses each answer strictly: an unknown type of a dataset, a location that is no URL, or a version that
is null makes the client fail on the whole list. The web UI reads members of objects that it takes to be there.

`fixtures/marquez-clients` has the requests that the clients have sent to the golden items of 0.1.0, and the statuses.
Each client walked through every namespace, job, run, dataset and version by all its methods that read. The clients
parsed every answer, but for one: the route `/api/v1/events` of the Python client, which Marquez has dropped, too.
The web UI showed its dashboard, its lists, its search and the pages of four jobs and datasets of each namespace in a
browser, without an error.
"""

import gzip
import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.http.recorded import answer_to
from tests.lookup.requests import LAKE, after
from tests.store import golden

RECORDED = Path(__file__).parents[1] / "fixtures" / "marquez-clients"

OF_LAKE = "namespaces/s3%3A%2F%2Flake/datasets"


@pytest.mark.parametrize(
    ("given", "shown"),
    [("TABLE", "DB_TABLE"), ("TOPIC", "STREAM"), ("STREAM", "STREAM"), ("MODEL", "DB_TABLE"), (None, "DB_TABLE")],
)
def test_a_dataset_is_a_table_or_a_stream_and_keeps_the_type_that_the_producer_gives_it(
    given: str | None, shown: str
) -> None:
    facets: Document = {"datasetType": factory.facet(datasetType=given)} if given else {}
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("a", **facets)]))
    datasets = [get(f"{OF_LAKE}/a"), *get(OF_LAKE)["datasets"], *get(f"{OF_LAKE}/a/versions")["versions"]]
    graph = get("lineage", nodeId=f"dataset:{LAKE}:a")["graph"]
    (in_graph,) = [node["data"] for node in graph if node["type"] == "DATASET"]
    assert [dataset["type"] for dataset in [*datasets, in_graph]] == [shown] * 4
    kept = [dataset["facets"].get("datasetType", {}).get("datasetType") for dataset in datasets]
    assert [*kept, in_graph["datasetType"]] == [given] * 4


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("https://github.com/shop/jobs/blob/main/load.py", True),
        ("http://[::1]:8080/x?y=1#z", True),
        ("HTTPS://example.com", True),
        ("file:/opt/jobs/load.py", True),
        ("ftp://example.com/load.py", True),
        ("git@github.com:shop/jobs.git", False),
        ("ssh://git@github.com/shop/jobs.git", False),
        ("s3://code/load.py", False),
        ("javascript:alert(1)", False),
        ("jobs/load.py", False),
        ("https://", False),
        ("https://example.com:port/", False),
        ("https://[::1", False),
        ("https://example.com/a b", False),
        ("", False),
        (None, False),
        (7, False),
    ],
)
def test_a_location_is_a_url_that_java_parses_or_null(given: Any, *, shown: bool) -> None:
    facets = {"sourceCodeLocation": factory.facet(type="git", url=given)}
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("a")], job_facets=facets))
    path, expected = "namespaces/demo/jobs/load", given if shown else None
    graph = get("lineage", nodeId="job:demo:load")["graph"]
    jobs = [
        get(path),
        *get("jobs")["jobs"],
        *get("namespaces/demo/jobs")["jobs"],
        *get(f"{path}/versions")["versions"],
        *(node["data"] for node in graph if node["type"] == "JOB"),
    ]
    assert [job["location"] for job in jobs] == [expected] * 5
    assert jobs[0]["facets"]["sourceCodeLocation"]["url"] == given


def ran(run: int, job: str = "load") -> Document:
    facets, inputs = {"odd": factory.facet(number=run)}, [factory.dataset("a")]
    return factory.run_event("COMPLETE", job=job, run=run, seconds=60 * run, inputs=inputs, run_facets=facets)


@pytest.mark.parametrize("path", ["jobs", "namespaces/demo/jobs"])
def test_a_job_in_a_list_has_its_ten_newest_runs_newest_first(path: str) -> None:
    """The dashboard of the web UI draws a bar for each."""
    events = [ran(run) for run in range(1, 13)] + [ran(run, "short") for run in (21, 20)]
    get = after(*events, factory.job_event(job="declared", inputs=[factory.dataset("a")]))
    jobs = {job["name"]: job for job in get(path)["jobs"]}
    newest = {name: [run["id"] for run in job["latestRuns"] or []] for name, job in jobs.items()}
    assert newest["load"] == [factory.run_id(run) for run in range(12, 2, -1)]
    assert newest["short"] == [factory.run_id(21), factory.run_id(20)]
    assert (jobs["declared"]["latestRun"], jobs["declared"]["latestRuns"]) == (None, None)
    for name, job in jobs.items():
        single = get(f"namespaces/demo/jobs/{name}")
        assert (job["latestRun"], job["latestRuns"]) == (single["latestRun"], single["latestRuns"])


def test_a_list_of_jobs_that_gets_too_long_is_cut_and_goes_on_by_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    get = after(*(ran(job * 100 + run, f"job {job}") for job in range(8) for run in range(12)))
    whole = get("jobs")
    assert (len(whole["jobs"]), "cursor" in whole) == (8, False)
    monkeypatch.setattr("headwater.http.paging.MAX_BYTES", 25_000)
    assert 0 < len(get("jobs")["jobs"]) < 8
    assert get.by_cursor("jobs", "jobs", 100) == whole["jobs"]
    assert get.by_cursor("jobs", "jobs", 5) == whole["jobs"]


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    return golden.table_of("0.1.0")


@pytest.mark.parametrize(
    ("client", "requests"), [("java-0.51.2-SNAPSHOT", 500), ("python-0.50.0", 500), ("web-0.51.2-SNAPSHOT", 90)]
)
def test_the_requests_of_a_client_are_answered_in_the_form_that_the_java_client_parses(
    table: MemoryTable, client: str, requests: int
) -> None:
    lines = gzip.decompress((RECORDED / f"{client}.jsonl.gz").read_bytes()).decode().splitlines()
    assert len(lines) > requests
    for line in map(json.loads, lines):
        status, body = answer_to(table, line["request"])
        assert status == line["status"], line
        assert list(unparsable(body)) == [], line


def unparsable(document: Any, path: str = "") -> Iterator[str]:
    """The places of an answer that the Java client does not parse, by the constructors of its models."""
    for name, value in document.items() if isinstance(document, dict) else enumerate(document):
        if name == "facets" or (name == "events" and path == ""):
            continue  # taken as they are
        if name == "datasetVersionId" and not uuid.UUID(value["version"] or "0" * 32).int:
            yield f"{path}.{name}"
        if name == "physicalName" and document["type"] not in ("DB_TABLE", "STREAM"):
            yield f"{path}.type"
        if name == "location" and not (value is None or value.startswith(("https://", "http://", "file:", "ftp://"))):
            yield f"{path}.{name}"
        if isinstance(value, dict | list):
            yield from unparsable(value, f"{path}.{name}")


def test_each_event_that_the_web_ui_lists_has_a_run(table: MemoryTable) -> None:
    """The request has the parameters of Marquez's web/src/routes/events/Events.tsx, which reads these members."""
    window = "before=2030-01-01T00:00:00Z&after=2020-01-01T00:00:00Z"
    status, body = answer_to(table, f"GET /api/v1/events/lineage?limit=50&{window}&offset=0&sortDirection=desc")
    assert (status, len(body["events"])) == (200, 50)
    assert all(event["run"]["runId"] and event["job"]["name"] for event in body["events"])
