"""GET /impact: the nodes that a change breaks, with distance, path and owners."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.graph.identity import dataset_id
from headwater.graph.naming import Naming
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader
from headwater.traversal.impact import Reach, impact
from headwater.traversal.impact_propagation import Granularity
from tests import factory, strategies
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, table_after

Get = Callable[..., Any]


def after(*documents: Document) -> Get:
    """Sends /impact requests to a table that has folded these events."""
    client = LookupClient(table_after(*documents))
    return lambda node, **query: client.answer("impact", nodeId=node, **query)[1]


def reader_after(*documents: Document) -> Reader:
    return Reader(GraphReader(table_after(*documents)), Naming())


def table(name: str) -> str:
    return f"dataset:{LAKE}:{name}"


def column(place: str) -> str:
    """The nodeId of `table.column`."""
    return f"datasetField:{LAKE}:{place.replace('.', ':')}"


def column_lineage(*flows: str, whole: str = "") -> Document:
    """A columnLineage facet of `table.column > column` flows, and of columns that bear on the whole dataset."""
    fields: dict[str, Document] = {}
    for flow in flows:
        source, target = flow.split(" > ")
        fields.setdefault(target, {"inputFields": []})["inputFields"].append(_input(source, "DIRECT", "IDENTITY"))
    return factory.facet(fields=fields, dataset=[_input(flow, "INDIRECT", "FILTER") for flow in whole.split()])


def _input(place: str, kind: str, subtype: str) -> Document:
    name, field = place.split(".")
    return {
        "namespace": LAKE,
        "name": name,
        "field": field,
        "transformations": [{"type": kind, "subtype": subtype, "description": "", "masking": False}],
    }


def ran(job: str, reads: str, writes: str = "", *, run: int, seconds: float = 0, **facets: Any) -> Document:
    """A run of a job; `facets` are those of its outputs, `owner` is the job's."""
    owner = facets.pop("owner", None)
    return factory.run_event(
        "COMPLETE",
        job=job,
        run=run,
        seconds=seconds,
        inputs=[factory.dataset(name) for name in reads.split()],
        outputs=[factory.dataset(name, **facets) for name in writes.split()],
        job_facets={"ownership": owned_by(owner)} if owner else {},
    )


def owned_by(*owners: str) -> Document:
    return factory.facet(owners=[{"name": owner, "type": "OWNER"} for owner in owners])


def items(answer: Any) -> dict[str, Any]:
    """What is at risk by nodeId, without the namespaces."""
    by_name = {}
    for group in answer["owners"]:
        for item in group["items"]:
            by_name[_short(item["nodeId"])] = item
    return by_name


def distances(answer: Any) -> dict[str, int]:
    return {name: item["distance"] for name, item in items(answer).items()}


def path(answer: Any, name: str) -> list[str]:
    return [_short(node) for node in items(answer)[name]["path"]]


def _short(node: str) -> str:
    return node.replace(f"{LAKE}:", "").replace("demo:", "").replace("datasetField:", "").replace("dataset:", "")


CHAIN = (
    ran("load", "raw", "clean", run=1),
    ran("report", "clean rates", "daily", run=2),
    ran("publish", "daily", "board", run=3),
    ran("audit", "clean", "", run=4),
)


def test_the_nodes_downstream_of_a_dataset_are_at_risk_nearest_first_each_with_its_path() -> None:
    answer = after(*CHAIN)(table("raw"))
    expected = {"job:load": 1, "clean": 1, "job:report": 2, "daily": 2, "job:audit": 2, "job:publish": 3, "board": 3}
    assert distances(answer) == expected
    assert answer["totalCount"] == len(expected)
    assert "truncated" not in answer
    assert list(distances(answer).values()) == sorted(expected.values())
    assert path(answer, "board") == ["raw", "job:load", "clean", "job:report", "daily", "job:publish", "board"]
    assert {item["by"] for item in items(answer).values()} == {"dataset"}


def test_depth_bounds_it() -> None:
    get = after(*CHAIN)
    assert set(distances(get(table("raw"), depth=1))) == {"job:load", "clean"}
    assert get(table("raw"), depth=0) == {"nodeId": table("raw"), "totalCount": 0, "owners": []}


def test_of_two_ways_the_shorter_counts() -> None:
    get = after(ran("far", "a", "b", run=1), ran("further", "b", "c", run=2), ran("near", "a", "c", run=3))
    answer = get(table("a"))
    assert (distances(answer)["c"], path(answer, "c")) == (1, ["a", "job:near", "c"])
    assert distances(answer)["job:further"] == 2


