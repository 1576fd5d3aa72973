"""What a change may break: a producer leaves open what some columns are made of, or which columns its filters use."""

from typing import Any
from urllib.parse import quote

import pytest

from headwater.lookup.text import columns as columns_text
from headwater.lookup.text import impact as impact_text
from headwater.lookup.text.display import Display
from tests import factory
from tests.lookup.requests import LookupClient, table_after
from tests.producer_records import recorded
from tests.traversal.impact import Get, after, column, column_lineage, distances, items, path, ran, table

SPARK = ("customers", "scores", "segments", "copies", "look")
DBT = "duckdb:///srv/shop/shop.duckdb"


def spark() -> Get:
    return after(*(event for scenario in SPARK for event in recorded("spark", scenario)))


def at_risk(answer: Any) -> dict[str, tuple[str, bool]]:
    """How the risk of each node is known, and whether it is possible alone; nodes by the end of their names."""
    nodes = [item for group in answer["owners"] for item in group["items"]]
    return {short(item["nodeId"]): (item["by"], item["possible"]) for item in nodes}


def short(node: str) -> str:
    kind, _, name = node.partition(":")
    return name.partition(":")[2].partition(".")[0] if kind == "job" else node.rpartition("/")[2]


def test_of_a_column_that_python_makes_the_job_and_the_column_may_break() -> None:
    answer = spark()("datasetField:file:/srv/lake/customers:country")
    assert at_risk(answer) == {
        "copies:country": ("column", False),
        "lake_copies": ("column", False),
        "scores:segment": ("unknown", True),
        "scores:version": ("unknown", True),
        "lake_scores": ("unknown", True),
        "lake_look": ("dataset", True),
        "segments": ("unknown", True),
        "segments:segment": ("unknown", True),
        "lake_segments": ("unknown", True),
    }
    assert (answer["totalCount"], answer["possibleCount"]) == (9, 7)


def test_what_certainly_breaks_comes_first() -> None:
    (group,) = spark()("datasetField:file:/srv/lake/customers:country")["owners"]
    order = [(item["possible"], item["distance"]) for item in group["items"]]
    assert order == sorted(order)


def test_the_queries_of_spark_that_read_a_schema_are_no_jobs_that_break() -> None:
    for node in ("dataset:file:/srv/lake/customers", "dataset:file:/srv/lake/raw/customers.csv"):
        items_of = [item for group in spark()(node)["owners"] for item in group["items"]]
        jobs = [item["nodeId"] for item in items_of if item["type"] == "JOB"]
        assert not [job for job in jobs if "map_partitions" in job or "lake_customers.collect" in job]
    assert "lake_look" in at_risk(spark()("dataset:file:/srv/lake/customers"))


def test_what_a_changed_table_is_read_for_is_certain() -> None:
    answer = spark()("dataset:file:/srv/lake/customers")
    assert {possible for _, possible in at_risk(answer).values()} == {False}
    assert "possibleCount" not in answer


def test_a_join_key_of_dbt_may_be_used_by_the_model_that_joins() -> None:
    get = LookupClient(table_after(*recorded("dbt", "run_with_catalog")))
    node = f"datasetField:{DBT}:shop.main.stg_customers:customer_id"
    answer = get("impact", nodeId=node)
    found = {
        item["nodeId"]: (item["by"], item["indirect"], item["possible"])
        for group in answer["owners"]
        for item in group["items"]
    }
    assert found[f"dataset:{DBT}:shop.main.paid_orders"] == ("unknown", True, True)
    model = next(node for node in found if node.startswith("job:") and node.endswith("model.shop.paid_orders"))
    assert found[model] == ("unknown", False, True)


def test_what_a_job_is_known_to_use_a_column_for_is_certain_whatever_its_filters_are() -> None:
    made = ran("model", "raw", "clean", run=1, columnLineage=column_lineage("raw.id > id"))
    made["job"]["facets"] = {"jobType": factory.facet(integration="DBT", jobType="MODEL", processingType="BATCH")}
    answer = after(made)(column("raw.id"))
    assert distances(answer) == {"job:model": 1, "clean:id": 1}
    assert "possibleCount" not in answer


def scored(lineage: factory.Document, *columns: str, run: int = 1) -> factory.Document:
    return ran("score", "raw", "scores", run=run, columnLineage=lineage, schema=factory.schema(*columns))


def test_a_column_that_is_told_to_be_made_of_nothing_is_not_at_risk() -> None:
    """Trino names a constant column without inputs."""
    lineage = column_lineage("raw.id > id")
    lineage["fields"]["version"] = {"inputFields": []}
    get = after(
        scored(lineage, "id:int", "version:int"),
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("x:int"))),
    )
    assert distances(get(column("raw.x"))) == {}


