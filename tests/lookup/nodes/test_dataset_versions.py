"""A dataset's versions: one for each run that wrote the dataset, and for each event without a run."""

import uuid
from typing import Any

import pytest

from headwater.fold.fold import fold
from headwater.store.graph_store import GraphStore
from tests import factory
from tests.factory import Document
from tests.lookup import requests
from tests.lookup.requests import LAKE, LookupClient, after, key_of
from tests.lookup.test_cost import CountedTable
from tests.read.test_good_writes import statement

VERSIONS = f"namespaces/{LAKE}/datasets/orders/versions"
OLD, NEW = factory.schema("id:long"), factory.schema("id:long", "total:double")


def write(
    run: int, *, seconds: float | None = None, job: str = "load", name: str = "orders", **facets: Any
) -> Document:
    outputs = [factory.dataset(name, **facets)]
    return factory.run_event(
        "COMPLETE", run=run, seconds=60 * run if seconds is None else seconds, job=job, outputs=outputs
    )


def ids(versions: list[Document]) -> list[str]:
    return [version["version"] for version in versions]


def runs(*numbers: int) -> list[str]:
    return [factory.run_id(number) for number in numbers]


def test_each_run_that_wrote_is_a_version_the_newest_first() -> None:
    answer = after(write(1, schema=OLD), write(3, schema=NEW), write(2, schema=OLD))(VERSIONS)
    assert (ids(answer["versions"]), answer["totalCount"]) == (runs(3, 2, 1), 3)
    assert [[field["name"] for field in version["fields"]] for version in answer["versions"]] == [
        ["id", "total"],
        ["id"],
        ["id"],
    ]
    of_schemas = [version["currentSchemaVersion"] for version in answer["versions"]]
    assert of_schemas[0] != of_schemas[1] == of_schemas[2]
    assert [version["createdByRun"]["id"] for version in answer["versions"]] == runs(3, 2, 1)


def test_a_version_holds_what_was_said_in_that_write_and_what_holds_for_the_dataset_as_a_whole() -> None:
    lineage, statistics = factory.columns(id=(LAKE, "raw", "id")), factory.facet(rowCount=3)
    first = write(
        1, schema=OLD, columnLineage=lineage, lifecycleStateChange=factory.facet(lifecycleStateChange="CREATE")
    )
    first["outputs"][0]["outputFacets"] = {"outputStatistics": statistics}
    described = factory.dataset_event(
        factory.dataset("orders", documentation=factory.facet(description="all orders")), seconds=1000
    )
    newest, second, oldest = after(first, write(2), described)(VERSIONS)["versions"]
    assert oldest["facets"].keys() == {"schema", "columnLineage", "outputStatistics", "lifecycleStateChange"}
    assert oldest["facets"]["columnLineage"] == lineage
    assert (oldest["lifecycleState"], second["lifecycleState"]) == ("CREATE", "")
    assert (second["fields"], second["facets"], second["currentSchemaVersion"]) == ([], {}, None)
    assert {version["description"] for version in (newest, second, oldest)} == {"all orders"}


def test_an_event_without_a_run_makes_a_version_that_no_run_created() -> None:
    get = after(
        factory.job_event(outputs=[factory.dataset("orders", schema=OLD)], seconds=10),
        factory.dataset_event(factory.dataset("orders", schema=NEW), seconds=20),
    )
    versions = get(VERSIONS)["versions"]
    assert [(version["createdAt"], version["createdByRun"], len(version["fields"])) for version in versions] == [
        (factory.at(20), None, 2),
        (factory.at(10), None, 1),
    ]
    assert [get(f"{VERSIONS}/{version['version']}") for version in versions] == versions


def test_tagging_a_dataset_makes_no_version_and_shows_on_all() -> None:
    tag: Document = {"headwater_tag:3:PII": {"tag": "PII"}}
    answer = after(write(1), factory.dataset_event(factory.dataset("orders", **tag), seconds=500))(VERSIONS)
    assert (answer["totalCount"], answer["versions"][0]["tags"]) == (1, ["PII"])
    assert answer["versions"][0]["facets"] == {}


def test_a_version_is_found_by_its_id_in_any_case_of_letters() -> None:
    numbers = [0xABCDEF, 2]
    get = after(*(write(number, seconds=number % 10, schema=OLD) for number in numbers))
    listed = get(VERSIONS)["versions"]
    assert [get(f"{VERSIONS}/{version.upper()}") for version in ids(listed)] == listed


def test_a_dataset_that_is_only_read_has_the_version_of_its_schema() -> None:
    get = after(factory.run_event("COMPLETE", inputs=[factory.dataset("orders", schema=OLD)], seconds=5))
    (used,) = get(f"jobs/runs/{factory.run_id(1)}")["inputDatasetVersions"]
    version = used["datasetVersionId"]["version"]
    assert get(f"namespaces/{LAKE}/datasets/orders")["currentVersion"] == version
    dataset = get(f"{VERSIONS}/{version}")
    assert (dataset["version"], dataset["currentSchemaVersion"], dataset["createdByRun"]) == (version, version, None)
    assert (dataset["createdAt"], dataset["facets"]["schema"]) == (factory.at(5), OLD)
    assert get(VERSIONS) == {"versions": [dataset], "totalCount": 1}


