"""Names with any characters are kept as sent, and are found over HTTP."""

import pytest

from tests import factory
from tests.embedded import Deployed
from tests.end_to_end.api import Api

pytestmark = pytest.mark.emulator

JOBS, DATASETS = "names:// of #any 100%/kind", "kafka://names/datasets/of:9092/any?kind=ü"

NAMES = {
    "plain": "orders",
    "spaces": "raw orders  by day",
    "spaces around": " orders ",
    "slashes": "lake/raw/orders",
    "a slash before": "/data/orders",
    "a slash behind": "data/orders/",
    "slashes everywhere": "//data///orders//",
    "dots": "..",
    "dots and slashes": "../data/./orders",
    "colons": "arn:aws:glue:us-east-1:123456789012:table/sales/orders",
    "a hash": "orders#2026",
    "a question": "orders?day=1&hour=2",
    "percent": "100%",
    "percent and digits": "a%2Fb%25",
    "plus": "a+b c",
    "quotes": "\"orders\" 'n' `more`",
    "a backslash": "\\\\server\\orders",
    "brackets": "orders[0]{x}<y>(z)",
    "a tab": "orders\tclean",
    "a control character": "orders\x01\x7f",
    "letters of many scripts": "Aufträge/注文/заказы/طلبات",
    "an accent apart": "cafe\u0301",
    "emoji": "🧾/👩‍👩‍👧",
    "a line separator": "orders\u2028clean",
    "what paths hold": "a/datasets/b/jobs/c/runs",
    "datasets": "datasets",
    "jobs": "jobs",
    "runs": "nightly/runs",
    "null": "null",
    "5,000 characters": "o" * 5_000,
    "a newline": "orders\nclean",
    "5,000 characters of three bytes": "注" * 5_000,
}
TOO_LONG = {"5,000 characters of three bytes"}
"""Percent-encoded they have 45,000 bytes. API Gateway takes 10,240, and answers with JSON to more."""

each_name = pytest.mark.parametrize(
    "name", [pytest.param(name, id=what) for what, name in NAMES.items() if what not in TOO_LONG]
)
each_long_name = pytest.mark.parametrize("name", [pytest.param(NAMES[what], id=what) for what in TOO_LONG])


@pytest.fixture(scope="module")
def named(api: Api, deployed: Deployed) -> Api:
    answer = api.post_event([event(number, name) for number, name in enumerate(NAMES.values())], "/lineage/batch")
    assert answer.json["summary"]["successful"] == len(NAMES)
    deployed.wait_for_ingestion()
    return api


def event(number: int, name: str) -> factory.Document:
    written = factory.run_event("COMPLETE", run=0x5A000 + number, outputs=[factory.dataset(name, DATASETS)])
    return written | {"job": {"namespace": JOBS, "name": name}}


@each_name
def test_a_dataset_is_found_by_its_path(named: Api, name: str) -> None:
    assert named.get("namespaces", DATASETS, "datasets", name).json["id"] == {"namespace": DATASETS, "name": name}


@each_name
def test_a_job_is_found_by_its_path(named: Api, name: str) -> None:
    job = named.get("namespaces", JOBS, "jobs", name).json
    assert job["id"] == {"namespace": JOBS, "name": name}
    assert [version["datasetVersionId"]["name"] for version in job["latestRun"]["outputDatasetVersions"]] == [name]


@each_name
def test_a_jobs_runs_are_found_by_its_path(named: Api, name: str) -> None:
    body = named.get("namespaces", JOBS, "jobs", name, "runs").json
    assert [run["jobVersion"]["name"] for run in body["runs"]] == [name]


@each_name
def test_the_lineage_of_a_dataset_is_found_by_its_node(named: Api, name: str) -> None:
    graph = named.get("lineage", nodeId=f"dataset:{DATASETS}:{name}").json["graph"]
    assert {node["id"] for node in graph} == {f"dataset:{DATASETS}:{name}", f"job:{JOBS}:{name}"}


def test_a_namespace_is_found_by_its_path(named: Api) -> None:
    assert [named.get("namespaces", name).json["name"] for name in (JOBS, DATASETS)] == [JOBS, DATASETS]


def test_every_name_is_listed(named: Api) -> None:
    datasets = named.get("namespaces", DATASETS, "datasets", limit="1000").json["datasets"]
    jobs = named.get("namespaces", JOBS, "jobs", limit="1000").json["jobs"]
    assert {dataset["name"] for dataset in datasets} == set(NAMES.values())
    assert {job["name"] for job in jobs} == set(NAMES.values())


@each_long_name
def test_a_path_that_is_too_long_is_refused_in_json(named: Api, name: str) -> None:
    answer = named.get("namespaces", DATASETS, "datasets", name)
    assert 400 <= answer.status < 500
    assert answer.json["message"]
