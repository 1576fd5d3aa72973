"""Of the recorded events of a producer comes the graph that a person would draw, in any order, doubled or not."""

import re
from collections.abc import Sequence
from urllib.parse import quote

import pytest

from headwater.openlineage.nameless import with_named_datasets
from tests.factory import Document
from tests.lookup.producer_graphs import GRAPHS
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded, scenarios

SCENARIOS = [(engine, scenario) for engine, graphs in GRAPHS.items() for scenario in graphs]
FINGERPRINT = re.compile(r" [0-9a-f]{8}$")
SCHEMA = re.compile(r"^(shop\.(main|public)|ward\.main|ward|port\.main)\.")


def jobs_after(events: Sequence[Document]) -> dict[str, str]:
    """The jobs of the graph, as producer_graphs.py writes them, without the SQL statements of a dbt model."""
    get = LookupClient(table_after(*(with_named_datasets(event).document for event in events)))
    jobs: dict[str, str] = {}
    for namespace in get("namespaces")["namespaces"]:
        for job in get(f"namespaces/{quote(namespace['name'], safe='')}/jobs", limit=1000)["jobs"]:
            names = (" ".join(sorted(short(used["name"]) for used in job[side])) for side in ("inputs", "outputs"))
            text = " ".join(f"{job['latestRun']['state']}, {' -> '.join(names)}".split())
            if ".sql." not in job["name"]:
                jobs[FINGERPRINT.sub("", job["name"])] = text
    return jobs


def short(table: str) -> str:
    return SCHEMA.sub("", table)


@pytest.mark.parametrize(("engine", "scenario"), SCENARIOS)
def test_the_graph_is_what_a_person_would_draw(engine: str, scenario: str) -> None:
    assert jobs_after(recorded(engine, scenario)) == GRAPHS[engine][scenario]


@pytest.mark.parametrize(("engine", "scenario"), [(engine, each) for engine in GRAPHS for each in scenarios(engine)])
def test_the_graph_is_the_same_in_reverse_and_doubled(engine: str, scenario: str) -> None:
    events = recorded(engine, scenario)
    drawn = jobs_after(events)
    assert jobs_after(events[::-1]) == drawn
    assert jobs_after([event for event in events for _ in range(2)]) == drawn


def test_three_runs_of_a_statement_of_trino_are_three_runs_of_one_job() -> None:
    get = LookupClient(table_after(*recorded("trino", "same_insert_three_times")))
    (job,) = get("namespaces/trino.shop/jobs")["jobs"]
    runs = get(f"namespaces/trino.shop/jobs/{quote(job['name'])}/runs")["runs"]
    assert [run["state"] for run in runs] == ["COMPLETED"] * 3


def test_both_halves_of_flinks_events_meet_in_one_path() -> None:
    parts = ("sql_datagen_to_kafka", "datastream_kafka_to_kafka", "sql_kafka_to_filesystem")
    drawn = jobs_after([event for part in parts for event in recorded("flink", part)])
    assert drawn == {name: text for part in parts for name, text in GRAPHS["flink"][part].items()}


def test_the_id_of_a_query_finds_its_run() -> None:
    get = LookupClient(table_after(*recorded("trino", "insert")))
    (found,) = get("search", q="20261122_193925_00007_e2k6e")["results"]
    assert (found["runId"], found["matchedIn"]) == ("3ff6a6ea-633e-3349-8d93-1d970da122b3", ["externalQuery"])
    assert found["name"].startswith("insert memory.shop.revenue")
    assert get(f"jobs/runs/{found['runId']}")["query"] == {"id": "20261122_193925_00007_e2k6e", "source": "trino"}
    assert get("search", q="20261122_193925_00007_e2k6f")["results"] == []


def test_the_tags_and_meta_of_a_model_of_dbt_are_tags_of_its_runs_and_find_it() -> None:
    get = LookupClient(table_after(*recorded("dbt", "build")))
    (tag,) = [found for found in get("search/groups", q="finance")["results"] if found["type"] == "TAG"]
    assert tag["name"] == "owner=finance"
    (job, *_) = get("jobs", tag="owner=finance")["jobs"]
    assert job["latestRun"]["tagSources"]["owner=finance"] == "DBT_META"
    assert {node["name"] for node in tag["nodes"]} == {
        each["name"] for each in get("jobs", tag="owner=finance")["jobs"]
    }
    assert get("jobs", tag="owner=nobody")["jobs"] == []
    assert get("search", q="openlineage_client_version")["results"] == []
