"""The broken nodes in an alert, with owners: columns if known, else datasets; the certain first, then the nearest."""

from typing import Any

import pytest

from tests import factory
from tests.alerts.stream import URL, World
from tests.factory import Document

LAKE = "s3://lake"
BEFORE = factory.schema("id:long", "amount:double", "note:string")
AFTER = factory.schema("id:long", "note:string")


def owned(*names: str) -> Document:
    return factory.facet(owners=[{"name": name, "type": "OWNER"} for name in names])


def run(number: int, job: str, inputs: list[Document], outputs: list[Document], **more: Any) -> Document:
    return factory.run_event("COMPLETE", run=number, seconds=number, job=job, inputs=inputs, outputs=outputs, **more)


def pipeline() -> list[Document]:
    """raw -> clean -> revenue by columns; raw -> copy by datasets alone."""
    clean = factory.dataset(
        "clean",
        schema=factory.schema("id:long", "total:double"),
        columnLineage=factory.columns(total=(LAKE, "raw", "amount"), id=(LAKE, "raw", "id")),
    )
    revenue = factory.dataset(
        "revenue", columnLineage=factory.columns(sum=(LAKE, "clean", "total")), ownership=owned("team:finance")
    )
    raw = factory.dataset("raw", schema=BEFORE)
    return [
        run(1, "ingest", [], [raw]),
        run(2, "clean", [raw], [clean]),
        run(3, "report", [factory.dataset("clean")], [revenue]),
        run(4, "copy", [factory.dataset("raw")], [factory.dataset("copy", ownership=owned("team:ops"))]),
    ]


def drift(schema: Document = AFTER) -> Document:
    return run(5, "ingest", [], [factory.dataset("raw", schema=schema)])


def alert_of(*documents: Document) -> dict[str, Any]:
    (detail,) = World().alerts_one_by_one([*pipeline(), *documents])
    return detail


