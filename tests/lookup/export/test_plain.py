"""GET /export as json: the plain graph has the nodes and edges of the lookup."""

import json

import pytest

from tests.lookup.export.graphs import FIXTURES, LAKE, NAMESPACE, Get, any_name, export, of_any_name


def test_a_plain_graph_has_each_edge_once_in_the_direction_of_the_data(pipeline: Get) -> None:
    graph = export("json", pipeline("lineage", nodeId="job:demo:load"))
    assert graph["edges"] == [
        {"from": f"dataset:{LAKE}:orders", "to": "job:demo:report"},
        {"from": f"dataset:{LAKE}:rates", "to": "job:demo:report"},
        {"from": f"dataset:{LAKE}:raw", "to": "job:demo:load"},
        {"from": "job:demo:load", "to": f"dataset:{LAKE}:orders"},
        {"from": "job:demo:report", "to": f"dataset:{LAKE}:report"},
    ]
    assert {"id": "job:demo:load", "kind": "job", "namespace": "demo", "name": "load"} in graph["nodes"]
    assert {"id": f"dataset:{LAKE}:raw", "kind": "dataset", "namespace": LAKE, "name": "raw"} in graph["nodes"]
    assert len(graph["nodes"]) == 6
    assert graph["truncated"] is False


def test_a_plain_graph_of_columns_has_their_transformations_and_what_bears_on_whole_datasets(pipeline: Get) -> None:
    graph = export("json", pipeline("column-lineage", nodeId=f"dataset:{LAKE}:report"))
    edges = {
        (edge["from"].rpartition("lake:")[2], edge["to"].rpartition("lake:")[2]): [
            step["subtype"] for step in edge["transformations"]
        ]
        for edge in graph["edges"]
    }
    assert edges == {
        ("raw:amount", "orders:amount"): [],
        ("orders:amount", "report:total"): ["AGGREGATION", "CONDITIONAL"],
        ("rates:rate", "report:total"): ["CONDITIONAL"],
        ("rates:valid", "report"): ["FILTER"],
    }
    column = {"kind": "column", "namespace": LAKE, "name": "rates", "field": "valid"}
    assert {"id": f"datasetField:{LAKE}:rates:valid", **column} in graph["nodes"]
    ids = [node["id"] for node in graph["nodes"]]
    assert len(ids) == len(set(ids)) == 6


@pytest.mark.parametrize(
    "name", ["lineage_job", "lineage_dataset", "lineage_orphan_dataset", "column_lineage_job", "column_lineage_field"]
)
def test_a_plain_graph_has_the_nodes_and_edges_of_a_recorded_answer(name: str) -> None:
    answer = json.loads((FIXTURES / "marquez-api" / f"{name}.json").read_text())["response"]
    graph = export("json", answer)
    edges = [(edge["from"], edge["to"]) for edge in graph["edges"]]
    assert [node["id"] for node in graph["nodes"]] == sorted(node["id"] for node in answer["graph"])
    outward = {(edge["origin"], edge["destination"]) for node in answer["graph"] for edge in node["outEdges"]}
    assert (set(edges), len(edges)) == (outward, len(outward))


def test_an_edge_to_what_is_not_in_the_answer_is_left_out(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    answer["graph"] = [node for node in answer["graph"] if node["id"] != "job:demo:report"]
    ends = {end for edge in export("json", answer)["edges"] for end in edge.values()}
    assert ends == {"job:demo:load", f"dataset:{LAKE}:raw", f"dataset:{LAKE}:orders"}


@any_name
def test_a_plain_graph_keeps_any_name(name: str) -> None:
    get = of_any_name(name)
    (job,) = [
        node for node in export("json", get("lineage", nodeId=f"job:demo:{name}"))["nodes"] if "job" in node["kind"]
    ]
    assert job == {"id": f"job:demo:{name}", "kind": "job", "namespace": "demo", "name": name}
    columns = export("json", get("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}"))
    assert {(node["name"], node.get("field")) for node in columns["nodes"]} == {
        (name, name),
        (f"{name} in", name),
        (name, None),
    }