def test_a_dataset_that_is_only_read_has_the_facets_of_its_readers_and_a_version_without_a_schema() -> None:
    said = factory.facet(description="all orders")
    for facets in ({"documentation": said, "schema": OLD}, {"documentation": said}):
        get = after(factory.run_event("COMPLETE", inputs=[{**factory.dataset("orders"), "facets": facets}]))
        (used,) = get(f"jobs/runs/{factory.run_id(1)}")["inputDatasetVersions"]
        (version,) = get(VERSIONS)["versions"]
        assert (version["version"], version["facets"]) == (used["datasetVersionId"]["version"], facets)
        assert version == get(f"{VERSIONS}/{version['version']}")
        assert get(VERSIONS, offset=1) == {"versions": [], "totalCount": 1}


def test_a_dataset_that_is_only_read_has_its_schemas_as_history_until_it_is_written() -> None:
    reads = [
        factory.run_event("COMPLETE", run=run, seconds=60 * run, inputs=[factory.dataset("orders", schema=schema)])
        for run, schema in ((1, OLD), (2, NEW), (3, OLD))
    ]
    for events in (reads, reads[::-1]):
        get = after(*events)
        listed = get(VERSIONS)["versions"]
        assert [(each["createdAt"], each["facets"]["schema"]) for each in listed] == [
            (factory.at(120), NEW),
            (factory.at(60), OLD),
        ]
        assert [get(f"{VERSIONS}/{version}") for version in ids(listed)] == listed
        first = get(VERSIONS, limit=1)
        assert ids(first["versions"] + get(VERSIONS, limit=1, cursor=first["cursor"])["versions"]) == ids(listed)
        assert get(VERSIONS, offset=2) == {"versions": [], "totalCount": 2}
    assert ids(after(*reads, write(4, schema=NEW))(VERSIONS)["versions"]) == runs(4)
    assert after(*reads, write(4, schema=NEW))(VERSIONS, offset=1) == {"versions": [], "totalCount": 1}


@pytest.mark.parametrize("version", [str(uuid.UUID(int=7)), "-" * 36, "a" * 36])
def test_a_version_that_is_not_known_is_not_found(version: str) -> None:
    status, body = after(write(1)).answer(f"{VERSIONS}/{version}")
    assert (status, body["message"]) == (404, f"Dataset version '{version}' not found.")


@pytest.mark.parametrize("name", ["a/versions", "datasets/x/versions/1", f"a/versions/{uuid.UUID(int=1)}", "ü #?%2F\n"])
def test_names_of_any_kind_have_versions(name: str) -> None:
    get = after(write(1, name=name))
    versions = get(f"namespaces/{LAKE}/datasets/{name}/versions")["versions"]
    assert [(version["name"], version["version"]) for version in versions] == [(name, factory.run_id(1))]
    assert get(f"namespaces/{LAKE}/datasets/{name}/versions/{factory.run_id(1)}") == versions[0]
    assert get(f"namespaces/{LAKE}/datasets/{name}")["name"] == name


def test_a_version_said_under_another_name_of_the_dataset_is_its_version_too() -> None:
    linked = factory.symlinks("db.orders", namespace="hive://meta")
    by_table = factory.run_event(
        "COMPLETE", run=2, seconds=120, outputs=[factory.dataset("db.orders", "hive://meta", schema=OLD)]
    )
    get = after(write(1, symlinks=linked), by_table, write(3, symlinks=linked), write(4, seconds=120, symlinks=linked))
    for path in (VERSIONS, "namespaces/hive://meta/datasets/db.orders/versions"):
        assert ids(get(path)["versions"]) == runs(3, 4, 2, 1)
        assert {version["name"] for version in get(path)["versions"]} == {"orders"}
        for limit in (1, 2, 3):
            assert (
                ids(get.by_cursor(path, "versions", limit))
                == ids(get.by_offset(path, "versions", limit))
                == runs(3, 4, 2, 1)
            )
        assert get(f"{path}/{factory.run_id(2)}")["fields"]


def test_a_run_that_writes_a_dataset_under_two_of_its_names_at_once_is_listed_for_both() -> None:
    both = [factory.dataset("orders", symlinks=factory.symlinks("table")), factory.dataset("table")]
    get = after(*(factory.run_event("COMPLETE", run=number, seconds=number, outputs=both) for number in range(3)))
    expected = [run for run in runs(2, 1, 0) for _ in both]
    for limit in (1, 2, 5, 6):
        assert ids(get.by_cursor(VERSIONS, "versions", limit)) == expected
        assert ids(get.by_offset(VERSIONS, "versions", limit)) == expected


