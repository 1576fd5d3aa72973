"""GET /impact of a column: column lineage decides which columns, datasets and jobs are at risk."""

import pytest

from headwater.graph.names.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.traversal.impact import impact
from headwater.traversal.impacted_node import Granularity
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE
from tests.traversal.impact import (
    after,
    column,
    column_lineage,
    distances,
    items,
    owned_by,
    path,
    ran,
    reader_after,
    short_id,
)


def test_a_column_puts_at_risk_the_columns_made_of_it_with_all_transformations_on_the_way() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > key", "raw.other > other")),
        ran("report", "clean", "daily", run=2, columnLineage=column_lineage("clean.key > id", "clean.other > x")),
    )
    answer = get(column("raw.id"))
    assert distances(answer) == {"job:load": 1, "clean:key": 1, "job:report": 2, "daily:id": 2}
    assert path(answer, "daily:id") == ["raw:id", "job:load", "clean:key", "job:report", "daily:id"]
    at_risk = items(answer)["daily:id"]
    assert [step["subtype"] for step in at_risk["transformations"]] == ["IDENTITY", "IDENTITY"]
    assert {(item["by"], item["indirect"]) for item in items(answer).values()} == {("column", False)}
    assert (answer["nodeId"], at_risk["type"]) == (column("raw.id"), "DATASET_FIELD")


def test_two_columns_of_a_table_go_their_own_ways() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > a", "raw.id > b")),
        ran("report", "clean", "daily", run=2, columnLineage=column_lineage("clean.a > x", "clean.b > y")),
    )
    answer = get(column("raw.id"))
    assert path(answer, "daily:x")[2] == "clean:a"
    assert path(answer, "daily:y")[2] == "clean:b"


def test_a_filter_puts_the_whole_dataset_at_risk_and_the_columns_made_of_any_of_its_columns() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id", whole="raw.state")),
        ran("report", "clean", "daily", run=2, columnLineage=column_lineage("clean.id > id", "other.x > x")),
    )
    answer = get(column("raw.state"))
    marked = {name: (item["by"], item["indirect"], item["distance"]) for name, item in items(answer).items()}
    assert marked == {
        "job:load": ("column", False, 1),
        "clean": ("column", True, 1),
        "job:report": ("column", True, 2),
        "daily:id": ("column", True, 2),
    }
    assert [step["subtype"] for step in items(answer)["daily:id"]["transformations"]] == ["FILTER", "IDENTITY"]


def test_what_a_column_flows_into_by_its_values_is_not_called_indirect_for_a_filter_on_the_same_way() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id", whole="raw.id")),
        ran("report", "clean", "daily", run=2, columnLineage=column_lineage("clean.id > id", "clean.x > x")),
    )
    assert {name for name, item in items(get(column("raw.id"))).items() if item["indirect"]} == {"clean", "daily:x"}


@pytest.mark.parametrize("jobs", [("one", "other"), ("other", "one")])
def test_of_two_ways_of_one_length_the_surer_counts(jobs: tuple[str, str]) -> None:
    get = after(
        ran("load", "raw", "copied", run=1, columnLineage=column_lineage("raw.id > id")),
        ran("filter", "raw", "filtered", run=2, columnLineage=column_lineage("raw.x > x", whole="raw.id")),
        ran(jobs[0], "copied", "out", run=3, columnLineage=column_lineage("copied.id > id")),
        ran(jobs[1], "filtered", "out", run=4, columnLineage=column_lineage("filtered.x > id")),
    )
    answer = get(column("raw.id"))
    assert items(answer)["out:id"]["indirect"] is False
    assert path(answer, "out:id") == ["raw:id", "job:load", "copied:id", f"job:{jobs[0]}", "out:id"]


def test_a_count_of_a_filtered_table_uses_no_column_and_is_at_risk_all_the_same() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage(whole="raw.state")),
        ran("count", "clean other", "total", run=2, columnLineage=column_lineage("other.x > x")),
    )
    assert items(get(column("raw.state")))["total"]["by"] == "dataset"


def test_without_column_lineage_the_whole_output_is_at_risk_by_dataset() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id")),
        ran("report", "clean", "daily", run=2),
        ran("publish", "daily", "board", run=3, columnLineage=column_lineage("daily.sum > sum")),
        ran("dashboard", "clean", run=4),
    )
    at_risk = {name: (item["by"], item["distance"]) for name, item in items(get(column("raw.id"))).items()}
    assert at_risk == {
        "job:load": ("column", 1),
        "clean:id": ("column", 1),
        "job:report": ("dataset", 2),
        "daily": ("dataset", 2),
        "job:dashboard": ("dataset", 2),
        "job:publish": ("dataset", 3),
        "board:sum": ("dataset", 3),
    }


