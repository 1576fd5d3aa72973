"""Insights on planted graphs: what must be found is found, and nothing else."""

import json
from typing import Any

import pytest
from pyspark.sql import SparkSession

from emr_jobs.insights import duplicates
from emr_jobs.insights.__main__ import analyse, create_tables, events_of, sections_of, write_report
from emr_jobs.insights.graph import Graph
from emr_jobs.insights.report import report
from headwater.openlineage.wire import read_event
from tests.emr_jobs.lakes import Work, fill
from tests.emr_jobs.warehouses import database

pytestmark = [pytest.mark.spark, pytest.mark.engine]

REVENUE = [
    ("day", "orders.day", "IDENTITY", "D"),
    ("revenue", "orders.price", "AGGREGATION", "D"),
    ("buyers", "orders.customer", "AGGREGATION", "M"),
]
BY_DAY = [("*", "orders.day", "GROUP_BY", "I"), ("*", "orders.state", "FILTER", "I")]
RENAMED = {"day": "d", "revenue": "umsatz", "buyers": "n", "*": "*"}


def planted() -> list[Work]:
    """Revenue by day: at first hand; with other names of columns; through two other datasets; with a filter more; with
    another aggregation; of another source; and as a copy of the first."""
    whole = [*REVENUE, *BY_DAY]
    other_source = [(out, source.replace("orders", "returns"), how, kind) for out, source, how, kind in whole]
    return [
        Work("revenue_daily", "revenue", whole, seconds=(100.0,)),
        Work(
            "umsatz_pro_tag",
            "umsatz",
            [(RENAMED[out], source, how, kind) for out, source, how, kind in whole],
            seconds=(80.0,),
        ),
        Work(
            "stage",
            "staged",
            [(name, f"orders.{name}", "IDENTITY", "D") for name in ("day", "price", "customer")]
            + [("*", "orders.state", "FILTER", "I")],
        ),
        Work(
            "prepare",
            "prepared",
            [(f"p_{name}", f"staged.{name}", "TRANSFORMATION", "D") for name in ("price",)]
            + [(f"p_{name}", f"staged.{name}", "IDENTITY", "D") for name in ("day", "customer")],
        ),
        Work(
            "report",
            "reported",
            [
                ("a", "prepared.p_day", "IDENTITY", "D"),
                ("b", "prepared.p_price", "AGGREGATION", "D"),
                ("c", "prepared.p_customer", "AGGREGATION", "M"),
                ("*", "prepared.p_day", "GROUP_BY", "I"),
            ],
            seconds=(30.0,),
        ),
        Work("revenue_of_germany", "revenue_de", [*whole, ("*", "orders.country", "FILTER", "I")]),
        Work("max_price", "prices", [REVENUE[0], ("p", "orders.price", "TRANSFORMATION", "D"), *BY_DAY]),
        Work("refunds", "refunded", other_source, since=100),
        Work("publish", "published", [(out, f"revenue.{out}", "IDENTITY", "D") for out, *_ in REVENUE]),
    ]


