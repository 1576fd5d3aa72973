"""A table has one name: people call it as its catalogue does, whatever its path is, and it is told once."""

from typing import Any
from urllib.parse import quote

import pytest

from headwater.lookup.text.dataset import render
from headwater.lookup.text.display import Display
from tests import factory
from tests.factory import Document
from tests.traversal.lineage import LAKE, Get, after, ran

GLUE = "arn:aws:glue:eu-central-1:123456789012"
S3_TABLES = "arn:aws:s3tables:eu-central-1:123456789012:bucket/mart"
HIVES = ("hive://ip-10-0-0-1:9083", "hive://ip-10-0-0-2:9083")


def linked(name: str, *others: tuple[str, str]) -> Document:
    identifiers = [{"namespace": namespace, "name": other, "type": "TABLE"} for namespace, other in others]
    return factory.dataset(name, symlinks=factory.facet(identifiers=identifiers))


OPAQUE = ran("load", "raw", "", run=1, outputs=[linked("x1", (GLUE, "table/mart/customer_ltv"))])
READ_BY_GLUE = ran("read", "", "out", run=2, seconds=1, inputs=[factory.dataset("table/mart/customer_ltv", GLUE)])


def hits(get: Get, text: str, route: str = "search") -> list[tuple[str, str | None]]:
    found = get(route, q=text)["results"]
    return [(hit["nodeId"], hit.get("displayName")) for hit in found if hit["type"] == "DATASET"]


@pytest.mark.parametrize("events", [[OPAQUE], [OPAQUE, READ_BY_GLUE], [READ_BY_GLUE, OPAQUE]])
@pytest.mark.parametrize("route", ["search", "search/groups"])
@pytest.mark.parametrize("text", ["mart.customer_ltv", "customer_ltv", "CUSTOMER", "x1"])
def test_a_table_at_an_opaque_path_is_found_by_its_name_in_glue(events: list[Document], route: str, text: str) -> None:
    get = after(*events)
    assert hits(get, text, route) == [(f"dataset:{LAKE}:x1", "mart.customer_ltv")]
    assert get("search", q=text)["totalCount"] == 1


def test_the_name_of_now_is_that_of_the_newest_facet_and_each_is_found() -> None:
    get = after(OPAQUE, ran("load", "raw", "", run=2, seconds=9, outputs=[linked("x1", (GLUE, "table/mart/clv"))]))
    assert hits(get, "clv") == [(f"dataset:{LAKE}:x1", "mart.clv")]
    assert get("lineage", nodeId=f"dataset:{GLUE}:table/mart/customer_ltv")["graph"]


def test_two_hosts_of_a_metastore_are_one_hit() -> None:
    events = [
        ran(f"load{n}", "raw", "", run=n, seconds=n, outputs=[linked("x9", (hive, "mart.value"))])
        for n, hive in enumerate(HIVES)
    ]
    events += [
        ran(f"read{n}", "", f"o{n}", run=9 + n, inputs=[factory.dataset("mart.value", hive)])
        for n, hive in enumerate(HIVES)
    ]
    for route in ("search", "search/groups"):
        assert hits(after(*events), "value", route) == [(f"dataset:{LAKE}:x9", "mart.value")]


def test_a_table_of_s3_tables_is_called_without_the_alias_of_the_catalogue() -> None:
    events = [ran("load", "raw", "", run=1, outputs=[linked("4f2a", (S3_TABLES, "s3tablescatalog.mart.value"))])]
    assert hits(after(*events), "mart.value") == [(f"dataset:{LAKE}:4f2a", "mart.value")]


def test_tables_of_one_name_that_nothing_links_stay_two() -> None:
    get = after(OPAQUE, ran("other", "raw", "", run=2, outputs=[linked("x2", (GLUE, "table/crm/customer_ltv"))]))
    assert len(hits(get, "customer_ltv")) == len(hits(get, "customer_ltv", "search/groups")) == 2


def test_answers_keep_the_name_and_tell_what_people_call_it() -> None:
    node = next(node for node in after(OPAQUE)("lineage", nodeId=f"dataset:{LAKE}:x1")["graph"] if "x1" in node["id"])
    assert (node["data"]["name"], node["data"]["displayName"]) == ("x1", "mart.customer_ltv")
    text = after(OPAQUE)("lineage", nodeId=f"dataset:{LAKE}:x1", direction="upstream", format="text")
    assert "upstream of mart.customer_ltv: 1 job, 1 dataset\n" in text
    assert "\nmart.customer_ltv  s3://lake/x1\n" in text


