"""A search finds tags by key and value, descriptions, SQL texts and the ids of queries, and says where."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of

SQL = "INSERT INTO churn SELECT c.id, loyalty_points FROM customers c WHERE c.day = '2026-11-20' -- abandoned baskets"


def tags(*entries: Document) -> Document:
    return factory.facet(tags=list(entries))


def described(text: str) -> Document:
    return factory.facet(description=text)


def wrote(
    *outputs: Document, job: str = "load", run: int = 1, job_facets: Any = None, run_facets: Any = None
) -> Document:
    event = factory.run_event("COMPLETE", run=run, outputs=list(outputs))
    event["run"]["facets"] = run_facets or {}
    return {**event, "job": {"namespace": "demo", "name": job, "facets": job_facets or {}}}


def where(answer: Any) -> dict[str, list[str]]:
    return {found["name"]: found.get("matchedIn", []) for found in answer["results"]}


@pytest.fixture(scope="module")
def get() -> LookupClient:
    users = factory.dataset(
        "users",
        schema=factory.facet(
            fields=[
                {"name": "email", "type": "string", "description": "Where the newsletter goes"},
                {"name": "id", "type": "long"},
            ]
        ),
        documentation=described("Everyone who ever registered, one row a person"),
        tags=tags(
            {"key": "classification", "value": "PII", "source": "GLUE", "field": "email"},
            {"key": "retention", "value": "90 days", "source": "USER"},
            {"key": "gold", "value": "true"},
        ),
    )
    facets = {"sql": factory.facet(query=SQL), "tags": tags({"key": "tier", "value": "critical", "source": "AIRFLOW"})}
    meta = tags(
        {"key": "owner", "value": "finance", "source": "DBT_META"},
        {"key": "openlineage_client_version", "value": "1.54.0", "source": "OPENLINEAGE_CLIENT"},
    )
    query = factory.facet(externalQueryId="7f1c9e1a-66d2-4b1c-9a0e-3c8d5a5f0b11", source="athena")
    return after(
        wrote(users, factory.dataset("churn"), job="churn.daily", job_facets=facets),
        wrote(factory.dataset("orders"), job="model.orders", run=2, run_facets={"tags": meta}),
        wrote(factory.dataset("report"), job="athena.report", run=3, run_facets={"externalQuery": query}),
    )


def test_a_tag_is_told_with_its_value_and_its_source(get: LookupClient) -> None:
    users = get(f"namespaces/{LAKE}/datasets/users")
    assert (users["tags"], users["tagSources"]) == (["gold", "retention=90 days"], {"retention=90 days": "USER"})
    email, key = users["fields"]
    assert (email["tags"], email["tagSources"]) == (["classification=PII"], {"classification=PII": "GLUE"})
    assert key["tags"] == []
    assert "tagSources" not in key
    job = get("namespaces/demo/jobs/churn.daily")
    assert (job["tags"], job["tagSources"]) == (["tier=critical"], {"tier=critical": "AIRFLOW"})
    run = get(f"jobs/runs/{factory.run_id(2)}")
    assert run["tagSources"]["owner=finance"] == "DBT_META"
    assert run["tags"] == ["openlineage_client_version=1.54.0", "owner=finance"]


@pytest.mark.parametrize("value", [None, "", "true", "True", True, {"a": 1}])
def test_a_tag_without_a_value_is_its_key(value: Any) -> None:
    entry = {"key": "gold"} if value is None else {"key": "gold", "value": value}
    get = after(wrote(factory.dataset("users", tags=tags(entry, {"key": 7}, "gold"))))  # type: ignore[arg-type]
    assert get(f"namespaces/{LAKE}/datasets/users")["tags"] == ["gold"]


def test_a_value_that_denies_stays() -> None:
    get = after(wrote(factory.dataset("users", tags=tags({"key": "pii", "value": False}, {"key": "tier", "value": 1}))))
    assert get(f"namespaces/{LAKE}/datasets/users")["tags"] == ["pii=false", "tier=1"]


def test_two_values_of_a_key_are_two_tags() -> None:
    twice = tags({"key": "used by", "value": "ads"}, {"key": "used by", "value": "finance"})
    get = after(wrote(factory.dataset("users", tags=twice)))
    assert get(f"namespaces/{LAKE}/datasets/users")["tags"] == ["used by=ads", "used by=finance"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pii", {"users": ["tag classification=PII"]}),
        ("classification=PII", {"users": ["tag classification=PII"]}),
        ("classification", {"users": ["tag classification=PII"]}),
        ("critical", {"churn.daily": ["tag tier=critical"]}),
        ("owner=finance", {"model.orders": ["tag owner=finance"]}),
        ("registered", {"users": ["description"]}),
        ("person regist", {"users": ["description"]}),
        ("newsletter", {"users": ["description of email"]}),
        ("abandoned", {"churn.daily": ["sql"]}),
        ("loyalty baskets", {"churn.daily": ["sql"]}),
        ("churn", {"churn": [], "churn.daily": []}),
        ("7F1C9E1A-66d2-4b1c-9a0e-3c8d5a5f0b11", {"athena.report": ["externalQuery"]}),
    ],
)
def test_a_text_is_found_where_it_stands(get: LookupClient, text: str, found: dict[str, list[str]]) -> None:
    assert where(get("search", q=text)) == found


@pytest.mark.parametrize("text", ["2026-11-20", "7f1c9e1a", "registered newsletter", "confidential", "1.54.0"])
def test_what_is_in_no_one_text_is_not_found(get: LookupClient, text: str) -> None:
    assert where(get("search", q=text)) == {}


def test_a_query_id_leads_to_its_run(get: LookupClient) -> None:
    for path in ("search", "search/groups"):
        (found,) = get(path, q="7f1c9e1a-66d2-4b1c-9a0e-3c8d5a5f0b11")["results"]
        assert (found["runId"], found["nodeId"]) == (factory.run_id(3), "job:demo:athena.report")
    run = get(f"jobs/runs/{factory.run_id(3)}")
    assert run["query"] == {"id": "7f1c9e1a-66d2-4b1c-9a0e-3c8d5a5f0b11", "source": "athena"}


def test_a_key_finds_no_text_and_no_query_of_another_namespace(get: LookupClient) -> None:
    narrow = LookupClient(get.table, key_of("other"))
    for text in ("pii", "registered", "abandoned", "7f1c9e1a-66d2-4b1c-9a0e-3c8d5a5f0b11"):
        assert narrow("search", q=text)["results"] == narrow("search/groups", q=text)["results"] == []


def test_groups_find_tags_by_key_and_value_and_nodes_by_their_texts(get: LookupClient) -> None:
    (tag,) = get("search/groups", q="pii")["results"]
    assert (tag["type"], tag["name"], [node["name"] for node in tag["nodes"]]) == (
        "TAG",
        "classification=PII",
        ["users"],
    )
    (of_runs,) = get("search/groups", q="owner finance")["results"]
    assert (of_runs["name"], [node["name"] for node in of_runs["nodes"]]) == ("owner=finance", ["model.orders"])
    (job,) = get("search/groups", q="abandoned")["results"]
    assert (job["type"], job["name"], job["matchedIn"]) == ("JOB", "churn.daily", ["sql"])


def test_a_changed_description_is_found_by_its_new_words_alone() -> None:
    first = wrote(factory.dataset("users", documentation=described("all persons")))
    second = wrote(factory.dataset("users", documentation=described("all households")), run=2)
    get = after(first, {**second, "eventTime": factory.at(60)})
    assert where(get("search", q="households")) == {"users": ["description"]}
    assert where(get("search", q="persons")) == {}


@pytest.mark.parametrize("tag", ["classification=PII", "CLASSIFICATION", "retention=90 days", "gold"])
def test_datasets_are_listed_by_a_tag_of_theirs_or_of_a_column(get: LookupClient, tag: str) -> None:
    assert [dataset["name"] for dataset in get(f"namespaces/{LAKE}/datasets", tag=tag)["datasets"]] == ["users"]
    assert [found["name"] for found in get("search", q="u", tag=tag)["results"]] == ["users"]


@pytest.mark.parametrize("tag", ["PII", "classification=", "classification=PI", "owner=finance"])
def test_a_list_has_no_dataset_with_another_tag(get: LookupClient, tag: str) -> None:
    assert get(f"namespaces/{LAKE}/datasets", tag=tag)["datasets"] == []


def test_jobs_and_runs_are_listed_by_a_tag(get: LookupClient) -> None:
    for path in ("jobs", "namespaces/demo/jobs"):
        assert [job["name"] for job in get(path, tag="tier=critical")["jobs"]] == ["churn.daily"]
        assert [job["name"] for job in get(path, tag="owner")["jobs"]] == ["model.orders"]
    assert [run["id"] for run in get("runs", tag="owner=finance")["runs"]] == [factory.run_id(2)]
    assert [run["id"] for run in get("namespaces/demo/jobs/model.orders/runs", tag="owner")["runs"]] == [
        factory.run_id(2)
    ]
    assert get("namespaces/demo/jobs/model.orders/runs", tag="owner=ads")["runs"] == []


def test_the_pages_of_a_list_by_a_tag_go_on_with_their_cursor() -> None:
    gold = tags({"key": "gold"})
    datasets = [factory.dataset(f"t{number:03}", tags=gold if number % 3 else tags()) for number in range(30)]
    get = after(wrote(*datasets))
    names, cursor = [], None
    while True:
        page = get(f"namespaces/{LAKE}/datasets", tag="gold", limit=7, **({"cursor": cursor} if cursor else {}))
        names += [dataset["name"] for dataset in page["datasets"]]
        if not (cursor := page.get("cursor")):
            break
    assert names == [f"t{number:03}" for number in range(30) if number % 3]


def test_a_description_of_a_column_of_a_partial_schema_is_found() -> None:
    fields = [{"name": "id", "description": "the surrogate key"}, {"name": "total"}]
    model = wrote(
        factory.dataset("orders", schema=factory.facet(fields=fields)),
        job_facets={"jobType": factory.facet(integration="DBT")},
    )
    for text, found in (("surrogate", {"orders": ["description of id"]}), ("surrogates", {})):
        assert where(after(model)("search", q=text)) == found