def broken(detail: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [(item["nodeId"], item["distance"], item["by"]) for item in detail["breaks"]["items"]]


def test_columns_made_of_a_removed_column_break_the_nearest_first_and_what_may_use_it_comes_last() -> None:
    assert broken(alert_of(drift())) == [
        ("datasetField:s3://lake:clean:total", 1, "column"),
        ("job:demo:clean", 1, "column"),
        ("datasetField:s3://lake:revenue:sum", 2, "column"),
        ("job:demo:report", 2, "column"),
        ("dataset:s3://lake:copy", 1, "dataset"),
        ("job:demo:copy", 1, "dataset"),
    ]


def test_what_breaks_and_what_may_break_are_counted_apart() -> None:
    detail = alert_of(drift())
    assert [line for line in detail["lines"] if "break" in line] == [
        "The change breaks 2 columns, 2 jobs downstream.",
        "The change may break 1 dataset, 1 job downstream, by table lineage.",
    ]
    assert {key: detail["breaks"][key] for key in ("columns", "datasets", "jobs", "possible")} == {
        "columns": 2,
        "datasets": 1,
        "jobs": 3,
        "possible": {"columns": 0, "datasets": 1, "jobs": 1},
    }


def test_that_some_of_it_is_known_by_datasets_alone_is_said() -> None:
    detail = alert_of(drift())
    assert detail["breaks"]["by"] == "dataset"
    assert any(", by table lineage." in line for line in detail["lines"])


def test_owners_downstream_are_named() -> None:
    detail = alert_of(drift())
    assert detail["owners"] == ["team:finance", "team:ops"]
    assert {"owner:team:ops", "owner:team:finance"} <= set(detail["tags"])
    assert any("revenue.sum: 2 hops away, of team:finance" in line for line in detail["lines"])


def test_tables_of_one_name_are_told_apart_by_their_folders() -> None:
    raw, clean = "raw/orders", "clean/orders"
    made = factory.dataset(clean, columnLineage=factory.columns(total=(LAKE, raw, "amount")))
    events = [
        run(1, "ingest", [], [factory.dataset(raw, schema=BEFORE)]),
        run(2, "clean", [factory.dataset(raw)], [made]),
        run(3, "totals", [made], [factory.dataset("mart/totals")]),
        run(5, "ingest", [], [factory.dataset(raw, schema=AFTER)]),
    ]
    (detail,) = World().alerts_one_by_one(events)
    assert "clean/orders.total: 1 hop away" in detail["lines"]
    assert "totals: 2 hops away" in detail["lines"], "no other table has the name, only a job"


BOARD = factory.facet(exposures=[{"unique_id": "exposure.shop.board", "name": "board"}])


def named(*made: tuple[str, str, str]) -> list[str]:
    """The sentences that name tables, if columns (namespace, table, column) are made of a column that is removed."""
    outputs = [
        factory.dataset(table, namespace, columnLineage=factory.columns(**{column: (LAKE, "raw", "amount")}))
        for namespace, table, column in made
    ]
    for output in outputs:
        output["facets"]["dbt_exposures"] = BOARD
    readers = [
        run(2 + number, f"job {number}", [factory.dataset("raw")], [output]) for number, output in enumerate(outputs)
    ]
    feed = [
        run(number, "ingest", [], [factory.dataset("raw", schema=schema)])
        for number, schema in ((1, BEFORE), (9, AFTER))
    ]
    (detail,) = World().alerts_one_by_one([feed[0], *readers, feed[1]])
    ends = (": 1 hop away", " is a declared source of the exposure board.")
    return [line.removesuffix(end) for end in ends for line in detail["lines"] if line.endswith(end)]


@pytest.mark.parametrize("servers", [("s3://clean", "s3://raw"), ("kafka://eu:9092", "kafka://us:9092")])
def test_tables_of_one_name_are_told_apart_by_their_namespaces(servers: tuple[str, str]) -> None:
    one, other = (f"{server}:orders" for server in servers)
    assert named(*((server, "orders", "total") for server in servers)) == [f"{one}.total", f"{other}.total", one, other]


@pytest.mark.parametrize("column", ["total", "a:b", "c" * 70])
def test_a_table_is_named_whatever_its_column_is_called(column: str) -> None:
    assert named((LAKE, "sales/orders", column)) == [f"orders.{column}", "orders"]


def test_names_with_colons_and_the_root_of_a_bucket_are_named() -> None:
    assert named((LAKE, "logs/2020-01-01T00:00:00", "total"))[0] == "2020-01-01T00:00:00.total"
    assert named(("s3://out", "/", "total"))[0] == "s3://out:/.total"


def test_long_tables_of_one_name_keep_their_folders() -> None:
    table, column = "customer_transactions_enriched_daily", "settlement_amount_in_euro"
    shown = named((LAKE, f"raw/{table}", column), (LAKE, f"clean/{table}", column))
    assert shown[:2] == [f"clean/{table}.{column}", f"raw/{table}.{column}"]


def test_an_unused_column_breaks_only_nodes_without_column_lineage() -> None:
    detail = alert_of(drift(factory.schema("id:long", "amount:double")))
    assert [node for node, _, by in broken(detail) if by == "column"] == []
    assert ("dataset:s3://lake:copy", 1, "dataset") in broken(detail)


def without_note(*readers: Document) -> list[str]:
    """The sentences on what breaks, of an alert that the column `note` was removed."""
    before, after = (run(number, "ingest", [], [factory.dataset("raw", schema=schema)]) for number, schema in FEED)
    (detail,) = World().alerts_one_by_one([before, *readers, after])
    assert detail["breaks"]["items"] == []
    return [line for line in detail["lines"] if "downstream" in line or "not seen" in line]


FEED = ((1, factory.schema("id:long", "note:string")), (5, factory.schema("id:long")))
NONE = "No column, dataset or job downstream is known to be affected."


def test_that_nothing_breaks_is_said_with_what_the_walk_cannot_see() -> None:
    clean = factory.dataset(
        "clean", schema=factory.schema("id:long"), columnLineage=factory.columns(id=(LAKE, "raw", "id"))
    )
    assert without_note(run(2, "clean", [factory.dataset("raw")], [clean])) == [NONE]
    assert without_note() == [
        NONE,
        (
            "It looked at 1 dataset, since 2026-11-20 08:00Z; not seen: readers of 1 dataset that send no lineage, "
            "such as BI tools and notebooks (raw)."
        ),
    ]


def test_an_added_column_breaks_nothing() -> None:
    detail = alert_of(drift(factory.schema("id:long", "amount:double", "note:string", "more:int")))
    assert (detail["breaks"]["items"], detail["verdict"], detail["severity"]) == ([], "FULL", "info")


def test_a_dropped_dataset_breaks_all_that_is_made_of_it() -> None:
    gone = factory.dataset(
        "raw", schema=factory.facet(fields=[]), lifecycleStateChange=factory.facet(lifecycleStateChange="DROP")
    )
    detail = alert_of(run(5, "drop", [], [gone]))
    assert {node for node, _, _ in broken(detail)} >= {
        "dataset:s3://lake:clean",
        "dataset:s3://lake:copy",
        "dataset:s3://lake:revenue",
    }
    assert detail["severity"] == "critical"


def test_what_the_lineage_of_tables_alone_tells_is_not_said_to_break() -> None:
    gone = factory.dataset("raw", lifecycleStateChange=factory.facet(lifecycleStateChange="DROP"))
    detail = alert_of(run(5, "drop", [], [gone]))
    assert detail["breaks"]["sentence"] == "By table lineage, it may break 3 datasets, 3 jobs."
    told = [line for line in detail["lines"] if "break" in line]
    assert [line.partition(" downstream")[0] for line in told] == ["The change may break 3 datasets, 3 jobs"]


def test_an_alert_has_the_sum_of_the_impact_in_its_words() -> None:
    assert alert_of(drift())["breaks"]["sentence"] == "It breaks 2 columns, 2 jobs, and may break 1 dataset, 1 job."


def test_the_broken_nodes_are_those_before_the_run_that_changed_the_schema() -> None:
    """The job that reads the drifted feed says in the same event that it makes nothing of the column any more."""
    clean = factory.dataset("clean", columnLineage=factory.columns(id=(LAKE, "raw", "id")))
    detail = alert_of(run(6, "clean", [factory.dataset("raw", schema=AFTER)], [clean]))
    assert detail["seenAs"] == "input"
    assert "datasetField:s3://lake:revenue:sum" in {node for node, _, _ in broken(detail)}


def test_the_link_leads_to_the_page_at_the_alert_itself() -> None:
    alert = alert_of(drift())
    assert alert["link"] == f"{URL}/#/alerts?id={alert['id']}"


def test_of_very_much_that_breaks_the_nearest_fifty_are_named_and_the_rest_is_counted() -> None:
    readers = [
        run(100 + number, f"reader {number}", [factory.dataset("raw")], [factory.dataset(f"out {number}")])
        for number in range(120)
    ]
    (detail,) = World().alerts_one_by_one([*pipeline(), *readers, drift() | {"eventTime": factory.at(900)}])
    assert (len(detail["breaks"]["items"]), detail["breaks"]["truncated"]) == (50, True)
    assert detail["breaks"]["datasets"] == 121
    assert len(detail["text"]) <= 4_000


def test_the_alert_names_the_topmost_run_of_the_orchestrator() -> None:
    above = [
        factory.run_event("START", run=91, seconds=4, job="dag"),
        factory.run_event("START", run=92, seconds=4, job="dag.task", run_facets={"parent": factory.parent(91, "dag")}),
        factory.run_event(
            "START",
            run=93,
            seconds=4,
            job="app",
            job_facets={"jobType": factory.facet(processingType="NONE", integration="SPARK", jobType="APPLICATION")},
            run_facets={"parent": factory.parent(92, "dag.task", root=(91, "dag"))},
        ),
    ]
    action = run(
        5,
        "ingest",
        [],
        [factory.dataset("raw", schema=AFTER)],
        job_facets={"jobType": factory.facet(processingType="BATCH", integration="SPARK", jobType="SQL_JOB")},
        run_facets={"parent": factory.parent(93, "app", root=(91, "dag"))},
    )
    detail = alert_of(*above, action)
    assert detail["application"] == {"runId": factory.run_id(93), "job": {"namespace": "demo", "name": "app"}}
    assert detail["orchestrator"] == {"runId": factory.run_id(91), "job": {"namespace": "demo", "name": "dag"}}
    assert any("in application app, started by dag" in line for line in detail["lines"])


def test_columns_made_of_a_nested_column_break_with_the_struct() -> None:
    inside = [{"name": "zip", "type": "int"}, {"name": "city", "type": "string"}]
    struct = factory.facet(
        fields=[{"name": "address", "type": "struct", "fields": inside}, {"name": "id", "type": "int"}]
    )
    made = factory.dataset("b", columnLineage=factory.columns(city=(LAKE, "a", "address.city")))
    (detail,) = World().alerts_one_by_one(
        [
            run(1, "load", [], [factory.dataset("a", schema=struct)]),
            run(2, "use", [factory.dataset("a")], [made]),
            run(3, "load", [], [factory.dataset("a", schema=factory.schema("id:int"))]),
        ]
    )
    assert "datasetField:s3://lake:b:city" in {node for node, _, _ in broken(detail)}


def test_a_new_reader_of_some_columns_of_a_known_table_raises_no_alert() -> None:
    readers = [
        run(10 + number, f"adhoc {number}", [factory.dataset("a", schema=factory.schema("id:long"))], [])
        for number in range(5)
    ]
    writer = [run(number, "load", [], [factory.dataset("a", schema=BEFORE)]) for number in (1, 20)]
    assert World().alerts_one_by_one([writer[0], *readers, writer[1]]) == []


def test_the_orchestrator_is_found_behind_a_task_that_never_spoke() -> None:
    app = factory.run_event(
        "START",
        run=93,
        seconds=4,
        job="app",
        job_facets={"jobType": factory.facet(integration="SPARK", jobType="APPLICATION")},
        run_facets={"parent": factory.parent(92, "dag.task", root=(91, "dag"))},
    )
    action = run(
        5,
        "ingest",
        [],
        [factory.dataset("raw", schema=AFTER)],
        job_facets={"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")},
        run_facets={"parent": factory.parent(93, "app")},
    )
    detail = alert_of(app, action)
    assert (detail["application"]["job"]["name"], detail["orchestrator"]["job"]["name"]) == ("app", "dag")


