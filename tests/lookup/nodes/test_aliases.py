"""GET /aliases: the aliases of a dataset, and the rules that apply."""

from typing import Any
from urllib.parse import quote

import pytest

from headwater.lookup.nodes.aliases import EVIDENCE
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of, table_after


def wrote(name: str, namespace: str = LAKE, *, seconds: float = 0, run: int = 1, **facets: Document) -> Document:
    return factory.run_event("COMPLETE", run=run, seconds=seconds, outputs=[factory.dataset(name, namespace, **facets)])


def shown(answer: Any) -> list[tuple[str, str, list[str]]]:
    return [(alias["namespace"], alias["name"], alias["rules"]) for alias in answer["aliases"]]


def test_a_dataset_of_one_name_has_no_other() -> None:
    assert after(wrote("orders"))("aliases", nodeId=f"dataset:{LAKE}:orders") == {
        "dataset": {"namespace": LAKE, "name": "orders"},
        "aliases": [],
        "totalCount": 0,
    }


def test_names_that_were_sent_come_with_the_rules_that_understood_them_in_the_order_of_their_first_use() -> None:
    get = after(
        wrote("orders/day=2", seconds=60, run=2),
        wrote("orders/day=1", "s3a://lake", seconds=50),
        wrote("orders", seconds=70, run=3),
        wrote("orders/day=2", seconds=80, run=4),
    )
    answer = get("aliases", nodeId=f"dataset:{LAKE}:orders")
    assert shown(answer) == [
        ("s3a://lake", "orders/day=1", ["partition", "scheme"]),
        (LAKE, "orders/day=2", ["partition"]),
    ]
    assert [alias["firstSeenAt"] for alias in answer["aliases"]] == [factory.at(50), factory.at(60)]
    assert (answer["aliases"][1]["evidence"], answer["totalCount"]) == (EVIDENCE["partition"], 2)


def test_a_bucket_is_one_namespace_whichever_client_reached_the_bucket() -> None:
    reads = [factory.dataset("raw", "s3a://lake"), factory.dataset("rates", "s3n://lake/")]
    lineage = factory.columns(total=("s3a://lake", "raw", "price"))
    get = after(
        factory.run_event("COMPLETE", inputs=reads, outputs=[factory.dataset("orders", LAKE, columnLineage=lineage)])
    )
    assert [known["name"] for known in get("namespaces")["namespaces"]] == ["demo", LAKE]
    job = get("namespaces/demo/jobs")["jobs"][0]
    assert {(side, name["namespace"]) for side in ("inputs", "outputs") for name in job[side]} == {
        ("inputs", LAKE),
        ("outputs", LAKE),
    }
    for namespace in (LAKE, "s3a://lake", "s3n://lake/"):
        listed = get(f"namespaces/{quote(namespace, safe='')}/datasets")["datasets"]
        assert [dataset["name"] for dataset in listed] == ["orders", "rates", "raw"]
    assert {found["namespace"] for found in get("search", q="ra")["results"]} == {LAKE}
    (alias,) = get("aliases", nodeId=f"dataset:{LAKE}:raw")["aliases"]
    assert (alias["namespace"], alias["name"], alias["rules"]) == ("s3a://lake", "raw", ["scheme"])


def test_any_of_its_names_leads_to_all_of_them() -> None:
    get = after(wrote("orders/day=1", "s3a://lake"))
    answers = [
        get("aliases", nodeId=f"dataset:{name}")
        for name in ("s3a://lake:orders/day=1", f"{LAKE}:orders", "s3a://lake:orders")
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["totalCount"] == 1


def test_the_names_of_a_symlinks_facet_have_their_evidence() -> None:
    get = after(wrote("path", symlinks=factory.symlinks("db.table", namespace="hive://meta")))
    (alias,) = get("aliases", nodeId=f"dataset:{LAKE}:path")["aliases"]
    assert alias == {
        "namespace": "hive://meta",
        "name": "db.table",
        "rules": ["symlink"],
        "evidence": f"the symlinks facet of {LAKE} path names it",
        "firstSeenAt": None,
    }


def test_a_symlink_that_is_used_by_itself_is_known_from_both_sides_and_dated() -> None:
    linked = wrote("path", symlinks=factory.symlinks("table"))
    get = after(linked, wrote("table", seconds=30, run=2), wrote("table/day=1", seconds=40, run=3))
    answers = [get("aliases", nodeId=f"dataset:{LAKE}:{name}") for name in ("path", "table")]
    assert answers[0] == answers[1]
    assert answers[0]["dataset"]["name"] == "path"
    assert shown(answers[0]) == [(LAKE, "table", ["symlink"]), (LAKE, "table/day=1", ["partition"])]
    assert answers[0]["aliases"][0]["firstSeenAt"] == factory.at(30)


def test_a_symlink_means_what_the_rules_of_naming_make_of_it() -> None:
    get = after(wrote("path", symlinks=factory.symlinks("table/day=1")))
    assert shown(get("aliases", nodeId=f"dataset:{LAKE}:path")) == [(LAKE, "table", ["symlink"])]


@pytest.mark.parametrize("odd", [None, 3, [], {"identifiers": 3}, {"identifiers": [3, {"namespace": "x"}]}])
def test_no_symlinks_facet_does_harm(odd: Any) -> None:
    assert after(wrote("path", symlinks=odd))("aliases", nodeId=f"dataset:{LAKE}:path")["totalCount"] == 0


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 9])
def test_pages_by_cursor_and_by_offset_hold_every_name_once(limit: int) -> None:
    links = factory.symlinks("one", "two", "three")
    get = after(wrote("path", symlinks=links), *(wrote(f"path/day={n}", seconds=n // 3, run=n) for n in range(6)))
    query = {"nodeId": f"dataset:{LAKE}:path"}
    whole = get("aliases", **query)
    assert (len(whole["aliases"]), whole["totalCount"]) == (9, 9)
    assert get.by_cursor("aliases", "aliases", limit, **query) == whole["aliases"]
    assert get.by_offset("aliases", "aliases", limit, **query) == whole["aliases"]


def test_every_rule_of_naming_has_its_reason() -> None:
    assert EVIDENCE.keys() == {
        "alias",
        "temporary",
        "model",
        "stream-file",
        "part-file",
        "partition",
        "scheme",
        "slash",
    }


def test_questions_that_are_none_are_refused() -> None:
    table = table_after(wrote("orders"))
    get = LookupClient(table)
    assert get.refusal("aliases") == "nodeId"
    assert get.refusal("aliases", nodeId="job:demo:load") == "nodeId"
    assert get.refusal("aliases", nodeId=f"dataset:{LAKE}:orders", limit="x") == "limit"
    assert get.answer("aliases", nodeId=f"dataset:{LAKE}:nope")[0] == 404
    assert LookupClient(table, key_of("demo")).answer("aliases", nodeId=f"dataset:{LAKE}:orders")[0] == 403
