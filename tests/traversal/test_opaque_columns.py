"""Columns that Python makes, by the events of a real job with the jar beside Spark's listener."""

from typing import Any

import pytest

from headwater.lookup.text import columns as columns_text
from headwater.lookup.text.display import Display
from headwater.store.memory import MemoryTable
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded_program

LAKE = "file:/srv/lake"


@pytest.fixture(scope="module")
def table() -> MemoryTable:
    return table_after(*recorded_program("beside"))


@pytest.fixture
def get(table: MemoryTable) -> LookupClient:
    return LookupClient(table)


def sources(get: LookupClient, column: str) -> set[str]:
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}/{column}", depth=1)
    return {each["field"] for node in answer["graph"] for each in node["data"]["inputFields"]}


def unknown(get: LookupClient, name: str) -> dict[str, list[str]]:
    """The candidates of each column of a table whose origin is unknown."""
    answer = get("column-lineage", nodeId=f"dataset:{LAKE}/{name}", depth=1)
    return {field: origin.get("candidates", []) for origin in answer.get("unknown", []) for field in origin["fields"]}


def at_risk(get: LookupClient, column: str) -> dict[str, Any]:
    groups = get("impact", nodeId=f"datasetField:{LAKE}/{column}", depth=1)["owners"]
    nodes = [item for group in groups for item in group["items"] if item["type"] != "JOB"]
    return {item["nodeId"].rpartition("/")[2]: (item["by"], item["possible"]) for item in nodes}


@pytest.mark.parametrize("column", ["udf:d", "udf:t", "udf:dt", "agg:tot"])
def test_the_column_of_a_function_is_made_of_its_arguments(get: LookupClient, column: str) -> None:
    assert sources(get, column) == {"cost"}


def test_constants_and_generated_values_are_not_of_unknown_origin(get: LookupClient) -> None:
    assert unknown(get, "udf") == unknown(get, "agg") == {}
    assert not sources(get, "udf:one") | sources(get, "udf:r") | sources(get, "udf:today") | sources(get, "agg:n")


def test_what_a_function_of_frames_makes_has_candidates_and_no_source(get: LookupClient) -> None:
    every = ["cost", "id", "k", "name"]
    assert unknown(get, "mapin") == {"id": every, "cost": every, "c2": every}
    assert not sources(get, "mapin:id")


def test_beside_a_candidate_a_certain_source_stays(get: LookupClient) -> None:
    every = ["cost", "id", "k", "name"]
    assert unknown(get, "joined") == {"id": every, "mix": every}
    assert (sources(get, "joined:mix"), sources(get, "joined:name")) == ({"k"}, {"name"})


def test_a_round_trip_through_an_rdd_may_be_made_of_anything(get: LookupClient) -> None:
    assert unknown(get, "rdd") == {"id": [], "cost": [], "name": [], "k": []}


def test_a_change_may_break_what_python_makes_of_it_and_no_constant(get: LookupClient) -> None:
    found = at_risk(get, "in:cost")
    assert {name: found[name] for name in ("udf:d", "udf:dt", "agg:tot")} == {
        "udf:d": ("column", False),
        "udf:dt": ("column", False),
        "agg:tot": ("column", False),
    }
    assert {found[name] for name in ("mapin:id", "mapin:c2", "joined:mix", "rdd:k")} == {("unknown", True)}
    assert not {"udf:one", "udf:r", "udf:id", "agg:n", "agg:k", "joined:name"} & found.keys()


def test_a_table_that_only_opaque_code_makes_may_use_a_column_to_filter(get: LookupClient) -> None:
    """The listener sends no column lineage for it, so neither filters."""
    assert at_risk(get, "in:name")["mapin"] == ("unknown", True)


def test_a_walk_downstream_names_what_it_cannot_see(get: LookupClient) -> None:
    answer = get("column-lineage", nodeId=f"datasetField:{LAKE}/in:cost", direction="downstream")
    unseen = {each["kind"]: each["count"] for each in answer["frontier"]["unseen"]}
    assert unseen["COLUMNS_OF_UNKNOWN_ORIGIN"] == 3 + 2 + 4  # of mapin, joined and rdd


def test_the_text_names_the_candidates(get: LookupClient) -> None:
    asked = {"nodeId": f"dataset:{LAKE}/mapin", **get("column-lineage", nodeId=f"dataset:{LAKE}/mapin")}
    shown = columns_text.render(asked, Display(120))
    assert "they may be made of any column that the job reads, or of those named\n" in shown
    assert "lake_mapin, of cost, id, k, name of in: mapin.id, mapin.cost,\n" in shown


def test_the_origins_hold_in_any_order_of_the_events() -> None:
    events = recorded_program("beside")
    one, other = LookupClient(table_after(*events)), LookupClient(table_after(*reversed(events)))
    node = f"dataset:{LAKE}/joined"
    assert one("column-lineage", nodeId=node) == other("column-lineage", nodeId=node)


def test_a_run_has_what_its_tasks_took(get: LookupClient) -> None:
    (job,) = [job for job in get("jobs")["jobs"] if job["name"].endswith("lake_agg")]
    runtime = get(f"jobs/runs/{job['latestRun']['id']}")["runtime"]
    assert (runtime["tasks"], runtime["failedTasks"], runtime["bytesShuffled"] > 0) == (3, 0, True)
    assert sum(stage["tasks"] for stage in runtime["stages"]) == 3
    assert all(stage["medianSeconds"] <= stage["maxSeconds"] for stage in runtime["stages"])
