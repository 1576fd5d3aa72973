"""What events say as a snapshot: the same in any order, with any duplicates."""

import gzip
import json
import random
from typing import Any

import pytest

from headwater.cli.testing.folded import snapshot_of
from headwater.cli.testing.snapshot import ColumnSnapshot, TableSnapshot
from tests import factory
from tests.cli.ci.planted import RECORDINGS
from tests.factory import Document
from tests.producer_records import recorded, recorded_program

SHOP = "duckdb:///srv/shop/shop.duckdb:shop.main."


def table(*documents: Document, name: str = "revenue") -> TableSnapshot:
    return snapshot_of(factory.received(*documents)).tables[f"s3://lake:{name}"]


def written(*outputs: Document, reads: str = "orders", **more: Any) -> Document:
    return factory.run_event("COMPLETE", inputs=[factory.dataset(reads)], outputs=[*outputs], **more)


def made(facet: Document, *fields: str) -> Document:
    return factory.dataset("revenue", schema=factory.schema(*fields), columnLineage=facet)


def of(field: str, *steps: Document, dataset: str = "orders") -> Document:
    return {"namespace": "s3://lake", "name": dataset, "field": field, "transformations": [*steps]}


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("events", ["dbt", "shop", "beside", "iceberg"])
def test_the_snapshot_is_the_same_in_any_order_and_with_duplicates(events: str, seed: int) -> None:
    documents = recorded("dbt", "run") if events == "dbt" else recorded_program(events)
    sent = factory.received(*documents)
    shuffled = random.Random(seed).choices(sent, k=len(sent) // 3) + sent
    random.Random(seed).shuffle(shuffled)
    assert snapshot_of(shuffled).to_yaml() == snapshot_of(sent).to_yaml()


def test_200_reruns_on_spark_3_and_4_have_one_snapshot() -> None:
    """The same jobs, as Spark 3.5 and 4 ran them, in any order."""
    recordings = [
        gzip.decompress((RECORDINGS / spark / "base.jsonl.gz").read_bytes()) for spark in ("spark-3.5", "spark-4")
    ]
    runs = [factory.received(*map(json.loads, lines.splitlines())) for lines in recordings]
    texts = {
        snapshot_of(random.Random(seed).sample(runs[seed % 2], len(runs[seed % 2]))).to_yaml() for seed in range(200)
    }
    assert len(texts) == 1
    assert "clean.amount: AGGREGATION" in texts.pop()


def test_columns_have_their_types_sources_and_transformations() -> None:
    steps = [{"type": "INDIRECT", "subtype": "CONDITIONAL"}, {"type": "DIRECT", "subtype": "AGGREGATION"}]
    facet = factory.facet(
        fields={
            "total": {"inputFields": [of("price", *steps)]},
            "buyer": {"inputFields": [of("mail", {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True})]},
            "day": {"inputFields": [of("day")]},
        },
        dataset=[of("status", {"type": "INDIRECT", "subtype": "FILTER"})],
    )
    assert table(written(made(facet, "total:double", "buyer:string", "day:date"))) == TableSnapshot(
        ("s3://lake:orders",),
        {
            "total": ColumnSnapshot("double", {"s3://lake:orders.price": "AGGREGATION, CONDITIONAL"}),
            "buyer": ColumnSnapshot("string", {"s3://lake:orders.mail": "TRANSFORMATION, masked"}),
            "day": ColumnSnapshot("date", {"s3://lake:orders.day": "untold"}),
        },
        {"s3://lake:orders.status": "FILTER"},
    )


def test_a_column_of_unknown_origin_may_come_from_each_input() -> None:
    facet = factory.facet(fields={"day": {"inputFields": [of("day")]}})
    columns = table(written(made(facet, "day:date", "score:double"))).columns
    assert columns["score"] == ColumnSnapshot("double", {}, ("s3://lake:orders",))
    assert columns["day"].may_come_from == ()


def test_a_job_that_reads_nothing_makes_columns_of_nothing() -> None:
    event = factory.run_event("COMPLETE", outputs=[factory.dataset("revenue", schema=factory.schema("day:date"))])
    assert table(event) == TableSnapshot((), {"day": ColumnSnapshot("date")}, {})


def test_candidates_are_the_columns_that_the_inputs_have() -> None:
    scores = snapshot_of(factory.received(*recorded_program("beside"))).tables["file:/srv/lake/mapin"]
    assert set(scores.columns["c2"].may_come_from) == {
        f"file:/srv/lake/in.{name}" for name in ("id", "cost", "k", "name")
    }


def test_names_are_spelled_as_the_schema_of_their_table_spells_them() -> None:
    orders = factory.dataset("orders", schema=factory.schema("Price:double"))
    facet = factory.facet(fields={"TOTAL": {"inputFields": [of("PRICE")]}})
    event = factory.run_event("COMPLETE", inputs=[orders], outputs=[made(facet, "total:double")])
    assert table(event).columns == {"total": ColumnSnapshot("double", {"s3://lake:orders.Price": "untold"})}


def test_two_writes_of_one_run_of_an_application_add_up() -> None:
    """Two appends are two runs of one job, with one parent."""
    parent = factory.parent(9, "tests")
    first, second = (
        factory.run_event(
            "COMPLETE",
            run=run,
            seconds=run,
            run_facets={"parent": parent},
            inputs=[factory.dataset(source)],
            outputs=[factory.dataset("revenue")],
        )
        for run, source in ((1, "orders"), (2, "refunds"))
    )
    assert table(first, second).reads == table(second, first).reads == ("s3://lake:orders", "s3://lake:refunds")


def test_a_table_is_one_by_its_path_and_its_symlink() -> None:
    by_path = factory.dataset("sales/revenue", symlinks=factory.symlinks("sales.revenue"))
    tables = snapshot_of(factory.received(written(by_path), written(factory.dataset("sales.revenue"), run=2))).tables
    assert sorted(tables) == ["s3://lake:orders", "s3://lake:sales/revenue"]


def test_dbt_has_tables_and_columns_without_transformations() -> None:
    tables = snapshot_of(factory.received(*recorded("dbt", "run"))).tables
    assert tables[f"{SHOP}paid_orders"].reads == (f"{SHOP}stg_customers", f"{SHOP}stg_orders")
    assert tables[f"{SHOP}paid_orders"].columns["amount"].sources == {f"{SHOP}stg_orders.price": "untold"}