def test_a_version_that_a_run_wrote_under_two_job_names_is_found_as_the_last_one_has_it() -> None:
    dataset = after(
        write(1, seconds=20, job="app.save", schema=NEW),
        write(1, seconds=10, job="app", schema=OLD),
        write(1, seconds=15, job="z", schema=OLD),
    )(f"{VERSIONS}/{factory.run_id(1)}")
    assert (dataset["createdAt"], len(dataset["fields"])) == (factory.at(20), 2)


@pytest.mark.parametrize("limit", [1, 4, 5, 11])
def test_pages_by_cursor_and_by_offset_hold_every_version_once(limit: int) -> None:
    get = after(*(write(number, seconds=number // 3) for number in range(11)))
    whole = ids(get(VERSIONS)["versions"])
    assert sorted(whole) == sorted(runs(*range(11)))
    assert ids(get.by_cursor(VERSIONS, "versions", limit)) == whole
    assert ids(get.by_offset(VERSIONS, "versions", limit)) == whole


def test_a_cursor_stays_right_while_versions_are_added() -> None:
    table = requests.table_after(*(write(number) for number in range(4)))
    get = LookupClient(table)
    first = get(VERSIONS, limit=2)
    fold(factory.received(write(9)), GraphStore(table, requests.RETENTION))
    assert ids(get(VERSIONS, limit=2, cursor=first["cursor"])["versions"]) == runs(1, 0)


def test_a_page_of_a_hundred_takes_five_calls_and_so_does_one_by_cursor() -> None:
    table = CountedTable()
    events = [
        write(number, schema=OLD, columnLineage=factory.columns(id=(LAKE, "orders", "id"))) for number in range(250)
    ]
    fold(factory.received(*events), GraphStore(table, requests.RETENTION))
    get, cursor = LookupClient(table), dict[str, str]()
    for most in (5, 5):
        table.calls = 0
        page = get(VERSIONS, **cursor)
        assert len(page["versions"]) == 100
        assert table.calls <= most
        cursor = {"cursor": page["cursor"]}
    table.calls = 0
    get(f"{VERSIONS}/{factory.run_id(7)}")
    assert table.calls <= 4


def test_an_answer_is_cut_where_it_gets_too_long_and_goes_on_by_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    get = after(*(write(number, schema=NEW) for number in range(7)))
    monkeypatch.setattr("headwater.http.paging.MAX_BYTES", 5_000)
    page = get(VERSIONS)
    assert 0 < len(page["versions"]) < 7
    assert page["totalCount"] == 7
    assert ids(get.by_cursor(VERSIONS, "versions", 100)) == runs(*reversed(range(7)))


@pytest.mark.parametrize(
    "cursor", ["x", "e30", "eyJhZnRlciI6ICJ6IiwgInRvdGFsIjogMX0", "eyJhZnRlciI6ICIiLCAidG90YWwiOiAxfQ"]
)
def test_a_made_up_cursor_does_no_harm(cursor: str) -> None:
    assert after(write(1)).answer(VERSIONS, cursor=cursor)[0] in (200, 400)


def test_a_key_of_other_namespaces_is_refused() -> None:
    table = requests.table_after(write(1))
    assert LookupClient(table, key_of("demo")).answer(VERSIONS)[0] == 403
    assert LookupClient(table, key_of("demo")).answer(f"{VERSIONS}/{factory.run_id(1)}")[0] == 403
    assert LookupClient(table, key_of("s3://*")).answer(VERSIONS)[0] == 200


def test_the_current_version_is_the_first_of_the_versions() -> None:
    """An application begins before its actions, and may write after them."""
    action = factory.run_event("COMPLETE", job="app.fit", run=2, seconds=20, outputs=[factory.dataset("model")])
    application = [
        factory.run_event("START", job="app", run=1, seconds=10),
        factory.run_event("COMPLETE", job="app", run=1, seconds=30, outputs=[factory.dataset("model")]),
    ]
    get = after(action, *application)
    newest = get("namespaces/s3%3A%2F%2Flake/datasets/model/versions")["versions"][0]["version"]
    assert newest == get("namespaces/s3%3A%2F%2Flake/datasets/model")["currentVersion"] == factory.run_id(1)


@pytest.mark.parametrize("is_first", [True, False])
def test_a_statement_of_two_queries_is_one_version(*, is_first: bool) -> None:
    """CREATE TABLE AS: the wrapper names its output with its end, `saveAsTable` with its start."""
    both = [statement(number, 100.0 * number, f"query{number}") for number in (1, 3, 5)]
    events = [event for each in both for event in each]
    for event in events:
        event["outputs"] = [factory.dataset("orders")] if event["outputs"] or is_first else []
    get = after(*events, write(9, seconds=50))
    answer = get(VERSIONS)
    assert (ids(answer["versions"]), answer["totalCount"]) == (runs(6, 4, 2, 9), 4)
    for limit in (1, 2, 3):
        found, query = [], {"limit": limit}
        while True:
            page = get(VERSIONS, **query)
            found += ids(page["versions"])
            if "cursor" not in page:
                break
            query["cursor"] = page["cursor"]
        assert found == runs(6, 4, 2, 9), limit
    assert get(f"{VERSIONS}/{factory.run_id(5)}")["createdByRun"], "it can be looked at all the same"
