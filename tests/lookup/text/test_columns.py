"""Trees of columns: where each comes from, by which transformation, and what decides on rows."""

from typing import Any

import pytest

from headwater.lookup.text import columns
from headwater.lookup.text.display import Display
from headwater.store.memory import MemoryTable
from tests import factory
from tests.factory import Document
from tests.lookup.requests import table_after
from tests.lookup.text.graphs import LAKE, answer


def input_of(place: str, kind: str, subtype: str, *, masking: bool = False) -> Document:
    name, field = place.split(".")
    step = {"type": kind, "subtype": subtype, "description": "", "masking": masking}
    return {"namespace": LAKE, "name": name, "field": field, "transformations": [step]}


def copied(source: str) -> Document:
    return {"inputFields": [input_of(source, "DIRECT", "IDENTITY")]}


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    clean = factory.facet(fields={"day": copied("raw.day"), "price": copied("raw.price"), "buyer": copied("raw.buyer")})
    total = [
        input_of("clean.price", "DIRECT", "AGGREGATION"),
        input_of("rates.rate", "DIRECT", "TRANSFORMATION"),
        input_of("clean.day", "INDIRECT", "CONDITIONAL"),
    ]
    daily = factory.facet(
        fields={
            "buyers": {"inputFields": [input_of("clean.buyer", "DIRECT", "AGGREGATION", masking=True)]},
            "total": {"inputFields": total},
        },
        dataset=[input_of("clean.status", "INDIRECT", "FILTER"), input_of("clean.day", "INDIRECT", "GROUP_BY")],
    )
    return table_after(
        factory.run_event(
            "COMPLETE",
            job="clean",
            inputs=[factory.dataset("raw")],
            outputs=[factory.dataset("clean", columnLineage=clean)],
        ),
        factory.run_event(
            "COMPLETE",
            job="daily",
            run=2,
            inputs=[factory.dataset("clean"), factory.dataset("rates")],
            outputs=[factory.dataset("daily", columnLineage=daily)],
        ),
    )


def text(table: MemoryTable, node: str, direction: str = "upstream", width: int = 80, **query: Any) -> str:
    asked = answer(table, "column-lineage", nodeId=node, direction=direction, **query)
    return columns.render({"nodeId": node, **asked}, Display(width), direction)


def test_each_column_has_its_sources_with_their_transformations_and_rows_are_apart(table: MemoryTable) -> None:
    assert text(table, f"dataset:{LAKE}:daily") == (
        "what the columns of daily are made of: 7 columns of 3 datasets\n"
        "(datasets in s3://lake)\n"
        "\n"
        "buyers ← clean.buyer (AGGREGATION, masked) ← raw.buyer (IDENTITY)\n"
        "total\n"
        "├─ clean.price (AGGREGATION) ← raw.price (IDENTITY)\n"
        "├─ rates.rate (TRANSFORMATION)\n"
        "└─ clean.day (CONDITIONAL, indirect) ← raw.day (IDENTITY)\n"
        "\n"
        "what decides which rows there are: filters, joins, groupings\n"
        "\n"
        "daily\n"
        "└─ clean: day (GROUP_BY), status (FILTER)\n"
    )


def test_downstream_the_arrows_turn(table: MemoryTable) -> None:
    assert text(table, f"datasetField:{LAKE}:raw:price", "downstream").startswith(
        "what is made of raw.price: 2 columns of 2 datasets\n"
        "(datasets in s3://lake)\n"
        "\n"
        "price → clean.price (IDENTITY) → daily.total (AGGREGATION)\n"
    )


def test_a_chain_that_is_too_long_for_a_line_goes_on_below(table: MemoryTable) -> None:
    assert "buyers ← clean.buyer (AGGREGATION, masked)\n└─ raw.buyer (IDENTITY)\n" in text(
        table, f"dataset:{LAKE}:daily", width=60
    )


def test_a_job_and_a_dataset_by_another_name_begin_with_the_last_columns(table: MemoryTable) -> None:
    shown = text(table, "job:demo:daily")
    assert shown.startswith("what the columns are made of: 7 columns of 3 datasets\n")
    assert "\ndaily.buyers ← clean.buyer" in shown
    asked = answer(table, "column-lineage", nodeId=f"dataset:{LAKE}:daily")
    assert "\ndaily.buyers ← clean.buyer" in columns.render({"nodeId": "dataset:s3a://lake:daily", **asked}, Display())


def test_of_many_columns_the_first_are_shown(table: MemoryTable) -> None:
    asked = answer(table, "column-lineage", nodeId=f"dataset:{LAKE}:clean")
    shown = columns.render({"nodeId": f"dataset:{LAKE}:clean", **asked}, Display(most_entries=1))
    assert "buyer ← raw.buyer (IDENTITY)\nand 2 more\n" in shown


def test_where_no_column_lineage_is_known_that_is_said() -> None:
    empty = {"nodeId": "dataset:a:b", "graph": [], "indirect": []}
    assert columns.render(empty, Display()) == ("what the columns are made of: no column lineage has been reported\n")


def test_both_directions_are_two_trees(table: MemoryTable) -> None:
    shown = text(table, f"dataset:{LAKE}:clean", "both")
    assert shown.index("what the columns of clean are made of") < shown.index("what is made of the columns of clean")
    assert "\nbuyer → daily.buyers (AGGREGATION, masked)\n" in shown


def test_columns_of_unknown_origin_are_told_of_a_table_too_with_the_reason() -> None:
    """`score` has column lineage and says nothing of `segment`; `copy` sends none."""
    lineage = factory.facet(fields={"id": copied("raw.id")})
    scores = factory.dataset("scores", schema=factory.schema("id:int", "segment:string"), columnLineage=lineage)
    copies = factory.dataset("copies", schema=factory.schema("a:int", "b:int", "c:int", "d:int"))
    inputs = [factory.dataset("raw")]
    graph = table_after(
        factory.run_event("COMPLETE", job="score", inputs=inputs, outputs=[scores]),
        factory.run_event("COMPLETE", job="copy", run=2, inputs=inputs, outputs=[copies]),
    )
    told = "\ncolumns of unknown origin: they may be made of any column that the job reads\n\n"
    assert f"{told}job score, of raw: scores.segment\n" in text(graph, f"dataset:{LAKE}:scores")
    silent = "job copy, which sends no column lineage, of raw: copies.a, copies.b, copies.c, copies.d\n"
    assert f"{told}{silent}" in text(graph, f"dataset:{LAKE}:copies", width=100)
    asked = answer(graph, "column-lineage", nodeId=f"dataset:{LAKE}:copies")
    few = columns.render({"nodeId": f"dataset:{LAKE}:copies", **asked}, Display(100, most_entries=1))
    assert "of raw: copies.a, and 3 more\n" in few
