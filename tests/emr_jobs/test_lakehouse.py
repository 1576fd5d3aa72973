"""The tables of the lakehouse: however the events come, in whatever parts, the same rows; and the ten queries."""

import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from emr_jobs.lakehouse import merge, tables
from emr_jobs.lakehouse.increment import create_tables
from emr_jobs.lakehouse.tables import TableForm
from headwater.cli import export
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.store.archive_location import Location
from headwater.store.bulk import unpacked
from headwater.store.kinds import CODECS
from headwater.store.messages import ReceivedMessage, archive_line, write_message
from headwater.store.sqlite.home import SqliteHome
from local.layout import Layout
from tests import factory
from tests.emr_jobs.archives import archive, folded, received
from tests.emr_jobs.plain_values import plain
from tests.emr_jobs.test_lakehouse_rows import SKEWED, runtime
from tests.emr_jobs.warehouses import Rows, database, rows_in, take_all
from tests.factory import Document

pytestmark = [pytest.mark.spark, pytest.mark.engine]

QUERIES = re.findall(r"```sql\n(.*?)```", Path("docs/lakehouse.md").read_text(), re.DOTALL)
HEX_ID = re.compile("[0-9a-f]{32}")
ANSWERS: list[list[tuple[Any, ...]]] = [
    [
        ("read", "revenue", 3, 1, 0),
        ("read", "check", 1, 0, 0),
        ("read", "declared", 0, 0, 0),
        ("write", "clean", 3, 0, 303),
    ],
    [("s3://lake", "made", "revenue"), ("s3://lake", "orders_view", "declared")],
    [("id", "raw_orders", "id", "DIRECT", "", False), ("total", "raw_orders", "price", "DIRECT", "", False)],
    [
        ("demo", "revenue", 3, 3000),
        ("demo", "clean", 3, 3000),
        *(("demo", job, 1) for job in ("bill", "check", "merge", "ship")),
    ],
    [("revenue", "ValueError: no price", 1)],
    [("s3://lake", "made", 3000), ("s3://lake", "stock", 0), ("s3://lake", "orders_view", 0)],
    [(0, "id", "long"), (1, "total", "double"), (2, "note", "string"), (0, "id", "long"), (1, "total", "double")],
    [(1, 100, 1000), (1, 101, 1000), (1, 102, 1000)],
    [("orders", "not_null", "id", 1)],
    [("https://example.com/producer", 10)],
]
"""The rows of each query of the documentation, without times and ids."""
ORDERED = (2, 6, 7)
"""Queries whose rows have one order."""
ORDERS = factory.columns(id=("s3://lake", "raw_orders", "id"), total=("s3a://lake/", "raw_orders", "price"))

STEPS = [
    *((table, 0) for table in (tables.EVENTS, tables.SCHEMAS, tables.LINKS, tables.COLUMN_EDGES, tables.READS_WRITES)),
    *((tables.QUALITY, 0), (tables.READS_WRITES, 1), (tables.RUNS, 0)),
    *((table, 0) for table in (tables.JOBS, tables.DATASETS, tables.TAKEN_OBJECTS)),
]
"""The merges of an increment, in their order: the table, and the number of its merges before."""

NOW = datetime.now(UTC)


def events() -> Iterator[Document]:
    """Orders in two steps, each day a run; a run that turns out to have started a day earlier; a failure; a check; a
    parent that hears of its child's failure; a table that is read by another name, and one by its own writer only."""
    now = (NOW - factory.EPOCH).total_seconds() - 3 * 86_400
    for day in range(3):
        for step, (job, read, wrote) in enumerate((("clean", "raw_orders", "orders"), ("revenue", "orders", "made"))):
            seconds, run = now + day * 86_400 + step * 600, 10 * day + step
            rows = factory.facet(rowCount=100 + day, size=1000)
            schema = factory.schema("id:long", "total:double", *(["note:string"] if day == 2 else []))
            output = factory.dataset(wrote, schema=schema, columnLineage=ORDERS) | {
                "outputFacets": {"outputStatistics": rows}
            }
            used: dict[str, Any] = {"inputs": [factory.dataset(read)], "outputs": [output]}
            facets = {"parent": factory.parent(500 + day, "nightly")}
            yield factory.run_event("START", seconds=seconds, run=run, job=job, run_facets=facets, **used)
            yield factory.run_event("COMPLETE", seconds=seconds + 60, run=run, job=job, **used)
    yield factory.run_event("START", seconds=now - 40_000, run=1, job="revenue", inputs=[factory.dataset("orders")])
    error = factory.facet(message="ValueError: no price\nTraceback", programmingLanguage="PYTHON")
    yield factory.run_event("FAIL", seconds=now + 5000, run=11, job="revenue", run_facets={"errorMessage": error})
    checks = factory.facet(assertions=[{"assertion": "not_null", "column": "id", "success": False}])
    checked = factory.dataset("orders", dataQualityAssertions=checks)
    yield factory.run_event("COMPLETE", seconds=now + 6000, run=70, job="check", inputs=[checked])
    view = factory.dataset("orders_view", lineage=factory.facet(inputs=[]))
    yield factory.job_event(seconds=now, job="declared", inputs=[factory.dataset("orders")], outputs=[view])
    parcels = factory.dataset("parcels", symlinks=factory.symlinks("db.parcels"))
    stock = factory.dataset("stock")
    yield factory.run_event("COMPLETE", seconds=now, run=80, job="merge", inputs=[stock], outputs=[stock])
    yield factory.run_event("COMPLETE", seconds=now, run=81, job="ship", outputs=[parcels])
    yield factory.run_event("COMPLETE", seconds=now, run=82, job="bill", inputs=[factory.dataset("db.parcels")])
    yield factory.dataset_event(factory.dataset("orders", symlinks=factory.symlinks("db.orders")), seconds=now)