def test_impact_columns_and_why_call_a_table_as_people_do() -> None:
    """The table at x1 is customer_ltv in Glue; out is in no catalogue. The column score becomes text."""

    def day(number: int, kind: str) -> list[Document]:
        ltv = linked("x1", (GLUE, "table/mart/customer_ltv"))
        ltv["facets"] |= {"schema": factory.schema(f"score:{kind}")}
        ltv["facets"] |= {"columnLineage": factory.columns(score=(LAKE, "raw", "score"))}
        total = factory.columns(total=(LAKE, "x1", "score"))
        out = factory.dataset("out", schema=factory.schema("total:int"), columnLineage=total)
        return [
            ran("load", "raw", "", run=number, seconds=number, outputs=[ltv]),
            ran("read", "x1", "", run=50 + number, seconds=number + 5, outputs=[out]),
        ]

    get, names = after(*day(1, "int"), *day(20, "string")), {f"dataset:{LAKE}:x1": "mart.customer_ltv"}

    def told(route: str, node_id: str, **query: str) -> tuple[Any, str]:
        return get(route, nodeId=node_id, **query), get(route, nodeId=node_id, format="text", **query)

    column = f"datasetField:{LAKE}:out:total"
    for route, node_id, words in (
        ("impact", f"dataset:{LAKE}:x1", "what a change of mart.customer_ltv would break: "),
        ("impact", f"datasetField:{LAKE}:x1:score", "what a change of mart.customer_ltv.score would break: "),
        ("impact", f"datasetField:{LAKE}:raw:score", "mart.customer_ltv.score  (IDENTITY)  s3://lake/x1"),
        ("column-lineage", column, "total ← mart.customer_ltv.score"),
        ("rootcause", f"dataset:{LAKE}:x1", "wrong number in mart.customer_ltv: "),
        ("rootcause", f"dataset:{LAKE}:x1", "(in s3://lake, x1)"),
        ("rootcause", column, "mart.customer_ltv: score is string now, was int (incompatible)"),
    ):
        answer, text = told(route, node_id)
        assert (route, answer["displayNames"]) == (route, names)
        assert words.replace("  (IDENTITY)", "") in text.replace("  (IDENTITY)", "")
    plain = [get(route, nodeId=f"dataset:{LAKE}:out") for route in ("impact", "column-lineage")]
    assert ["displayNames" in answer for answer in plain] == [False, True]


def test_show_calls_a_table_as_people_do_and_tells_the_path_beside_it() -> None:
    table = after(OPAQUE)(f"namespaces/{quote(LAKE, safe='')}/datasets/x1")
    text = render({"dataset": table, "writers": [], "alerts": []}, Display())
    assert text.startswith("mart.customer_ltv\n(DB_TABLE in s3://lake, x1)\n")


def test_a_key_that_may_not_read_the_path_finds_nothing_by_the_name() -> None:
    answer: Any = after(OPAQUE, namespaces=("demo",))("search", q="customer_ltv")
    assert answer["results"] == []


def test_what_a_job_reads_and_writes_and_the_column_that_is_found_have_the_name_of_the_catalogue() -> None:
    table = linked("x1", (GLUE, "table/mart/customer_ltv"))
    table["facets"]["schema"] = factory.schema("email:string")
    get = after(ran("load", "raw", "", run=1, outputs=[table]))
    assert get("namespaces/demo/jobs/load")["displayNames"] == {f"dataset:{LAKE}:x1": "mart.customer_ltv"}
    (found,) = [hit for hit in get("search/groups", q="email")["results"] if hit["type"] == "COLUMN"]
    assert (found["dataset"], found["displayName"]) == ("x1", "mart.customer_ltv")


def test_the_names_come_in_one_order_from_each_process() -> None:
    """Otherwise the ETag of an answer would depend on which instance gives it."""
    tables = [linked(f"x{number}", (GLUE, f"table/mart/t{number}")) for number in range(9)]
    into = {"c": {"inputFields": [{"namespace": LAKE, "name": f"x{number}", "field": "a"} for number in range(9)]}}
    out = factory.dataset("out", columnLineage=factory.facet(fields=into))
    answer: Any = after(ran("load", "", "", run=1, inputs=tables, outputs=[out]))(
        "column-lineage", nodeId=f"dataset:{LAKE}:out"
    )
    assert list(answer["displayNames"]) == [f"dataset:{LAKE}:x{number}" for number in range(9)]


def test_a_job_without_a_table_of_a_catalogue_has_no_such_member() -> None:
    assert "displayNames" not in after(ran("load", "raw", "out", run=1))("namespaces/demo/jobs/load")
