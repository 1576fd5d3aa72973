"""Insights tell what is true, and not what is nearly so: young, dropped, renamed and failed tables, DDL, statements
that come as two queries, files of a folder, and loops. Planted in events, beside those of real programs of Spark."""

import json
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from pyspark.sql import SparkSession

from emr_jobs.insights.__main__ import analyse, create_tables
from emr_jobs.insights.graph import Graph
from emr_jobs.insights.insight import as_json
from headwater.openlineage.instant import parse_instant, to_datetime
from headwater.store.messages import ReceivedMessage, archive_line
from tests import factory
from tests.emr_jobs.archives import archive, received
from tests.emr_jobs.warehouses import database, take_all
from tests.factory import Document
from tests.producer_records import recorded_program

pytestmark = [pytest.mark.spark, pytest.mark.engine]

NOW = parse_instant(factory.at(3600))
PROGRAMS = ("shop", "iceberg", "pandas", "delta", "jdbc")
MONTH = range(20, -1, -1)
_RUNS = count(1)


def query(
    job: str,
    reads: Iterable[str] = (),
    writes: Iterable[str] = (),
    *,
    day: float = 0,
    begin: float = 0,
    seconds: float = 60,
    end: str = "COMPLETE",
    application: int = 0,
    rows: int | None = 100,
    change: Document | None = None,
    schemas: dict[str, str] | None = None,
    columns: Iterable[tuple[str, str]] = (),
) -> Iterator[Document]:
    """A run of a query of Spark, some days ago. The queries of an application, a number, have one parent run."""
    facets: Document = {} if change is None else {"lifecycleStateChange": factory.facet(**change)}
    if columns:
        facets["columnLineage"] = factory.columns(
            **{output: ("s3://lake", *source.split(".")) for output, source in columns}  # type: ignore[arg-type]
        )
    counted = {} if rows is None else {"outputFacets": {"outputStatistics": factory.facet(rowCount=rows)}}
    known = schemas or {}
    named: dict[str, Any] = {
        "inputs": [factory.dataset(name, **_schema(known.get(name))) for name in reads],
        "outputs": [factory.dataset(name, **facets, **_schema(known.get(name))) | counted for name in writes],
        "job_facets": {"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")},
        "run_facets": {"parent": factory.parent(application, f"app{application}")} if application else {},
    }
    run, at = next(_RUNS), begin - day * 86400
    yield factory.run_event("START", seconds=at, run=run, job=job, **named)
    yield factory.run_event(end, seconds=at + seconds, run=run, job=job, **named)


def _schema(columns: str | None) -> Document:
    return {"schema": factory.schema(*columns.split())} if columns else {}


def daily(job: str, reads: str, writes: str, days: Iterable[float], **more: Any) -> Iterator[Document]:
    for day in days:
        yield from query(job, [reads], [writes], day=day, **more)


def ddl(change: str, table: str, day: float, *, begin: float = 0, former: str = "") -> Iterator[Document]:
    facet: Document = {"lifecycleStateChange": change}
    if former:
        facet["previousIdentifier"] = {"namespace": "s3://lake", "name": former}
    for event in query(f"ddl.{change.lower()}", (), [table], day=day, begin=begin, seconds=1, rows=None, change=facet):
        # The listener looks the new name up: the START of a rename that succeeds names no table.
        yield {**event, "outputs": []} if former and event["eventType"] == "START" else event


def unread() -> Iterator[Document]:
    yield from daily("load_old", "raw", "old", (90, 1, 0))
    yield from daily("load_young", "raw", "young", (89, 1, 0))
    yield from daily("load_dropped", "raw", "dropped", (100, 1, 0))
    yield from ddl("DROP", "dropped", 0, begin=600)
    yield from daily("load_in_database", "raw", "wh/shop.db/orders", (100, 1, 0))
    yield from ddl("DROP", "wh/shop.db/shop.db/orders", 0, begin=600)
    yield from (*daily("load_again", "raw", "again", (100, 5, 0)), *ddl("DROP", "again", 50))
    yield from (*daily("load_since", "raw", "since", (200, 100, 0)), *ddl("DROP", "since", 150))
    yield from daily("load_renamed", "raw", "before", (100, 3))
    yield from ddl("RENAME", "after", 2, former="before")
    yield from daily("read_renamed", "after", "of_renamed", (1,))
    yield from daily("load_archive", "raw", "archived", (100, 3))
    yield from ddl("RENAME", "archive", 2, former="archived")
    yield from daily("load_rotated", "raw", "rotated", (100, 3))
    yield from ddl("RENAME", "rotated_out", 2, former="rotated")
    yield from (*daily("load_rotated", "raw", "rotated", (1, 0)), *daily("read_rotated", "rotated", "of_rotated", (0,)))
    for day in (100, 0):
        yield from ddl("CREATE", "created", day)
        yield from ddl("ALTER", "created", day, begin=60)
    yield from daily("load_in_vain", "raw", "in_vain", (100, 1, 0), end="FAIL")
    yield from daily("read_in_vain", "in_vain", "of_in_vain", (1,))
    for day in (100, 0):
        yield from statement("twice", "raw", application=100 + day, day=day)


