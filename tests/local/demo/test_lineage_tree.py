"""Lineage as text: one source goes on the line, several go below it."""

from typing import Any

from local.demo.lineage_tree import column_trees, indirect_trees, short_names, table_tree

NAMES = ["/lake/raw/orders", "/lake/orders_clean", "/lake/revenue_daily"]
label = short_names(NAMES)


def test_names_lose_the_folder_they_share() -> None:
    assert [label(name) for name in NAMES] == ["raw/orders", "orders_clean", "revenue_daily"]
    tables = short_names(["shop.orders", "shop.rates"])
    assert tables("shop.orders") == "shop.orders"


def node(node_id: str, name: str, *origins: str) -> dict[str, Any]:
    edges = [{"origin": origin, "destination": node_id} for origin in origins]
    return {
        "id": node_id,
        "type": "JOB" if node_id.startswith("job:") else "DATASET",
        "data": {"name": name},
        "inEdges": edges,
    }


def test_tables_and_the_jobs_that_make_them() -> None:
    graph = [
        node("dataset:revenue", NAMES[2], "job:revenue"),
        node("job:revenue", "revenue_daily", "dataset:clean", "dataset:raw"),
        node("dataset:clean", NAMES[1], "job:clean"),
        node("job:clean", "clean_orders", "dataset:raw"),
        node("dataset:raw", NAMES[0]),
    ]
    assert list(table_tree(graph, "dataset:revenue", label).lines()) == [
        "revenue_daily <- job revenue_daily",
        "├─ orders_clean <- job clean_orders <- raw/orders",
        "└─ raw/orders",
    ]


def test_a_job_that_reads_what_it_writes_ends_the_branch() -> None:
    graph = [node("dataset:a", "a", "job:j"), node("job:j", "j", "dataset:a")]
    assert list(table_tree(graph, "dataset:a", label).lines()) == ["a <- job j"]


def field(dataset: str, name: str, *inputs: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "data": {
            "namespace": "file",
            "dataset": dataset,
            "field": name,
            "inputFields": [
                {
                    "namespace": "file",
                    "dataset": source,
                    "field": source_field,
                    "transformations": [{"type": "DIRECT", "subtype": kind, "masking": kind == "MASK"}],
                }
                for source, source_field, kind in inputs
            ],
        }
    }


def test_columns_down_to_the_raw_ones() -> None:
    graph = [
        field(NAMES[2], "total_revenue", (NAMES[1], "order_total", "AGGREGATION")),
        field(NAMES[1], "order_total", (NAMES[0], "quantity", "TRANSFORMATION"), (NAMES[0], "price", "MASK")),
        field(NAMES[0], "quantity"),
    ]
    (tree,) = column_trees(graph, NAMES[2], label)
    assert list(tree.lines("  ")) == [
        "  total_revenue <- orders_clean.order_total (AGGREGATION)",
        "  ├─ raw/orders.quantity (TRANSFORMATION)",
        "  └─ raw/orders.price (MASK, masked)",
    ]


def test_what_bears_on_a_whole_table_is_named_once() -> None:
    indirect = [
        {
            "dataset": NAMES[2],
            "inputField": {"dataset": NAMES[1], "field": name, "transformations": [{"subtype": kind}]},
        }
        for name, kind in (("status", "FILTER"), ("product", "GROUP_BY"))
    ]
    (tree,) = indirect_trees(indirect, label)
    assert list(tree.lines()) == ["revenue_daily <- orders_clean.status (FILTER), orders_clean.product (GROUP_BY)"]
