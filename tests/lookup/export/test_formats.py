"""GET /export in any format."""

import random

import pytest

from headwater.lookup.export import FORMATS
from tests.lookup.export.graphs import Get, export


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("path", ["lineage", "column-lineage"])
def test_equal_graphs_give_equal_exports(pipeline: Get, path: str, form: str) -> None:
    answer = pipeline(path, nodeId="job:demo:report")
    rendered = export(form, answer)
    for seed in range(5):
        shuffle = random.Random(seed).shuffle
        shuffle(answer["graph"])
        for node in answer["graph"]:
            shuffle(node["inEdges"])
            shuffle(node["outEdges"])
            node["outEdges"] += node["outEdges"]
            shuffle(node["data"].get("inputFields", []))
        assert export(form, answer) == rendered


def test_text_is_sent_as_what_it_is_and_documents_as_json() -> None:
    assert {name: form.content_type for name, form in FORMATS.items()} == {
        "dot": "text/vnd.graphviz; charset=utf-8",
        "mermaid": "text/vnd.mermaid; charset=utf-8",
        "json": "application/json",
        "openlineage": "application/json",
    }
    assert all(
        isinstance(form.render({"graph": []}), str) == ("text" in form.content_type) for form in FORMATS.values()
    )
