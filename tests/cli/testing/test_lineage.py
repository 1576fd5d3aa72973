"""Assertions about the lineage of a test, and what they say if they fail."""

from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.cli.testing.lineage import LineageOfTest, SnapshotFile
from headwater.openlineage import exact_json
from tests import factory
from tests.factory import Document, columns, dataset, facet, run_event, schema
from tests.producer_records import FOLDER

LAKE = "s3://lake"


def step(target: str, source: str, run: int, lineage: Document, *fields: str) -> Document:
    output = dataset(target, schema=schema(*fields), columnLineage=lineage)
    return run_event("COMPLETE", run=run, job=target, inputs=[dataset(source)], outputs=[output])


CLEAN = step(
    "shop/orders",
    "raw/orders",
    1,
    {
        **columns(price=(LAKE, "raw/orders", "unit_price")),
        "dataset": [
            {
                "namespace": LAKE,
                "name": "raw/orders",
                "field": "status",
                "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}],
            }
        ],
    },
    "price:double",
    "score:double",
)
REVENUE = step(
    "shop/revenue",
    "shop/orders",
    2,
    columns(total=(LAKE, "shop/orders", "price"), score=(LAKE, "shop/orders", "score")),
    "total:double",
    "score:double",
)
PREORDERS = run_event("COMPLETE", run=3, job="pre", outputs=[dataset("shop/preorders", schema=schema("price:double"))])


@pytest.fixture
def file(tmp_path: Path) -> SnapshotFile:
    return SnapshotFile(tmp_path / "__lineage__" / "test_a.yaml", "test_shop.py::test_a")


Given = Callable[..., LineageOfTest]


@pytest.fixture
def given(file: SnapshotFile) -> Given:
    return lambda *sent: LineageOfTest(file, lambda: list(map(exact_json.dumps, sent)))


def failure(call: Callable[[], object]) -> list[str]:
    with pytest.raises(AssertionError) as raised:
        call()
    return str(raised.value).splitlines()


def test_a_column_comes_from_others_through_tables_between(given: Given) -> None:
    lineage = given(CLEAN, REVENUE)
    lineage.column("revenue.total").comes_from("shop/orders.price")
    lineage.column("revenue.total").comes_from("raw/orders.unit_price")


def test_a_failure_says_what_a_column_comes_from(given: Given) -> None:
    lineage = given(CLEAN, REVENUE, PREORDERS)
    assert failure(lambda: lineage.column("revenue.total").comes_from("preorders.price")) == [
        "s3://lake:shop/revenue.total does not come from s3://lake:shop/preorders.price",
        "known: it comes from s3://lake:raw/orders.unit_price, s3://lake:shop/orders.price",
    ]


def test_a_failure_says_what_cannot_be_seen_on_the_way(given: Given) -> None:
    lineage = given(CLEAN, REVENUE)
    assert failure(lambda: lineage.column("revenue.score").comes_from("raw/orders.unit_price")) == [
        "s3://lake:shop/revenue.score does not come from s3://lake:raw/orders.unit_price",
        "known: it comes from s3://lake:shop/orders.score",
        "not seen: the origin of s3://lake:shop/orders.score; it may be s3://lake:raw/orders",
    ]


def test_a_filter_is_no_origin_and_the_failure_says_what_it_is(given: Given) -> None:
    lineage = given(CLEAN, REVENUE)
    assert failure(lambda: lineage.column("revenue.total").comes_from("raw/orders.status"))[2:] == [
        "known: s3://lake:raw/orders.status decides which rows s3://lake:shop/orders has (FILTER)"
    ]


def test_a_table_reads_those_that_its_job_names(given: Given) -> None:
    lineage = given(CLEAN, REVENUE)
    lineage.table("revenue").reads("shop/orders")
    assert failure(lambda: lineage.table("revenue").reads("raw/orders")) == [
        "s3://lake:shop/revenue does not read s3://lake:raw/orders",
        "known: it reads s3://lake:shop/orders",
    ]
    assert failure(lambda: lineage.table("raw/orders").reads("revenue"))[1] == "known: it reads nothing"


def test_a_name_is_the_end_of_a_table_s_in_whole_words(given: Given) -> None:
    lineage = given(CLEAN, PREORDERS)
    assert failure(lambda: lineage.table("orders")) == [
        "orders may be any of s3://lake:raw/orders, s3://lake:shop/orders",
        "next: write more of the table's name",
    ]
    lineage.table("s3://lake:shop/orders").reads("raw/orders")