def test_a_job_with_column_lineage_is_not_at_risk_by_an_unused_column() -> None:
    get = after(ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id", "raw.x > x")))
    assert distances(get(column("raw.x"))) == {"job:load": 1, "clean:x": 1}
    said_nothing = after(
        ran(
            "load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id"), schema=factory.schema("id:int")
        ),
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int", "unused:int"))),
    )
    answer = said_nothing(column("raw.unused"))
    assert answer.pop("frontier")["unseen"] == []
    assert answer.pop("breaks")["sentence"] == ""
    assert answer == {"nodeId": column("raw.unused"), "totalCount": 0, "owners": []}


def test_an_output_whose_columns_are_all_of_another_table_is_not_at_risk_by_a_column() -> None:
    get = after(
        ran("load", "raw other", "clean", run=1, columnLineage=column_lineage("other.id > id")),
        ran("copy", "raw", "copied", run=2, columnLineage=column_lineage("raw.id > id")),
    )
    assert distances(get(column("raw.id"))) == {"job:copy": 1, "copied:id": 1}


def test_column_lineage_of_a_dataset_event_counts_if_the_job_has_none() -> None:
    described = factory.dataset("clean", columnLineage=column_lineage("raw.id > key"))
    get = after(
        ran("load", "raw", "clean", run=1),
        factory.dataset_event(described, seconds=100),
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int"))),
    )
    assert distances(get(column("raw.id"))) == {"job:load": 1, "clean:key": 1}
    assert distances(get(column("raw.id"), asOf=factory.at(50))) == {"job:load": 1, "clean": 1}


def test_an_empty_word_on_columns_is_none() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=factory.facet(fields={})),
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int"))),
    )
    assert items(get(column("raw.id")))["clean"]["by"] == "dataset"


def test_column_lineage_stays_when_the_job_writes_another_table_next() -> None:
    get = after(
        ran("load", "raw", "one", run=1, columnLineage=column_lineage("raw.id > id")),
        ran("load", "raw", "two", run=2, seconds=60, columnLineage=column_lineage("raw.id > id")),
    )
    assert set(distances(get(column("raw.id")))) == {"job:load", "one:id", "two:id"}


def test_a_column_has_the_owners_of_its_dataset() -> None:
    lineage = column_lineage("raw.id > id")
    get = after(ran("load", "raw", "clean", run=1, columnLineage=lineage, ownership=owned_by("team-a")))
    assert [group["owner"] for group in get(column("raw.id"))["owners"]] == ["team-a", None]


def test_a_view_that_tells_of_its_columns_is_at_risk_by_those() -> None:
    source = {"namespace": LAKE, "name": "clean", "type": "DATASET", "field": "id"}
    entry = {**factory.made_of("view", "clean"), "fields": {"key": {"inputs": [source]}}}
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id")),
        factory.dataset_event(factory.dataset("view", lineage=factory.facet(**entry))),
    )
    answer = get(column("raw.id"))
    assert path(answer, "view:key") == ["raw:id", "job:load", "clean:id", "view:key"]
    assert items(answer)["view:key"]["by"] == "column"


PATH = factory.dataset("wh/orders", symlinks=factory.symlinks("sales.orders", namespace="hive://h:9083"))
TABLE = factory.dataset("sales.orders", "hive://h:9083")
BY_TABLE = {"namespace": "hive://h:9083", "name": "sales.orders", "field": "id"}


@pytest.mark.parametrize("read_as", [PATH, TABLE])
def test_a_dataset_is_one_by_all_its_names_whichever_the_column_lineage_uses(read_as: Document) -> None:
    lineage = factory.facet(fields={"id": {"inputFields": [BY_TABLE]}})
    get = after(
        factory.run_event("COMPLETE", job="load", run=1, outputs=[PATH]),
        factory.run_event(
            "COMPLETE", job="report", run=2, inputs=[read_as], outputs=[factory.dataset("daily", columnLineage=lineage)]
        ),
    )
    answer = get(f"datasetField:{LAKE}:wh/orders:id")
    assert distances(answer) == {"job:report": 1, "daily:id": 1}
    if read_as is TABLE:  # else that name is none that anybody sent
        assert get(f"datasetField:{BY_TABLE['namespace']}:{BY_TABLE['name']}:id") == answer


def test_a_column_removed_from_the_schema_still_has_its_consumers() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, columnLineage=column_lineage("raw.gone > gone")),
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int"))),
    )
    assert set(distances(get(column("raw.gone")))) == {"job:load", "clean:gone"}


def test_alerts_ask_for_several_columns_at_once() -> None:
    lineage = column_lineage("raw.a > a", "raw.b > b", "raw.c > c")
    reader = reader_after(ran("load", "raw", "clean", run=1, columnLineage=lineage, owner="team-a"))
    result = impact(reader, dataset_id(Name(LAKE, "raw")), ["a", "c"])
    assert [(short_id(node.node_id), node.granularity, node.owners) for node in result.at_risk] == [
        ("clean:a", Granularity.COLUMN, ("team-a",)),
        ("clean:c", Granularity.COLUMN, ("team-a",)),
        ("job:load", Granularity.COLUMN, ("team-a",)),
    ]