@pytest.fixture(scope="module")
def lake(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Graph:
    """The planted works; a slow job; one whose volume broke with its schema; a hub; tagged columns."""
    made = database(session, tmp_path_factory.mktemp("lake"))
    usual = [60.0 + day % 3 for day in range(20)]
    readers = [
        Work(f"reader_{number}", f"read_{number}", reads=["revenue"], owner=f"team{number % 3}") for number in range(12)
    ]
    works = [
        *planted(),
        *readers,
        Work("slow", "slowly", reads=["orders"], seconds=(*usual, 600.0)),
        Work("waited", "waited_for", reads=["orders"], seconds=(*usual, 600.0), executor_seconds=usual),
        Work("busy", "busily", reads=["orders"], executor_seconds=(*usual, 600.0)),
        Work("new_jar", "jarred", reads=["orders"], seconds=(*usual, 61.0), executor_seconds=(*[None] * 20, 600.0)),
        Work("skewed", "joined", reads=["orders"], skewed=(False, True)),
        Work("mended", "mended", reads=["orders"], skewed=(True, False)),
        Work("steady", "steadily", reads=["orders"], seconds=(*usual, 63.0)),
        Work("more", "from_more", reads=["orders"], rows_read=(*[int(each) for each in usual], 900)),
        Work("cut", "narrowed", reads=["orders"], bytes_a_row=(*[40] * 6, *[8] * 6), schemas=(*["a"] * 6, *["b"] * 6)),
        Work("broken", "halved", reads=["orders"], rows=(*[1000] * 6, *[300] * 6), schemas=(*["a"] * 6, *["b"] * 6)),
    ]
    fill(session, made, works, [("orders", "customer", "classification=PII"), ("orders", "price", "internal")])
    return Graph(session, made)


@pytest.fixture(scope="module")
def insights(lake: Graph, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """The insights of each kind, and those that the report and the events show."""
    create_tables(lake)
    rated, found = analyse(lake, 90, ["PII"])
    sections = sections_of(found)
    target = tmp_path_factory.mktemp("report") / "report.html"
    write_report(str(target), report("2026-11-20", sections, []))
    assert "umsatz_pro_tag" in target.read_text()
    for event in events_of(rated, sections):
        read_event(json.loads(json.dumps(event)))
    return {section.kind: list(section.insights) for section in sections}


def names(insight: dict[str, Any], kind: str) -> set[str]:
    return {node["name"] for node in insight["nodes"] if node["type"] == kind}


def test_the_same_work_is_found_under_other_names_and_through_other_datasets(insights: dict[str, Any]) -> None:
    (same,) = (insight for insight in insights["duplicate"] if insight["details"]["overlap"] == 1)
    assert names(same, "JOB") == {"revenue_daily", "umsatz_pro_tag", "report"}
    assert names(same, "DATASET") == {"revenue", "umsatz", "reported"}
    assert same["details"]["seconds_saved"] == 110
    assert {source["column"] for source in same["details"]["sources"]} == {"day", "price", "customer"}


def test_one_filter_more_is_nearly_the_same_work_and_the_filter_is_told(insights: dict[str, Any]) -> None:
    nearly = [insight for insight in insights["duplicate"] if insight["details"]["overlap"] < 1]
    assert [names(insight, "JOB") & {"revenue_of_germany"} for insight in nearly] == [{"revenue_of_germany"}]
    (difference,) = nearly[0]["details"]["differences"]
    assert (difference["kind"], difference["name"], difference["column"]) == ("FILTER", "orders", "country")


def test_a_copy_and_work_on_other_sources_are_not_the_same_work(insights: dict[str, Any]) -> None:
    found = {name for insight in insights["duplicate"] for name in names(insight, "JOB")}
    assert not found & {"publish", "refunds", "max_price", "stage", "prepare"}


def test_any_pair_with_a_large_overlap_is_a_candidate(lake: Graph) -> None:
    made = duplicates.works(lake)
    pairs = {tuple(sorted((row["left_job_id"], row["right_job_id"]))) for row in duplicates.near(made).collect()}
    assert len(pairs) == 1


def test_nodes_downstream_are_counted_with_their_owners(session: SparkSession, lake: Graph, insights: object) -> None:
    rows = session.table(f"{lake.database}.criticality").collect()
    counts = {
        row["name"]: (row["downstream_datasets"], row["downstream_jobs"], row["downstream_owners"]) for row in rows
    }
    assert counts["revenue"] == (13, 13, 3)
    assert counts["revenue_daily"] == (14, 13, 3)
    assert counts["staged"] == (2, 2, 0)
    assert counts["reported"] == (0, 0, 0)
    ranks = {row["name"]: row["rank"] for row in rows}
    assert max(ranks, key=lambda name: ranks[name]) == "orders"
    assert ranks["revenue"] > ranks["umsatz"]


def test_the_only_writer_of_what_many_read_is_a_single_point_of_failure(insights: dict[str, Any]) -> None:
    (single,) = insights["critical"]
    assert (names(single, "JOB"), names(single, "DATASET")) == ({"revenue_daily"}, {"revenue"})


def test_what_nobody_reads_is_waste_with_its_cost(insights: dict[str, Any]) -> None:
    idle = {name: insight["details"] for insight in insights["waste"] for name in names(insight, "JOB")}
    assert idle["refunds"]["runs"] == 1
    assert "revenue_daily" not in idle
    unwritten = {name for insight in insights["waste"] if insight["details"]["what"] == "unwritten"
                 for name in names(insight, "DATASET")}  # fmt: skip
    assert unwritten == {"orders", "returns"}


def test_a_run_far_from_its_history_and_a_volume_that_breaks_are_drift(insights: dict[str, Any]) -> None:
    slow = [insight for insight in insights["drift"] if insight["details"].get("measure") == "seconds"]
    assert [names(insight, "JOB") for insight in slow] == [{"slow"}]
    breaks = [insight for insight in insights["drift"] if "rows_before" in insight["details"]]
    assert [(names(each, "DATASET"), each["details"]["rows_after"]) for each in breaks] == [({"halved"}, 300)]


def test_where_executor_seconds_have_a_history_they_are_the_drift_and_the_duration_is_not(
    insights: dict[str, Any],
) -> None:
    busy = [insight for insight in insights["drift"] if insight["details"].get("measure") == "executor seconds"]
    assert [(names(each, "JOB"), each["details"]["value"]) for each in busy] == [({"busy"}, 600.0)]
    assert not set[str]().union(*(names(each, "JOB") for each in insights["drift"])) & {"waited", "new_jar"}


def test_a_stage_in_which_one_task_read_most_is_skew_until_the_job_is_mended(insights: dict[str, Any]) -> None:
    (skew,) = insights["skew"]
    assert names(skew, "JOB") == {"skewed"}
    assert skew["title"] == (
        "skewed: in stage 7 (join) one task read 41 GB of 43, and took 900 s where the median took 2"
    )
    assert (skew["score"], skew["details"]["run_id"], skew["details"]["tasks"]) == (898.0, "skewed-1", 200)


def test_another_volume_of_the_input_and_rows_of_another_size_are_drift(insights: dict[str, Any]) -> None:
    read = [insight for insight in insights["drift"] if insight["details"].get("measure") == "rows read"]
    assert [(names(each, "JOB"), each["details"]["value"]) for each in read] == [({"more"}, 900)]
    (cut,) = [insight["details"] for insight in insights["drift"] if "bytes_a_row_before" in insight["details"]]
    assert (cut["bytes_a_row_before"], cut["bytes_a_row_after"]) == (40, 8)


def test_a_tag_is_followed_to_every_copy_and_masks_are_seen(insights: dict[str, Any]) -> None:
    reached = {
        (name, column["column"]): column["is_masked"]
        for insight in insights["sensitive"]
        for name in names(insight, "DATASET")
        for column in insight["details"]["columns"]
    }
    assert reached["staged", "customer"] is False
    assert reached["prepared", "p_customer"] is False
    assert reached["reported", "c"] is True
    assert reached["published", "buyers"] is True
    assert ("published", "revenue") not in reached