def test_an_unknown_name_is_told_the_near_ones(given: Given) -> None:
    lineage = given(REVENUE)
    assert failure(lambda: lineage.table("revenues"))[1] == "known: s3://lake:shop/revenue"
    assert failure(lambda: lineage.table("shop/order"))[1].startswith("known: s3://lake:shop/orders")
    assert failure(lambda: lineage.column("revenue.totals"))[1].startswith("known: s3://lake:shop/revenue.total")


def test_every_dot_may_part_table_and_column(given: Given) -> None:
    source = columns(**{"address.zip": (LAKE, "raw.people", "home.zip")})
    event = step("sales.people", "raw.people", 1, source, "address.zip:string")
    given(event).column("sales.people.address.zip").comes_from("people.home.zip")


def test_a_test_without_events_says_what_to_do(given: Given) -> None:
    for call in (given().assert_matches_snapshot, lambda: given().table("orders")):
        assert any("lineage_spark" in line for line in failure(call))


def test_without_a_snapshot_the_failure_has_the_lineage_and_the_next_step(given: Given, file: SnapshotFile) -> None:
    told = failure(given(CLEAN).assert_matches_snapshot)
    assert "  s3://lake:shop/orders:" in told
    assert told[-1] == (
        "next: if it is meant, run `pytest 'test_shop.py::test_a' --lineage-update` and commit the file"
    )
    assert not file.path.exists()


def update(file: SnapshotFile, *sent: Document) -> None:
    updating = SnapshotFile(file.path, file.test, is_updated=True)
    LineageOfTest(updating, lambda: list(map(exact_json.dumps, sent))).assert_matches_snapshot()


def test_a_snapshot_holds_for_the_same_lineage_in_any_order(given: Given, file: SnapshotFile) -> None:
    update(file, CLEAN, REVENUE)
    given(REVENUE, CLEAN, REVENUE).assert_matches_snapshot()
    file.path.write_text(file.path.read_text().replace("\n    columns:", "\n\n    # by hand\n    columns:"))
    given(CLEAN, REVENUE).assert_matches_snapshot()


def test_a_difference_is_a_diff(given: Given, file: SnapshotFile) -> None:
    update(file, CLEAN, REVENUE)
    other = {**REVENUE, "outputs": [dataset("shop/revenue", schema=schema("total:float"), columnLineage=facet())]}
    told = failure(given(CLEAN, other).assert_matches_snapshot)
    assert told[0] == f"the lineage is not that of {file.path}"
    assert {line for line in told if line[:1] in "+-"} >= {
        "--- snapshot",
        "+++ this run",
        "-        type: double",
        "+        type: float",
        "-          s3://lake:shop/orders.price: untold",
    }
    assert told[-1].startswith("next: if the difference is meant, run `pytest 'test_shop.py::test_a' --lineage-update`")


def test_a_snapshot_that_cannot_be_read_is_told(given: Given, file: SnapshotFile) -> None:
    update(file, CLEAN)
    file.path.write_text("<<<<<<< HEAD\n" + file.path.read_text())
    told = failure(given(CLEAN).assert_matches_snapshot)
    assert f"{file.path} cannot be read" in told[0]
    assert "--lineage-update" in told[-1]


def test_a_folder_of_dbt_s_events_is_asserted_like_a_job_of_spark(given: Given) -> None:
    lineage = given()
    lineage.load(FOLDER / "dbt" / "run.jsonl.gz")
    lineage.column("revenue_by_country.revenue").comes_from("raw_orders.price")
    lineage.table("paid_orders").reads("stg_orders")


def test_events_that_cannot_be_read_are_told_with_their_place(given: Given, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no event in"):
        given().load(tmp_path)
    (tmp_path / "events.jsonl").write_text(f'{exact_json.dumps(CLEAN)}\n{{"job": 1}}\n')
    with pytest.raises(ValueError, match=r"events\.jsonl line 2: "):
        given().load(tmp_path)


def test_what_comes_after_an_assertion_is_seen_by_the_next(file: SnapshotFile) -> None:
    sent = [exact_json.dumps(CLEAN)]
    lineage = LineageOfTest(file, lambda: sent)
    assert len(lineage.snapshot.tables) == 2
    sent.append(exact_json.dumps(REVENUE))
    lineage.table("revenue").reads("shop/orders")
    assert factory.run_id(2) not in lineage.snapshot.to_yaml()