def test_a_circle_comes_to_an_end_and_what_changed_is_not_at_risk_by_itself() -> None:
    get = after(ran("there", "a", "b", run=1), ran("back", "b", "a", run=2), ran("merge", "a", "a", run=3))
    assert distances(get(table("a"))) == {"job:there": 1, "b": 1, "job:merge": 1, "job:back": 2}


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
    at_risk = items(get(column("raw.id")))
    assert {name for name, item in at_risk.items() if item["indirect"]} == {"clean", "daily:x"}


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
    assert said_nothing(column("raw.unused")) == {"nodeId": column("raw.unused"), "totalCount": 0, "owners": []}


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


def test_items_are_grouped_by_owner_of_the_dataset_else_of_its_job_without_an_owner_last() -> None:
    get = after(
        ran("load", "raw", "clean", run=1, owner="team-a"),
        ran("report", "clean", "daily", run=2, owner="team-a", ownership=owned_by("team-z", "team-b")),
        ran("publish", "daily", "board", run=3),
    )
    answer = get(table("raw"))
    groups = {group["owner"]: [_short(item["nodeId"]) for item in group["items"]] for group in answer["owners"]}
    assert list(groups) == ["team-a", "team-b", "team-z", None]
    assert groups == {
        "team-a": ["clean", "job:load", "job:report"],
        "team-b": ["daily"],
        "team-z": ["daily"],
        None: ["board", "job:publish"],
    }
    assert answer["totalCount"] == 6


def test_a_column_has_the_owners_of_its_dataset() -> None:
    lineage = column_lineage("raw.id > id")
    get = after(ran("load", "raw", "clean", run=1, columnLineage=lineage, ownership=owned_by("team-a")))
    assert [group["owner"] for group in get(column("raw.id"))["owners"]] == ["team-a", None]


BULK = {"lineage": factory.facet(entries=[factory.made_of("c", "a"), factory.made_of("d", "b")])}


def test_explicit_lineage_puts_nothing_at_risk_that_is_not_made_of_it() -> None:
    inputs, outputs = [factory.dataset("a"), factory.dataset("b")], [factory.dataset("c")]
    event = factory.run_event("COMPLETE", job="bulk", inputs=inputs, outputs=outputs, job_facets=BULK)
    later = ran("circle", "c", "b", run=2)
    assert distances(after(event)(table("a"))) == {"job:bulk": 1, "c": 1}
    assert distances(after(event, later)(table("a"))) == {"job:bulk": 1, "c": 1, "job:circle": 2, "b": 2, "d": 3}


def test_a_view_is_at_risk_without_a_job_on_the_way() -> None:
    view = factory.dataset("view", lineage=factory.facet(**factory.made_of("view", "clean")))
    get = after(ran("load", "raw", "clean", run=1), factory.dataset_event(view), ran("report", "view", "daily", run=2))
    answer = get(table("raw"))
    assert distances(answer) == {"job:load": 1, "clean": 1, "view": 2, "job:report": 3, "daily": 3}
    assert path(answer, "view") == ["raw", "job:load", "clean", "view"]


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


def deleted(name: str, seconds: int) -> Document:
    through: Document = {"headwater_deleted": {"through": f"2026-11-20T08:00:{seconds:02d}.000000000Z"}}
    return factory.dataset_event(factory.dataset(name, **through), seconds=seconds)


def test_a_deleted_node_is_not_at_risk_and_ends_the_walk() -> None:
    get = after(*CHAIN, deleted("clean", 30))
    assert distances(get(table("raw"))) == {"job:load": 1}
    assert get(table("clean"))["code"] == 404


PATH = factory.dataset("wh/orders", symlinks=factory.symlinks("sales.orders", namespace="hive://h:9083"))
TABLE = factory.dataset("sales.orders", "hive://h:9083")
BY_TABLE = {"namespace": "hive://h:9083", "name": "sales.orders", "field": "id"}


@pytest.mark.parametrize("read_as", [PATH, TABLE])
def test_a_dataset_is_one_by_all_its_names_whichever_the_column_lineage_uses(read_as: Document) -> None:
    lineage = factory.facet(fields={"id": {"inputFields": [BY_TABLE]}})
    get = after(
        factory.run_event("COMPLETE", job="load", run=1, outputs=[PATH]),
        factory.run_event(
            "COMPLETE",
            job="report",
            run=2,
            inputs=[read_as],
            outputs=[factory.dataset("daily", columnLineage=lineage)],
        ),
    )
    answer = get(f"datasetField:{LAKE}:wh/orders:id")
    assert distances(answer) == {"job:report": 1, "daily:id": 1}
    if read_as is TABLE:  # else that name is none that anybody sent
        assert get(f"datasetField:{BY_TABLE['namespace']}:{BY_TABLE['name']}:id") == answer