def statement(table: str, reads: str, *, application: int, day: float = 0) -> Iterator[Document]:
    """A CREATE TABLE AS SELECT: two queries, and the echo of its result."""
    change = {"lifecycleStateChange": "CREATE"}
    wrapper = f"app.atomic_create_table_as_select.{table}"
    yield from query(wrapper, [reads], [table], day=day, seconds=60, application=application, change=change)
    inner = f"app.append_data.{table}"
    yield from query(inner, [reads], [table], day=day, begin=5, seconds=40, application=application)
    yield from query(
        "app.command_result", [reads], [table], day=day, begin=61, seconds=1, application=application, rows=None,
        change=change,
    )  # fmt: skip


def landed() -> Iterator[Document]:
    """A folder that is read with its columns, as text, and as a part of the folder above; and what else is there."""
    schemas = {"landing/sales": "id:int", "landing/sales/part.csv": "value:string", "landing/customers": "id:int"}
    for name in ("landing/sales", "landing/sales/part.csv", "landing"):
        yield from query(f"app7.reads.{name}", [name], application=7, schemas=schemas)
    yield from query("app8.reads.customers", ["landing/customers"], application=8, schemas=schemas)
    yield from query(
        "app9.reads.other", ["landing/sales/other"], application=9, schemas={"landing/sales/other": "x:int"}
    )
    for day in range(3):
        yield from query("app10.reads.days", [f"days/2026-11-0{day}/x"], application=10, schemas=schemas)


def drifting() -> Iterator[Document]:
    for day in MONTH:
        grown = 3 if day == 0 else 1
        yield from query("grows", ["raw"], ["grown"], day=day, seconds=60 * grown, rows=100 * grown)
        for shop in range(5):  # the largest comes last
            size = 1000 if shop == 4 else 10
            yield from query(
                "loop", ["raw"], ["looped"], day=day, begin=60 * shop, rows=size, seconds=30, application=1000 + day
            )
        columns = "a:int" if day > 2 else "b:int"
        volume = {"rows": 1000 if day > 2 else 300, "schemas": {"broken": columns}}
        yield from query("breaks", ["raw"], ["broken"], day=day, **volume)  # type: ignore[arg-type]


def hubs() -> Iterator[Document]:
    """Datasets that ten nodes and more depend on."""
    yield from statement("hub", "raw", application=500)
    yield from daily("write_failed_hub", "raw", "failed_hub", (0,), end="FAIL")
    yield from daily("write_dropped_hub", "raw", "dropped_hub", (5,))
    yield from daily("try_shared_hub", "raw", "shared_hub", (0,), end="FAIL")
    yield from daily("write_shared_hub", "raw", "shared_hub", (0,))
    for hub in ("hub", "failed_hub", "dropped_hub", "shared_hub"):
        for number in range(5):
            yield from daily(f"reads_{hub}_{number}", hub, f"of_{hub}_{number}", (0,))
    yield from ddl("DROP", "dropped_hub", 0, begin=600)
    yield from daily("write_small_hub", "raw", "small_hub", (0,))
    for number in range(5):
        yield from daily(f"reads_small_{number}", "small_hub", f"of_small_{number}", (0,))
    yield from ddl("DROP", "of_small_0", 0, begin=600)


def done_twice() -> Iterator[Document]:
    columns = [(name, f"facts.{name}") for name in "abcd"]
    for number, end in enumerate(("COMPLETE", "COMPLETE", "FAIL")):
        yield from daily(f"copies{number}", "facts", f"copy{number}", (0,), columns=columns, end=end)
    yield from daily("copies_for_a_while", "facts", "copy3", (0,), columns=columns)
    yield from ddl("DROP", "copy3", 0, begin=600)


def programs() -> Iterator[Document]:
    """The events of the programs, as if they had run an hour ago."""
    for name in PROGRAMS:
        for event in recorded_program(name):
            # The programs ran on 2026-11-24, half past six.
            time = to_datetime(parse_instant(event["eventTime"])) - timedelta(days=4, hours=10, minutes=30)
            yield event | {"eventTime": time.isoformat().replace("+00:00", "Z")}