def test_the_schema_of_another_writer_says_nothing_of_what_a_job_wrote() -> None:
    get = after(
        scored(column_lineage("raw.id > id"), "id:int", "segment:string"),
        ran("other", "else", "scores", run=2, seconds=60, schema=factory.schema("id:int", "more:int")),
    )
    assert set(distances(get(column("raw.id")))) == {"job:score", "scores:id", "scores:segment"}


def test_as_of_an_earlier_time_the_columns_of_then_count() -> None:
    later = scored(column_lineage("raw.id > id"), "id:int", run=2) | {"eventTime": factory.at(600)}
    get = after(scored(column_lineage("raw.id > id"), "id:int", "segment:string"), later)
    assert "scores:segment" not in distances(get(column("raw.id")))
    assert items(get(column("raw.id"), asOf=factory.at(60)))["scores:segment"]["by"] == "unknown"


def test_a_certain_way_counts_even_if_a_possible_way_is_shorter() -> None:
    facets: dict[str, Any] = {"columnLineage": column_lineage("raw.x > x"), "schema": factory.schema("x:int", "id:int")}
    get = after(
        ran("score", "raw", "scores", run=1, **facets),
        ran("load", "raw", "clean", run=2, columnLineage=column_lineage("raw.id > id")),
        ran("enrich", "clean", "scores", run=3, columnLineage=column_lineage("clean.id > id")),
    )
    found = items(get(column("raw.id")))["scores:id"]
    assert (found["possible"], found["distance"], found["by"]) == (False, 2, "column")


@pytest.mark.parametrize("aggregate", ["count(id)", "max(id)", "min(id)"])
def test_the_way_begins_at_the_column_and_not_at_an_aggregate_of_it(aggregate: str) -> None:
    """Spark pushes aggregates down into a scan, and names the aggregate as if it were a column of the table."""
    lineage = column_lineage("raw.x > n")
    lineage["fields"]["n"]["inputFields"][0]["field"] = aggregate
    get = after(ran("count", "raw", "totals", run=1, columnLineage=lineage))
    assert path(get(column("raw.id")), "totals:n") == ["raw:id", "job:count", "totals:n"]
    assert quote(aggregate) not in str(get(column("raw.id")))


def test_column_lineage_says_that_the_origin_of_a_column_is_unknown_and_which_job_writes_it() -> None:
    get = LookupClient(table_after(*(event for scenario in SPARK for event in recorded("spark", scenario))))
    for node in ("datasetField:file:/srv/lake/scores:segment", "datasetField:file:/srv/lake/segments:segment"):
        (unknown,) = get("column-lineage", nodeId=node)["unknown"]
        assert (unknown["dataset"], unknown["fields"]) == ("/srv/lake/scores", ["segment"])
        assert unknown["job"]["name"].startswith("lake_scores.")
        assert unknown["inputs"] == [{"namespace": "file", "dataset": "/srv/lake/customers"}]
    (of_table,) = get("column-lineage", nodeId="dataset:file:/srv/lake/scores")["unknown"]
    assert of_table["fields"] == ["segment", "version"]
    assert "unknown" not in get("column-lineage", nodeId="datasetField:file:/srv/lake/scores:id")


def test_the_terminal_tells_what_may_break_and_what_has_an_unknown_origin() -> None:
    client = LookupClient(table_after(*(event for scenario in SPARK for event in recorded("spark", scenario))))
    text = impact_text.render(client("impact", nodeId="datasetField:file:/srv/lake/customers:country"), Display(120))
    assert text.startswith(
        "what a change of customers.country would break: 1 column, 1 job; may break 3 columns, 1 dataset, 3 jobs\n"
    )
    assert text.index("copies.country") < text.index("may break:\n") < text.index("scores.segment  origin unknown")
    node = "datasetField:file:/srv/lake/scores:segment"
    lines = columns_text.render({"nodeId": node, **client("column-lineage", nodeId=node)}, Display(200)).splitlines()
    assert lines[-3].endswith(", of customers: scores.segment")
    assert lines[-1].endswith("not seen: 1 column of unknown origin (scores.segment).")


FARES = ran(
    "fares",
    "trips",
    "rides",
    run=1,
    columnLineage=column_lineage("trips.minutes > fare_per_min", "trips.minutes > minutes", "trips.city > city"),
    schema=factory.schema("fare_per_min:double", "minutes:int", "city:string"),
)
PRICES = ran(
    "prices",
    "rides",
    "prices",
    run=2,
    columnLineage=column_lineage("rides.minutes > length"),
    schema=factory.schema("length:int", "surcharge:double"),
)


def test_what_may_be_made_of_any_column_of_a_table_comes_by_the_table_and_by_no_column() -> None:
    get = after(FARES, PRICES)
    assert path(get(column("trips.minutes")), "prices:surcharge") == [
        "trips:minutes",
        "job:fares",
        "rides",
        "job:prices",
        "prices:surcharge",
    ]
    assert path(get(column("trips.minutes")), "prices:length")[2] == "rides:minutes"


