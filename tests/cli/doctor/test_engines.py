"""The doctor's findings about engines: refusals, one job a query, islands, and two names of one table."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from headwater.cli.api import Api
from headwater.cli.doctor import engines
from headwater.cli.doctor.__main__ import main
from headwater.cli.doctor.arrivals import Arrivals
from headwater.cli.doctor.same_tables import alias_line, in_order, pairs, same_tables
from headwater.graph.names.naming import Naming
from headwater.graph.producers import PRODUCERS
from headwater.openlineage.event import Name
from tests import factory
from tests.cli.doctor.test_checks import what
from tests.producer_records import recorded
from tests.serve.process import ServeProcess
from tests.upstream import Upstream, serving

KAFKA, KAFKA_LIST = "kafka://b-1.shop:9092", "kafka://b-1.shop:9092,b-2.shop:9092"
POSTGRES, TRINO, GLUE = "postgres://db:5432", "trino://trino:8080", "arn:aws:glue:eu-central-1:123456789012"


def job(name: str, reads: str = "", writes: str = "", engine: str = "", runs: int = 2) -> dict[str, Any]:
    """A job as GET /jobs lists it; a dataset is `namespace name`."""
    sides = {
        side: [dict(zip(("namespace", "name"), text.split(" "), strict=True))] if text else []
        for side, text in (("inputs", reads), ("outputs", writes))
    }
    facets = {"jobType": {"integration": engine}} if engine else {}
    latest = [{"id": str(number)} for number in range(runs)]
    return {"namespace": "demo", "name": name, "parentJobName": None, "latestRuns": latest, "facets": facets, **sides}


def arrivals(*jobs: dict[str, Any], events: list[dict[str, Any]] | None = None) -> Arrivals:
    return Arrivals(events or [], list(jobs), ["demo"], is_cut=False)


ONE_TABLE = {
    "Trino reads what dbt writes": (
        f"{TRINO} pg.public.orders",
        f"{POSTGRES} shop.public.orders",
        f'"{TRINO} pg.": "{POSTGRES} shop."',
    ),
    "Airflow reads what Trino writes": (
        f"{POSTGRES} shop.mart.daily",
        f"{TRINO} pg.mart.daily",
        f'"{TRINO} pg.": "{POSTGRES} shop."',
    ),
    "Great Expectations leaves out the database": (
        f"{POSTGRES} public.orders",
        f"{POSTGRES} shop.public.orders",
        f'"{POSTGRES} public.": "{POSTGRES} shop.public."',
    ),
    "two lists of brokers": (f"{KAFKA} orders", f"{KAFKA_LIST} orders", f'"{KAFKA}": "{KAFKA_LIST}"'),
    "Trino reads a table of Glue": (
        f"{TRINO} lake.sales.orders",
        f"{GLUE} table/sales/orders",
        f'"{TRINO} lake.": "{GLUE} "',
    ),
    "a temporary cluster's metastore": (
        f"{GLUE} table/sales/orders",
        "hive://ip-10-0-0-1:9083 sales.orders",
        f'"hive://ip-10-0-0-1:9083": "{GLUE}"',
    ),
}


@pytest.mark.parametrize(("read", "written", "line"), ONE_TABLE.values(), ids=ONE_TABLE)
def test_two_names_of_one_table_are_told_with_the_line_to_add(read: str, written: str, line: str) -> None:
    (finding,) = same_tables(arrivals(job("report", read, "file /out"), job("load", "file /in", written)))
    assert finding.what == f"these two look like one table: {read} is only read, {written} is written"
    assert f"NamespaceAliases: {line} " in finding.fix


@pytest.mark.parametrize(("read", "written", "line"), ONE_TABLE.values(), ids=ONE_TABLE)
def test_with_the_line_the_two_names_mean_one_dataset(read: str, written: str, line: str) -> None:
    naming = Naming(json.loads("{" + line + "}"))
    assert len({naming.identify(Name(*name.split(" "))).identity for name in (read, written)}) == 1


@pytest.mark.parametrize(
    "jobs",
    [
        [job("a", f"{KAFKA} orders", f"{KAFKA} orders"), job("b", "", f"{KAFKA_LIST} orders")],
        [job("a", f"{KAFKA} orders"), job("b", "", f"{KAFKA_LIST} payments")],
        [job("a", f"{POSTGRES} shop.public.orders"), job("b", "", f"{KAFKA} public.orders")],
        [job("a", "s3://dev orders"), job("b", "", "s3://prod orders")],
        [job("a", f"{TRINO} pg.a.t"), job("b", "", f"{POSTGRES} x.a.t"), job("c", "", "postgres://other:5432 y.a.t")],
    ],
    ids=["written under both", "other topic", "topic and table", "buckets", "several"],
)
def test_tables_that_may_well_be_two_are_not_told(jobs: list[dict[str, Any]]) -> None:
    assert list(same_tables(arrivals(*jobs))) == []


def test_of_many_tables_under_one_prefix_the_line_is_told_once() -> None:
    jobs = [job(f"read {n}", f"{TRINO} pg.public.t{n}") for n in range(5)]
    jobs += [job(f"write {n}", "", f"{POSTGRES} shop.public.t{n}") for n in range(5)]
    assert len(list(same_tables(arrivals(*jobs)))) == 1
    assert {alias_line(*in_order(*pair)) for pair in pairs(arrivals(*jobs))} == {f'"{TRINO} pg.": "{POSTGRES} shop."'}


def test_jobs_that_differ_in_a_number_and_ran_once_are_one_job_a_query() -> None:
    queries = [job(f"20261122_1939{n:02}_00008_e2k6e", runs=1) for n in range(12)]
    (finding,) = engines.one_job_a_query(arrivals(*queries, job("nightly")))
    assert finding.what.startswith("one job per query: 12 jobs of demo ran once each")
    again = [job(f"load_2026_{n}", runs=2) for n in range(12)]
    others = [job(name, runs=1) for name in "abcdefghijkl"]
    assert list(engines.one_job_a_query(arrivals(*again, *others, *queries[:9]))) == []


def test_an_engine_that_shares_no_dataset_is_an_island() -> None:
    shared = [
        job("dbt", "postgres://db:5432 raw", "postgres://db:5432 t", "DBT"),
        job("airflow", "postgres://db:5432 t", "", "AIRFLOW"),
    ]
    alone = job("check", f"{POSTGRES} public.t", "", "")
    event = {**factory.run_event(job="check"), "producer": "https://x/great_expectations"}
    (finding,) = engines.island_engines(arrivals(*shared, alone, events=[event]))
    assert finding.what == "islands, engines whose datasets no other engine uses: expectations"
    assert list(engines.island_engines(arrivals(*shared))) == []
    assert list(engines.island_engines(arrivals(shared[0]))) == []


def test_refusals_are_told_by_producer_with_a_remedy() -> None:
    entries = [
        {"producer": "flink", "key": "etl", "status": 400, "path": "job.name", "count": 12, "lastAt": "NOW"},
        {"producer": None, "key": None, "status": 401, "path": None, "count": 1, "lastAt": "NOW"},
    ]
    body = json.dumps({"refusals": entries, "setAside": []}).encode()
    with serving(Upstream(status=200, body=body)) as upstream:
        found = list(engines.refusals(Api(upstream.url, "key")))
    assert what(found) == [
        "refused in the last week: flink, with the key etl, 12 times 400 for job.name, last at NOW",
        "refused in the last week: an unknown producer, without a valid key, once 401, last at NOW",
    ]
    assert "or of the secret of a stack" in found[1].fix
    with serving(Upstream(status=404, body=b"{}")) as earlier:
        assert list(engines.refusals(Api(earlier.url, "key"))) == []


@contextmanager
def open_server(folder: Path) -> Iterator[Api]:
    with ServeProcess(folder / "lineage.db", "--open") as server:
        yield Api(server.url, "")


def test_on_real_events_the_doctor_tells_engines_and_takes_the_canary_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_server(tmp_path) as client:
        for event in [*recorded("great-expectations", "passed"), *recorded("airflow", "sql")]:
            assert client.post(event).status == 201
        assert client.post({"producer": "https://x/integration/flink", "eventType": "START"}).status == 400
        assert main(["--url", client.url]) == 0
        assert "refused in the last week: flink, with the key open, once 400" in capsys.readouterr().out
        assert "canary" not in str([client.get("jobs").body, client.get("search", q="canary").body])
        namespaces = {each["name"]: each["isHidden"] for each in client.get("namespaces").body["namespaces"]}
        assert namespaces["headwater-doctor"] is True


def test_the_doctor_knows_the_words_of_all_engines() -> None:
    """It knows a server by its API alone, so it has the words once more."""
    assert {*engines.TOOLS, "headwater"} == {producer.tool or producer.name for producer in PRODUCERS}