def messages() -> list[ReceivedMessage]:
    """Each other event is received now, hours or days after it happened."""
    return received(events(), lags=(1, (NOW - factory.EPOCH).total_seconds()))


@pytest.fixture(scope="module")
def whole(session: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The tables by one increment with all events."""
    made = database(session, tmp_path_factory.mktemp("whole"))
    lines = [archive_line(message) for message in messages()]
    assert take_all(session, archive(tmp_path_factory.mktemp("archive"), lines), made) == 3
    return made


@pytest.fixture(scope="module")
def rows(session: SparkSession, whole: str) -> Rows:
    return rows_in(session, whole)


def joined_in(session: SparkSession, database_name: str, table: TableForm) -> list[Any]:
    stored = session.table(f"{database_name}.{table.name}").select("joined").collect()
    return [unpacked(bytes(row["joined"])) for row in stored]


def test_runs_jobs_and_datasets_are_those_of_the_fold(session: SparkSession, whole: str) -> None:
    states = [CODECS[item.labels["kind"]].read(item) for item in folded(messages()).values()
              if item.labels["kind"] in ("run", "job", "dataset")]  # fmt: skip
    runs = {state.id: state for state in states if isinstance(state, Run)}
    assert {run.id: run for run in joined_in(session, whole, tables.RUNS)} == runs
    heads = {head.facts.id: head.facts for head in states if isinstance(head, JobHead)}
    assert {head.facts.id: head.facts for head in joined_in(session, whole, tables.JOBS)} == heads
    datasets = {(head.id, *head.facts.name): head.schema_digest for head in states if isinstance(head, DatasetHead)}
    stored = session.table(f"{whole}.datasets").select("dataset_id", "namespace", "name", "schema_digest").collect()
    assert {tuple(row[:3]): row[3] for row in stored} == datasets


def test_events_in_parts_in_another_order_and_twice_give_the_same_rows(
    session: SparkSession, rows: Rows, tmp_path: Path
) -> None:
    made = database(session, tmp_path / "lake")
    sent = messages()
    for number, part in enumerate((sent[20:], sent[:8], [*sent[6:], *sent[:2]])):
        location = archive(tmp_path / str(number), [archive_line(message) for message in part], files=1)
        moved = tmp_path / "all" / "events" / "date=2026-11-20" / f"{number}.gz"
        moved.parent.mkdir(parents=True, exist_ok=True)
        (Path(location.url) / "events" / "date=2026-11-20" / "0.gz").rename(moved)
        assert take_all(session, Location(str(tmp_path / "all")), made) == 1
    assert take_all(session, Location(str(tmp_path / "all")), made) == 0
    assert rows_in(session, made) == rows


def test_an_increment_that_is_killed_at_any_step_and_started_again_gives_the_same_rows(
    session: SparkSession, rows: Rows, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second increment is killed before each of its merges in turn, the next one each time it is started again."""
    made = database(session, tmp_path / "lake")
    lines = [archive_line(message) for message in messages()]
    first = archive(tmp_path / "archive", lines[:8], files=1)
    assert take_all(session, first, made) == 1
    Path(first.url, "events/date=2026-11-20/1.gz").write_bytes(b"".join(lines[8:]))
    execute = merge._execute
    for victim, merges in STEPS:
        merged: list[TableForm] = []

        def killed(
            table: TableForm, *arguments: Any, at: Any = (victim, merges), merged: list[TableForm] = merged
        ) -> None:
            if (table, merged.count(table)) == at:
                raise KeyboardInterrupt
            execute(table, *arguments)
            merged.append(table)

        monkeypatch.setattr(merge, "_execute", killed)
        with pytest.raises(KeyboardInterrupt):
            take_all(session, first, made)
    monkeypatch.setattr(merge, "_execute", execute)
    assert take_all(session, first, made) == 1
    assert rows_in(session, made) == rows


def test_a_late_event_finds_its_day(session: SparkSession, whole: str) -> None:
    early = (NOW - timedelta(days=3, seconds=40_000)).date()
    revenue = session.table(f"{whole}.reads_writes").where("job_name = 'revenue' AND direction = 'write'")
    days = {row["day"]: row["runs"] for row in revenue.collect()}
    assert days[early] == 1
    assert sum(days.values()) == 3


def test_another_engine_gives_the_same_answers(session: SparkSession, whole: str) -> None:
    """pyiceberg reads the tables, and DuckDB answers the queries of the documentation."""
    python = Layout.here().state / "iceberg" / "bin" / "python"
    if not python.exists():
        pytest.skip("pyiceberg and DuckDB are not installed: `make test-engines` does that")
    warehouse = session.conf.get(f"spark.sql.catalog.{whole.partition('.')[0]}.warehouse")
    command = [str(python), "-m", "tests.emr_jobs.other_engine", str(warehouse)]
    done = subprocess.run(  # noqa: S603 - as the line above has it
        command, input=json.dumps(QUERIES), capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
    answer = json.loads(done.stdout)
    session.sql(f"USE {whole}")
    for query, rows in zip(QUERIES, answer["rows"], strict=True):
        collected = json.loads(json.dumps([list(row) for row in session.sql(query).collect()], default=plain))
        assert sorted(map(repr, collected)) == sorted(map(repr, rows)), query
    assert answer["deletes"] == []


@pytest.mark.parametrize("number", range(10))
def test_each_query_of_the_documentation_gives_what_was_planted(session: SparkSession, whole: str, number: int) -> None:
    """Rows in the order of the query, without times and ids. A job reads `parcels` by its other name, none `stock`."""
    session.sql(f"USE {whole}")
    rows = [tuple(value for value in row if isinstance(value, str | int) and not HEX_ID.fullmatch(str(value)))
            for row in session.sql(QUERIES[number]).collect()]  # fmt: skip
    assert rows == ANSWERS[number] if number in ORDERED else sorted(rows) == sorted(ANSWERS[number])


def test_the_documentation_has_ten_queries() -> None:
    assert len(QUERIES) == 10


def test_a_run_of_the_first_year_has_its_rows(session: SparkSession, tmp_path: Path) -> None:
    """A producer may have a broken clock, and PySpark has no literal for a date before the year 1000."""
    seconds = (datetime(1, 1, 2, tzinfo=UTC) - factory.EPOCH).total_seconds()
    event = factory.run_event("COMPLETE", seconds=seconds, outputs=[factory.dataset("old")])
    lines = [archive_line(message) for message in received([event], lags=(1,))]
    made = database(session, tmp_path / "lake")
    take_all(session, archive(tmp_path / "archive", lines), made)
    assert [str(row["day"]) for row in session.table(f"{made}.reads_writes").collect()] == ["0001-01-02"]


def test_a_lake_of_an_earlier_release_gets_the_new_columns_and_takes_what_an_export_adds(
    session: SparkSession, tmp_path: Path
) -> None:
    made = database(session, tmp_path / "lake")
    data, exported = tmp_path / "lineage.db", tmp_path / "archive"
    session.sql(f"ALTER TABLE {made}.runs DROP COLUMNS (executor_seconds, skewed_stage)")
    for number in (1, 2):
        create_tables(session, made)
        event = factory.run_event("COMPLETE", run=number, job="join", run_facets={"headwater_runtime": runtime(SKEWED)})
        (message,) = received([event], lags=(1,))
        of_event = normalise_event(message.canonical, Naming()).event
        with closing(SqliteHome(data)) as home:
            home.inbox.send([write_message(of_event, message.canonical, message.received_at, home.bodies)])
        assert export.main(["--data", str(data), "--to", str(exported)]) == 0
        assert take_all(session, Location(str(exported)), made) == 1
    stored = session.table(f"{made}.runs").select("executor_seconds", "skewed_stage.stage", "skewed_stage.max_bytes")
    assert [tuple(row) for row in stored.collect()] == [(1.5, 7, 41 * 10**9)] * 2


def test_counts_beyond_the_greatest_number_and_a_lost_start(session: SparkSession, tmp_path: Path) -> None:
    """A producer may send any count. The end of a run alone tells no duration."""
    most = factory.facet(rowCount=2**63 - 1, size=2**63 - 1)
    huge = factory.dataset("huge") | {"outputFacets": {"outputStatistics": most}}
    ends = [factory.run_event("COMPLETE", run=run, seconds=run, outputs=[huge]) for run in (1, 2)]
    lines = [archive_line(message) for message in received(ends, lags=(1,))]
    made = database(session, tmp_path / "lake")
    take_all(session, archive(tmp_path / "archive", lines), made)
    (row,) = session.table(f"{made}.reads_writes").collect()
    assert (row["runs"], row["rows"], row["bytes"], row["seconds"]) == (2, 2**63 - 1, 2**63 - 1, 0)
    assert {row["seconds"] for row in session.table(f"{made}.runs").collect()} == {None}