def test_of_one_changed_column_the_way_goes_through_it() -> None:
    assert path(after(FARES, PRICES)(column("trips.city")), "prices:surcharge")[2] == "rides:city"


def test_a_reader_without_column_lineage_is_reached_by_the_table_too() -> None:
    get = after(FARES, ran("copy", "rides", "copies", run=3))
    assert path(get(column("trips.minutes")), "copies") == ["trips:minutes", "job:fares", "rides", "job:copy", "copies"]
    assert "transformations" not in items(get(column("trips.minutes")))["copies"]


@pytest.mark.parametrize("guess", ["any", "other", "some"])
def test_a_known_flow_of_what_may_break_counts_before_another_open_step(guess: str) -> None:
    """`board.surcharge` is a copy of `prices.surcharge`; a job may make it of any column, at the same distance."""
    get = after(
        FARES,
        PRICES,
        ran(guess, "prices", "board", run=3, columnLineage=column_lineage("prices.length > x"), schema=BOARD),
        ran("known", "prices", "board", run=4, columnLineage=column_lineage("prices.surcharge > surcharge")),
    )
    way = path(get(column("trips.minutes")), "board:surcharge")
    assert way[-3:] == ["prices:surcharge", "job:known", "board:surcharge"]


BOARD = factory.schema("x:int", "surcharge:double")


def test_one_sum_of_what_breaks_has_all_nodes_of_all_pages() -> None:
    get = after(FARES, PRICES)
    assert get(column("trips.minutes"), limit=1)["breaks"] == {
        "columns": 4,
        "datasets": 0,
        "jobs": 2,
        "possible": {"columns": 1, "datasets": 0, "jobs": 0},
        "by": "unknown",
        "sentence": "It breaks 3 columns, 2 jobs, and may break 1 column.",
    }
    assert get(table("trips"))["breaks"]["sentence"] == "By table lineage, it may break 2 datasets, 2 jobs."
    assert get(column("rides.city"), depth=0)["breaks"]["sentence"] == ""


def test_what_only_may_be_made_of_a_dataset_may_break() -> None:
    """A pipeline was saved of which nobody knows what it was fitted on."""

    def saved(*, candidates: bool, run: int, read: str = "features", written: str = "model") -> factory.Document:
        return factory.run_event(
            "COMPLETE",
            job="train.model",
            run=run,
            seconds=run,
            inputs=[factory.dataset(read)],
            outputs=[factory.dataset(written)] if written else [],
            run_facets={"headwater_inputs": factory.facet(areCandidates=candidates)},
        )

    doubtful = saved(candidates=True, run=1)
    assert at_risk(after(doubtful)(table("features"))) == {"lake:model": ("unknown", True), "train": ("unknown", True)}
    (edge,) = (
        edge
        for node in LookupClient(table_after(doubtful))("lineage", nodeId=table("features"))["graph"]
        for edge in node["outEdges"]
        if edge["origin"] == table("features")
    )
    assert edge == {"origin": table("features"), "destination": "job:demo:train.model", "candidate": True}
    assert at_risk(after(saved(candidates=True, run=1, written=""))(table("features"))) == {"train": ("unknown", True)}
    assert "FILTERS" not in str(after(doubtful)(table("features")))
    known = after(doubtful, saved(candidates=False, run=2))(table("features"))
    assert at_risk(known) == {"lake:model": ("dataset", False), "train": ("dataset", False)}

    # at the time of run 1 it was in doubt
    later = LookupClient(table_after(doubtful, saved(candidates=False, run=2)))
    then = {"asOf": factory.at(1)}
    of_past = later("lineage", nodeId=table("features"), **then)["graph"]
    into_job = [edge for node in of_past for edge in node["inEdges"] if edge["destination"].startswith("job:")]
    assert [edge.get("candidate") for edge in into_job] == [True]
    assert later("impact", nodeId=table("features"), **then)["breaks"]["possible"]["datasets"] == 1
    assert "candidateEdges" not in later("rootcause", nodeId=table("model"))
    assert later("rootcause", nodeId=table("model"), **then)["candidateEdges"] == [
        {"origin": table("features"), "destination": "job:demo:train.model"}
    ]

    # at that of a certain run since it is not, nor is an alert of that time
    since = {"asOf": factory.at(2)}
    assert later("impact", nodeId=table("features"), **since)["breaks"]["possible"]["datasets"] == 0
    assert "candidateEdges" not in later("rootcause", nodeId=table("model"), **since)

    for doubted in (1, 2):
        two = [saved(candidates=run == doubted, run=run, read=f"r{run}", written=f"m{run}") for run in (1, 2)]
        for event in two:
            event["run"]["facets"]["parent"] = factory.parent(9, "app")
        for name in ("r1", "r2"):
            found = at_risk(after(*two)(table(name)))
            assert {is_possible for _, is_possible in found.values()} == {True}, "both models are of one run of `app`"
