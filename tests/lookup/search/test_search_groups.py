"""GET /search/groups: columns, datasets, jobs, owners and tags, forgiving of typos, at one cost for any table."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fold.fold import fold
from headwater.graph.names.search_words import differ_by_a_letter, variants, words_of
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, RETENTION, LookupClient, after, key_of, table_after
from tests.lookup.test_cost import CountedTable
from tests.store import golden


def wrote(*datasets: Document, job: str = "load", run: int = 1, namespace: str = "demo", **job_facets: Any) -> Document:
    event = factory.run_event("COMPLETE", run=run, outputs=list(datasets))
    return {**event, "job": {"namespace": namespace, "name": job, "facets": job_facets}}


def table(name: str, *columns: str, namespace: str = LAKE, **facets: Any) -> Document:
    return factory.dataset(name, namespace, schema=factory.schema(*(f"{column}:long" for column in columns)), **facets)


def owned_by(*owners: str) -> Document:
    return factory.facet(owners=[{"name": owner} for owner in owners])


def found(answer: Any, kind: str) -> list[str]:
    return [
        f"{result['dataset']}.{result['name']}" if kind == "COLUMN" else result["name"]
        for result in answer["results"]
        if result["type"] == kind
    ]


def test_a_column_is_found_by_any_of_its_words_and_leads_to_its_lineage() -> None:
    orders = table("raw/orders", "id", "unit_price", columnLineage=factory.columns(id=(LAKE, "source", "key")))
    get = after(wrote(orders, table("raw/items", "unitPrice")))
    for text in ("unit_price", "UNIT PRICE", "price", "unit pr", "uni"):
        assert set(found(get("search/groups", q=text), "COLUMN")) == {"raw/orders.unit_price", "raw/items.unitPrice"}
    (column,) = get("search/groups", q="id")["results"]
    assert column == {
        "type": "COLUMN",
        "name": "id",
        "nodeId": f"datasetField:{LAKE}:raw/orders:id",
        "namespace": LAKE,
        "dataset": "raw/orders",
    }
    assert get("column-lineage", nodeId=column["nodeId"])["graph"]


def test_a_table_and_a_column_are_found_together() -> None:
    get = after(wrote(table("raw/orders", "price"), table("raw/items", "price"), table("orders_daily", "total_price")))
    for text in ("orders price", "orders.price", "order pri"):
        assert found(get("search/groups", q=text), "COLUMN") == ["raw/orders.price", "orders_daily.total_price"]


def test_datasets_and_jobs_are_found_by_the_beginnings_of_their_words_the_nearest_first() -> None:
    get = after(wrote(table("/lake/raw/orders"), table("/lake/orders_daily"), table("/lake/border"), job="load.Orders"))
    answer = get("search/groups", q="orders")
    assert found(answer, "DATASET") == ["/lake/raw/orders", "/lake/orders_daily"]
    assert found(answer, "JOB") == ["load.Orders"]
    assert found(get("search/groups", q="raw/orders"), "DATASET") == ["/lake/raw/orders"]
    assert found(get("search/groups", q="daily orders"), "DATASET") == ["/lake/orders_daily"]


def test_a_table_comes_before_a_column_of_the_same_word() -> None:
    get = after(wrote(table("lake/fare", "id"), table("trips", "fare", "fares_total"), table("fares_daily", "x")))
    assert [result["type"] for result in get("search/groups", q="fare")["results"]][:1] == ["DATASET"]
    assert [result["type"] for result in get("search/groups", q="fares")["results"]][:1] == ["COLUMN"]


def test_more_of_a_group_is_a_greater_limit() -> None:
    get = after(wrote(*(table(f"orders_{number}", "order_id") for number in range(150))))
    assert len(found(get("search/groups", q="order", limit=12), "DATASET")) == 12
    answer = get("search/groups", q="order", limit=200)
    assert (len(found(answer, "DATASET")), len(found(answer, "COLUMN"))) == (150, 150)


def test_owners_and_tags_are_found_with_what_has_them() -> None:
    tags: Document = {"tags": factory.facet(tags=[{"key": "PII", "value": "true", "field": "email"}])}
    get = after(wrote(table("users", "email", ownership=owned_by("team:growth"), **tags), ownership=owned_by("growth")))
    answer = get("search/groups", q="growth")
    assert {result["name"]: [node["name"] for node in result["nodes"]] for result in answer["results"]} == {
        "growth": ["load"],
        "team:growth": ["users"],
    }
    (tag,) = get("search/groups", q="pii")["results"]
    assert (tag["type"], tag["name"], [node["nodeId"] for node in tag["nodes"]]) == (
        "TAG",
        "PII",
        [f"dataset:{LAKE}:users"],
    )


@pytest.mark.parametrize("typo", ["revnue", "reevnue", "revenuue", "revexue", "evenue", "revenu dail", "revneue da"])
def test_a_letter_may_be_mistyped(typo: str) -> None:
    answer = after(wrote(table("revenue_daily", "total_revenue")))("search/groups", q=typo)
    assert found(answer, "DATASET") == ["revenue_daily"]
    assert ("corrected" in answer) == (typo != "revenu dail")


@given(st.text("abcdefgh", min_size=4, max_size=12), st.data())
def test_words_that_differ_by_a_letter_have_a_variant_in_common(word: str, data: st.DataObject) -> None:
    at, letter = data.draw(st.integers(0, len(word) - 1)), data.draw(st.sampled_from("abcdefghz"))
    mistyped = {
        word[:at] + word[at + 1 :],
        word[:at] + letter + word[at:],
        word[:at] + letter + word[at + 1 :],
        word[:at] + word[at + 1 : at + 2] + word[at : at + 1] + word[at + 2 :],
    }
    for other in mistyped:
        assert differ_by_a_letter(word, other)
        assert len(other) < 4 or variants(word) & variants(other)


@given(st.text(), st.text())
def test_words_differ_by_a_letter_whichever_comes_first(left: str, right: str) -> None:
    assert differ_by_a_letter(left, right) == differ_by_a_letter(right, left)


def test_words_that_differ_by_two_letters_are_different_words() -> None:
    assert not differ_by_a_letter("orders", "order_es")
    assert not differ_by_a_letter("orders", "odresx")
    assert not differ_by_a_letter("order", "roedr")


def test_names_are_their_words() -> None:
    assert words_of("/lake/raw/CustomerOrders_v2") == ["lake", "raw", "customer", "orders", "v2"]
    assert words_of("<>!") == []
    assert len(" ".join(words_of("ü" * 5000)).encode()) <= 600


def test_what_was_dropped_or_deleted_is_not_found() -> None:
    get = after(
        wrote(table("orders", "old_price")),
        {**wrote(table("orders", "price"), run=2), "eventTime": factory.at(60)},
        wrote(table("gone", "x"), run=3, job="goner"),
        factory.dataset_event(
            factory.dataset("gone", headwater_deleted={"through": f"{factory.at(0)[:19]}.000000000Z"})
        ),
    )
    assert found(get("search/groups", q="old"), "COLUMN") == []
    assert found(get("search/groups", q="price"), "COLUMN") == ["orders.price"]


def test_a_key_finds_nothing_of_other_namespaces() -> None:
    others = [wrote(table(f"users{n}", "email", namespace=f"s3://b{n}"), run=n, job=f"j{n}") for n in range(20)]
    stored = table_after(*others, wrote(table("users", "email", namespace="s3://a"), run=99, job="own", namespace="a"))
    get = LookupClient(stored, key_of("a", "s3://a"))
    for text in ("email", "users", "users email", "emial"):
        assert {result["namespace"] for result in get("search/groups", q=text)["results"]} == {"s3://a"}
    assert get("search/groups", q="j1")["results"] == []
    assert get.answer("search/groups", q="users", namespace="s3://b1")[0] == 403


def test_a_namespace_may_be_asked_for() -> None:
    get = after(wrote(table("orders", "id"), table("orders", "id", namespace="s3://other")))
    answer = get("search/groups", q="id", namespace="s3a://other")
    assert [result["namespace"] for result in answer["results"]] == ["s3://other"]


@pytest.mark.parametrize("text", ["customer_id", "orders customer_id", "custoner", "nothing of that name", "load"])
def test_the_cost_does_not_grow_with_the_table(text: str) -> None:
    calls, rows = [], []
    for size in (300, 1200):
        stored = CountedTable()
        events = [wrote(table(f"orders {n}", "customer_id", f"c{n}"), job=f"load {n}", run=n) for n in range(size)]
        for start in range(0, size, 100):
            fold(factory.received(*events[start : start + 100]), GraphStore(stored, RETENTION))
        stored.calls = stored.rows = 0
        assert bool(LookupClient(stored)("search/groups", q=text)["results"]) == ("nothing" not in text)
        calls.append(stored.calls)
        rows.append(stored.rows)
    assert calls[0] == calls[1] <= 80
    assert rows[1] <= 6_000


@pytest.mark.parametrize(("query", "parameter"), [({}, "q"), ({"q": " "}, "q"), ({"q": "x", "limit": "0"}, "limit")])
def test_a_question_that_is_none_is_refused(query: dict[str, Any], parameter: str) -> None:
    assert after(wrote(table("x"))).refusal("search/groups", **query) == parameter


def test_hostile_texts_are_searched_as_any_other() -> None:
    get = after(wrote(table("<script>", "a\nb", "=x()")))
    for text in ("%", "a\x1fb", "\U0010ffff", "x" * 5000, "\u202e", "#", "script"):
        get("search/groups", q=text)
    assert found(get("search/groups", q="script"), "DATASET") == ["<script>"]


def test_columns_of_a_table_of_0_1_0_are_found_once_its_jobs_have_run_again() -> None:
    """0.1.0 stored schemas without terms of their columns."""
    stored = golden.table_of("0.1.0")
    assert found(LookupClient(stored)("search/groups", q="amount"), "COLUMN") == []
    for event in golden.events():
        fold([event], GraphStore(stored, RETENTION))
    columns = found(LookupClient(stored)("search/groups", q="amount"), "COLUMN")
    assert columns
    assert columns == found(LookupClient(golden.folded(MemoryTable()))("search/groups", q="amount"), "COLUMN")