def test_every_owner_of_many_is_named_so_that_each_ones_filter_fits() -> None:
    owners = [f"team-{number:02}" for number in range(40)]
    readers = [
        run(10 + number, f"job {number}", [factory.dataset("raw")], [factory.dataset(owner, ownership=owned(owner))])
        for number, owner in enumerate(owners)
    ]
    (detail,) = World().alerts_one_by_one([pipeline()[0], *readers, drift() | {"eventTime": factory.at(900)}])
    assert sorted(detail["owners"]) == owners


def test_the_dashboards_that_dbt_declares_are_told_with_owner_and_url_and_not_said_to_break() -> None:
    exposures = [
        {"unique_id": "exposure.shop.board", "name": "board", "type": "dashboard", "url": "https://bi.example.com/1"},
        {"unique_id": "exposure.shop.notes", "name": "notes", "owner": {"name": "research"}},
    ]
    declared = factory.dataset("revenue", dbt_exposures=factory.facet(exposures=exposures), ownership=owned("finance"))
    detail = alert_of(run(4, "model", [factory.dataset("clean")], [declared]), drift())
    nodes = [item for item in detail["breaks"]["items"] if item["type"] == "EXPOSURE"]
    assert {item["exposure"]["name"]: item["path"][-2] for item in nodes} == dict.fromkeys(
        ("board", "notes"), "dataset:s3://lake:revenue"
    )
    assert all(item["possible"] for item in nodes)
    assert detail["breaks"]["exposures"] == detail["breaks"]["possible"]["exposures"] == 2
    assert {tuple(item["owners"]) for item in nodes} == {(), ("research",)}
    assert [line for line in detail["lines"] if "declared source" in line] == [
        "revenue is a declared source of the dashboard board (https://bi.example.com/1).",
        "revenue is a declared source of the exposure notes, of research.",
    ]
    assert "research" in detail["owners"]
    assert "exposures" not in alert_of(drift())["breaks"]