@pytest.fixture(scope="module")
def insights(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    planted = [*unread(), *landed(), *drifting(), *hubs(), *done_twice(), *programs()]
    lines = [archive_line(ReceivedMessage(each.canonical, min(each.received_at, NOW))) for each in received(planted)]
    made = database(session, tmp_path_factory.mktemp("lake"))
    take_all(session, archive(tmp_path_factory.mktemp("archive"), lines), made)
    graph = Graph(session, made)
    create_tables(graph)
    _, found = analyse(graph, 90, [])
    assert str(graph.as_of) == "2026-11-20"
    return [{**as_json(row.asDict(recursive=True)), "kind": row["kind"]} for row in found.collect()]


def of(insights: list[dict[str, Any]], what: str) -> list[dict[str, Any]]:
    return [each for each in insights if what in (each["kind"], each["details"].get("what"))]


def names(insights: list[dict[str, Any]], what: str, kind: str = "DATASET") -> list[str]:
    return sorted(node["name"] for each in of(insights, what) for node in each["nodes"] if node["type"] == kind)


def test_only_old_data_that_is_there_and_that_somebody_wrote_is_unread(insights: list[dict[str, Any]]) -> None:
    assert names(insights, "unread") == ["archive", "old", "since", "twice"]
    (since,) = [each for each in of(insights, "unread") if each["nodes"][0]["name"] == "since"]
    assert since["details"]["first_write"] == "2026-08-12"


def test_of_a_statement_the_query_that_appends_is_idle_alone(insights: list[dict[str, Any]]) -> None:
    assert names(insights, "idle job", "JOB") == ["app.append_data.twice", "load_archive", "load_old", "load_since"]


def test_what_is_read_and_not_written_is_told_by_folder(insights: list[dict[str, Any]]) -> None:
    folders = {
        each["details"]["folder"]: [node["name"] for node in each["nodes"]] for each in of(insights, "unwritten")
    }
    assert folders.pop("landing") == ["landing/customers", "landing/sales"]
    assert folders.pop("landing/sales") == ["landing/sales/other"]
    assert folders.pop("days") == [f"days/2026-11-0{day}/x" for day in range(3)]
    assert folders.pop("") == ["facts", "raw"]
    assert folders.pop("/srv/lake/in") == [
        *(f"/srv/lake/in/{name}" for name in ("customers.csv", "products.csv")),
        *(f"/srv/lake/in/shop{number}" for number in range(5)),
    ]
    assert folders == {"/srv/lake/o": ["/srv/lake/o/mart"]}


def test_a_program_of_ten_minutes_ago_made_no_waste(insights: list[dict[str, Any]]) -> None:
    told = [
        name for what in ("unread", "idle job") for kind in ("DATASET", "JOB") for name in names(insights, what, kind)
    ]
    assert not [name for name in told if name.startswith("/srv/lake") or name.split(".")[0] in ("day", "ice", "delta")]


def test_the_writer_of_a_hub_is_the_query_that_appends_and_a_failed_one_is_none(insights: list[dict[str, Any]]) -> None:
    found = {tuple(sorted(node["name"] for node in each["nodes"])) for each in of(insights, "critical")}
    planted = {pair for pair in found if not any("/srv/lake" in name for name in pair)}
    assert planted == {("app.append_data.hub", "hub"), ("shared_hub", "write_shared_hub")}


def test_a_drift_is_told_once_and_the_largest_of_a_loop_is_none(insights: list[dict[str, Any]]) -> None:
    told = {name: each["details"] for each in of(insights, "drift") for name in [each["nodes"][0]["name"]]}
    assert len(of(insights, "drift")) == 2
    assert sorted(told) == ["broken", "grows"]
    assert {told["grows"]["measure"], *(each["measure"] for each in told["grows"]["also"])} == {"seconds", "rows"}
    assert (told["broken"]["rows_before"], told["broken"]["rows_after"]) == (1000, 300)


def test_a_work_that_failed_or_was_dropped_is_not_done_twice(insights: list[dict[str, Any]]) -> None:
    twice = [each for each in of(insights, "duplicate") if "copy0" in [node["name"] for node in each["nodes"]]]
    assert [names([each], "duplicate", "JOB") for each in twice] == [["copies0", "copies1"]]


def test_what_no_good_write_made_is_in_no_insight(insights: list[dict[str, Any]]) -> None:
    told = {node["name"] for each in insights for node in each["nodes"]}
    assert not told & {"in_vain", "load_in_vain", "failed_hub", "dropped", "dropped_hub", "before", "after", "created"}
    assert not json.dumps(insights).count("command_result")
