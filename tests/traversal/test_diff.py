"""GET /diff: what differs between the lineage of a node at two times."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.lookup.text.diff import render
from headwater.lookup.text.display import Display
from headwater.openlineage.instant import parse_instant
from headwater.traversal.graph_diff import GraphAtTime, graph_diff
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of
from tests.lookup.test_cost import GRAPH, LARGER, body_and_calls, table_of
from tests.traversal.test_renames import renamed
from tests.traversal.test_wrappers import query

HOUR = 3_600
OUT = f"dataset:{LAKE}:out"
graphs = st.builds(
    GraphAtTime,
    st.dictionaries(st.sampled_from("abcd"), st.none() | st.dictionaries(st.sampled_from("xyz"), st.just("int"))),
    st.frozensets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))),
)


def wrote(hour: float, inputs: tuple[str, ...], *columns: str, job: str = "load") -> Document:
    out = factory.dataset("out", schema=factory.schema(*columns))
    read = [factory.dataset(name) for name in inputs]
    return factory.run_event(
        "COMPLETE", run=int(hour * 10) + 1, job=job, seconds=hour * HOUR, inputs=read, outputs=[out]
    )


def diff(get: LookupClient, begin: float, end: float, **query: str) -> Any:
    return get("diff", nodeId=OUT, **{"from": factory.at(begin * HOUR), "to": factory.at(end * HOUR)}, **query)


@pytest.fixture
def get() -> LookupClient:
    return after(wrote(0, ("old",), "id:int", "gone:int"), wrote(2, ("new",), "id:long", "more:string"))


@pytest.mark.parametrize(("version", "is_changed"), [("bbb", True), ("aaa", False), (None, False)])
def test_a_job_that_runs_other_code_is_changed_as_in_its_namespace(version: str | None, is_changed: bool) -> None:
    def of(event: Document, number: str | None) -> Document:
        location = factory.facet(type="git", url="https://git/x", version=number)
        return {**event, "job": {**event["job"], "facets": {"sourceCodeLocation": location} if number else {}}}

    get = after(of(wrote(0, ("raw",), "id:int"), "aaa"), of(wrote(2, ("raw",), "id:int"), version))
    answer = diff(get, 1, 3)
    expected = [("job:demo:load", {"before": {"version": "aaa"}, "after": {"version": "bbb"}})] if is_changed else []
    assert [(node["nodeId"], node["code"]) for node in answer["nodes"]["changed"]] == expected
    times = {"from": factory.at(HOUR), "to": factory.at(3 * HOUR)}
    assert get("diff", namespace="demo", **times)["nodes"]["changed"] == answer["nodes"]["changed"]
    assert ("version aaa → bbb" in render({"nodeId": OUT, **answer}, Display())) == is_changed


def test_an_input_is_replaced_and_columns_change(get: LookupClient) -> None:
    answer = diff(get, 1, 3)
    assert [(node["nodeId"], node["isNew"]) for node in answer["nodes"]["added"]] == [(f"dataset:{LAKE}:new", True)]
    assert [node["nodeId"] for node in answer["nodes"]["removed"]] == [f"dataset:{LAKE}:old"]
    (changed,) = answer["nodes"]["changed"]
    assert (changed["nodeId"], changed["columns"]["added"]) == (OUT, [{"field": "more", "type": "string"}])
    assert changed["columns"]["removed"] == [{"field": "gone", "type": "int"}]
    assert [(each["field"], each["before"], each["after"]) for each in changed["columns"]["retyped"]] == [
        ("id", "int", "long")
    ]
    assert answer["edges"] == {
        "added": [{"origin": f"dataset:{LAKE}:new", "destination": "job:demo:load"}],
        "removed": [{"origin": f"dataset:{LAKE}:old", "destination": "job:demo:load"}],
    }


def test_between_two_times_without_a_run_nothing_differs(get: LookupClient) -> None:
    answer = diff(get, 3, 4)
    assert answer["nodes"] == {"added": [], "removed": [], "changed": []}
    assert answer["edges"] == {"added": [], "removed": []}


def test_the_direction_and_the_depth_are_those_of_lineage(get: LookupClient) -> None:
    assert diff(get, 1, 3, direction="downstream")["edges"] == {"added": [], "removed": []}
    assert len(diff(get, 1, 3, direction="upstream", depth="1")["edges"]["added"]) == 1


def test_the_times_are_needed_and_in_order(get: LookupClient) -> None:
    assert get.refusal("diff", nodeId=OUT) == "from"
    assert get.refusal("diff", nodeId=OUT, **{"from": factory.at(5), "to": factory.at(5)}) == "from"


def test_a_caller_learns_of_no_node_of_others() -> None:
    hidden = factory.run_event("COMPLETE", run=9, seconds=2 * HOUR, inputs=[factory.dataset("out")])
    secret = {**hidden, "job": {"namespace": "others", "name": "secret", "facets": {}}}
    get = after(wrote(0, ("old",), "id:int"), secret)
    assert "secret" in str(diff(get, 1, 3))
    assert "secret" not in str(diff(LookupClient(get.table, key_of("demo", LAKE)), 1, 3))


def answered(*events: Document, node: str = OUT, begin: float = 1, end: float = 3, **query: str) -> Any:
    times = {"from": factory.at(begin * HOUR), "to": factory.at(end * HOUR)}
    return after(*events)("diff", nodeId=node, direction="both", **times, **query)


def differs(answer: Any) -> dict[str, set[str]]:
    """What differs, by the ends of the nodeIds, of an edge with an arrow."""
    nodes = {name: {node["name"] for node in found} for name, found in answer["nodes"].items()}
    edges = {
        f"edges {name}": {f"{_end(edge['origin'])}>{_end(edge['destination'])}" for edge in found}
        for name, found in answer["edges"].items()
    }
    return {name: found for name, found in (nodes | edges).items() if found}


def _end(node_id: str) -> str:
    return node_id.rpartition(":")[2]


@pytest.mark.parametrize("kind", ["START", "FAIL", "ABORT"])
@pytest.mark.parametrize("hour", [0.9, 2])
def test_what_an_open_or_failed_run_does_not_name_yet_is_no_difference(kind: str, hour: float) -> None:
    """At either time: a job that runs at midnight, and a comparison since midnight."""
    cut = factory.run_event(kind, run=9, seconds=hour * HOUR, inputs=[factory.dataset("old")])
    upstream = factory.run_event("COMPLETE", job="feed", run=8, outputs=[factory.dataset("old")])
    events = (upstream, wrote(0, ("old",), "id:int"), cut)
    assert differs(answered(*events)) == {}
    assert differs(answered(*events, wrote(2.5, ("old",), "id:int"))) == {}


def test_a_loop_that_runs_for_the_second_time_has_lost_no_input() -> None:
    def application(run: int, begin: float, *shops: str) -> list[Document]:
        start = factory.run_event("START", job="app", run=run, seconds=begin * HOUR)
        parent = {"parent": factory.parent(run, "app")}
        loop = [wrote(begin + 0.1 * number, (shop,), job="append") for number, shop in enumerate(shops, start=1)]
        events = [
            {**event, "run": {"runId": factory.run_id(run * 10 + number), "facets": parent}}
            for number, event in enumerate(loop)
        ]
        return [start, *events]

    def ended(run: int, hour: float) -> Document:
        return factory.run_event("COMPLETE", job="app", run=run, seconds=hour * HOUR)

    first = [*application(100, 0, "shop0", "shop1"), ended(100, 0.5)]
    assert differs(answered(*first, *application(101, 2, "shop0"))) == {}
    gone = {"removed": {"shop1"}, "edges removed": {"shop1>append"}}
    assert differs(answered(*first, *application(101, 2, "shop0"), ended(101, 2.5))) == gone


def test_a_renamed_table_lost_none_of_its_jobs() -> None:
    load = wrote(0, ("old",), "id:int")
    answer = answered(load, renamed("out", "sales", seconds=2 * HOUR), node=f"dataset:{LAKE}:sales")
    assert [node["renamedFrom"]["name"] for node in answer["nodes"]["changed"]] == ["out"]
    assert differs(answer) == {"added": {"app.rename"}, "changed": {"sales"}, "edges added": {"app.rename>sales"}}


def test_a_dropped_table_is_removed_though_its_jobs_name_it() -> None:
    drop = factory.dataset("out", lifecycleStateChange=factory.facet(lifecycleStateChange="DROP"))
    dropped = factory.run_event("COMPLETE", job="drop", run=9, seconds=2 * HOUR, outputs=[drop])
    load = wrote(0, ("old",), "id:int")
    assert [node["dropped"] for node in answered(load, dropped)["nodes"]["removed"]] == [True]
    assert answered(load, dropped, wrote(2.5, ("old",), "id:int"))["nodes"]["removed"] == []
    assert answered(load, dropped, begin=2.2)["nodes"]["removed"] == []
    assert answered(load, {**dropped, "eventType": "FAIL"})["nodes"]["removed"] == []


def test_a_deleted_table_is_removed_from_the_graph_around_it() -> None:
    facet = factory.facet(through=parse_instant(factory.at(0)), by="k")
    deletion = factory.dataset_event(factory.dataset("old", headwater_deleted=facet), seconds=2 * HOUR)
    events = (wrote(0, ("old",), "id:int"), deletion)
    assert [node["deleted"] for node in answered(*events)["nodes"]["removed"]] == [True]
    assert answered(*events, begin=2.5)["nodes"]["removed"] == []


def test_a_statement_that_comes_as_two_queries_is_one_job_at_both_times() -> None:
    first, second = (
        [*query("ctas", at, at + 10, run=run), *query("append", at + 1, at + 10, run=run + 1)]
        for at, run in ((0, 1), (2 * HOUR, 11))
    )
    assert differs(answered(*first, *second, node=f"dataset:{LAKE}:clean")) == {}


@given(graphs, graphs)
def test_a_diff_leads_from_one_graph_to_the_other_and_back(before: GraphAtTime, later: GraphAtTime) -> None:
    forth, back = graph_diff(before, later), graph_diff(later, before)
    assert before.columns.keys() - set(forth.removed) | set(forth.added) == later.columns.keys()
    assert before.edges - set(forth.edges_removed) | set(forth.edges_added) == later.edges
    assert (forth.added, forth.edges_added, forth.changed.keys()) == (
        back.removed,
        back.edges_removed,
        back.changed.keys(),
    )
    assert graph_diff(before, before).changed == {}


def test_a_diff_costs_two_lookups_of_the_lineage_in_a_table_of_any_size() -> None:
    times = {"from": factory.at(-HOUR), "to": factory.at(HOUR)}
    node, costs = f"dataset:{LAKE}:3.3", []
    for table in (table_of(*GRAPH), table_of(*GRAPH, *LARGER)):
        _, calls = body_and_calls(table, "diff", nodeId=node, depth=2, **times)
        walks = [body_and_calls(table, "lineage", nodeId=node, depth=2, asOf=time)[1] for time in times.values()]
        assert calls <= sum(walks)
        costs.append(calls)
    assert costs[0] == costs[1]
