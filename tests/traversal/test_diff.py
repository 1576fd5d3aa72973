"""GET /diff: what differs between the lineage of a node at two times."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.traversal.graph_diff import GraphAtTime, graph_diff
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of
from tests.lookup.test_cost import GRAPH, LARGER, body_and_calls, table_of

HOUR = 3_600
OUT = f"dataset:{LAKE}:out"
graphs = st.builds(
    GraphAtTime,
    st.dictionaries(st.sampled_from("abcd"), st.none() | st.dictionaries(st.sampled_from("xyz"), st.just("int"))),
    st.frozensets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))),
)


def wrote(hour: int, inputs: tuple[str, ...], *columns: str, job: str = "load") -> Document:
    out = factory.dataset("out", schema=factory.schema(*columns))
    read = [factory.dataset(name) for name in inputs]
    return factory.run_event("COMPLETE", run=hour + 1, job=job, seconds=hour * HOUR, inputs=read, outputs=[out])


def diff(get: LookupClient, begin: float, end: float, **query: str) -> Any:
    return get("diff", nodeId=OUT, **{"from": factory.at(begin * HOUR), "to": factory.at(end * HOUR)}, **query)


@pytest.fixture
def get() -> LookupClient:
    return after(wrote(0, ("old",), "id:int", "gone:int"), wrote(2, ("new",), "id:long", "more:string"))


def test_an_input_is_replaced_and_columns_change(get: LookupClient) -> None:
    answer = diff(get, 1, 3)
    assert [node["nodeId"] for node in answer["nodes"]["added"]] == [f"dataset:{LAKE}:new"]
    assert [node["nodeId"] for node in answer["nodes"]["removed"]] == [f"dataset:{LAKE}:old"]
    (changed,) = answer["nodes"]["changed"]
    assert changed["nodeId"] == OUT
    assert changed["columns"]["added"] == [{"field": "more", "type": "string"}]
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