def test_as_of_a_time_it_is_what_would_have_broken_then() -> None:
    get = after(
        ran("load", "raw", "old", run=1, columnLineage=column_lineage("raw.id > id")),
        ran("load", "raw", "new", run=2, seconds=100, columnLineage=column_lineage("raw.id > id")),
        ran("silent", "raw", "old", run=3, seconds=50),
    )
    then, now = factory.at(60), factory.at(200)
    assert distances(get(table("raw"), asOf=then)) == {"job:load": 1, "old": 1, "job:silent": 1}
    assert set(distances(get(column("raw.id"), asOf=then))) == {"job:load", "old:id", "job:silent", "old"}
    assert set(distances(get(column("raw.id"), asOf=now))) == {"job:load", "new:id", "job:silent", "old"}
    assert get(table("raw"), asOf=factory.at(-9))["totalCount"] == 0


def test_pages_are_the_whole_once_nearest_first() -> None:
    get = after(*CHAIN)
    whole = get(table("raw"))
    pages = [get(table("raw"), limit=2)]
    while "cursor" in pages[-1]:
        pages.append(get(table("raw"), limit=2, cursor=pages[-1]["cursor"]))
    assert [name for page in pages for name in distances(page)] == list(distances(whole))
    assert {page["totalCount"] for page in pages} == {7}


def test_an_impact_beyond_the_bound_is_truncated() -> None:
    readers = [ran(f"reader {number}", "raw", f"out {number}", run=number) for number in range(20)]
    result = impact(reader_after(*readers), dataset_id(Name(LAKE, "raw")), reach=Reach(most=10))
    assert (len(result.at_risk), result.is_truncated) == (10, True)
    assert not impact(reader_after(*readers), dataset_id(Name(LAKE, "raw"))).is_truncated


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"nodeId": ""}, "nodeId"),
        ({"nodeId": "job:demo:load"}, "nodeId"),
        ({"nodeId": "x"}, "nodeId"),
        ({"depth": "x"}, "depth"),
        ({"limit": "-1"}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"asOf": "yesterday"}, "asOf"),
    ],
)
def test_a_wrong_value_is_named(query: dict[str, str], field: str) -> None:
    parameters = {"node": query.pop("nodeId", table("raw")), **query}
    answer = after(*CHAIN)(parameters.pop("node"), **parameters)
    assert (answer["code"], answer["details"][0].split(":")[0]) == (400, field)


def test_an_unknown_node_is_not_found() -> None:
    get = after(
        *CHAIN,
        factory.dataset_event(factory.dataset("raw", schema=factory.schema("id:int"))),
    )
    assert get(table("nope"))["code"] == 404
    assert get(column("raw.nope"))["code"] == 404
    assert "code" not in get(column("raw.id"))


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
    assert [(_short(node.node_id), node.granularity, node.owners) for node in result.at_risk] == [
        ("clean:a", Granularity.COLUMN, ("team-a",)),
        ("clean:c", Granularity.COLUMN, ("team-a",)),
        ("job:load", Granularity.COLUMN, ("team-a",)),
    ]


@given(st.lists(strategies.events, max_size=8))
def test_after_any_events_the_impact_is_the_downstream_and_every_path_is_a_walk(documents: list[Document]) -> None:
    client = LookupClient(table_after(*documents))
    for name in strategies.DATASETS:
        status, answer = client.answer("impact", nodeId=table(name))
        if status == 404:
            continue
        graph = client("lineage", nodeId=table(name), direction="downstream")
        edges = {(edge["origin"], edge["destination"]) for node in graph["graph"] for edge in node["outEdges"]}
        assert {item["nodeId"] for item in items(answer).values()} == _beyond(answer["nodeId"], edges)
        for item in items(answer).values():
            assert set(zip(item["path"], item["path"][1:], strict=False)) <= edges
            assert (item["path"][0], item["path"][-1]) == (answer["nodeId"], item["nodeId"])
        assert client.answer("impact", nodeId=column(f"{name}.id"))[0] in (200, 404)


def _beyond(start: str, edges: set[tuple[str, str]]) -> set[str]:
    reached: set[str] = set()
    frontier = {start}
    while frontier := {after for before, after in edges if before in frontier} - reached:
        reached |= frontier
    return reached - {start}
