"""GET /export as dot and mermaid: the picture, read back, has the graph of the lookup."""

import pytest

from tests.lookup.export.graphs import LAKE, NAMESPACE, Get, any_name, export, of_any_name
from tests.lookup.export.pictures import READERS, Drawing, draw

pictures = pytest.mark.parametrize("form", READERS)


def stands_for(shown: str, name: str) -> bool:
    """Whether a label shows the name in one line; of a long name, its beginning and its end."""
    one_line = "".join(
        chr(0x2400 + ord(character)) if ord(character) < 0x20 else character
        for character in name.replace("\x7f", "␡").replace("\u202e", "\ufffd")
    )
    if len(one_line) <= 60:
        return shown == one_line
    start, dots, end = shown.partition("…")
    return bool(dots) and one_line.startswith(start) and one_line.endswith(end) and 50 <= len(shown) <= 60


@pictures
def test_a_picture_tells_jobs_from_datasets(pipeline: Get, form: str) -> None:
    drawing = draw(form, pipeline("lineage", nodeId="job:demo:load"))
    assert sorted((kind, *lines) for kind, lines, _ in drawing.nodes.values()) == [
        ("dataset", "orders", LAKE),
        ("dataset", "rates", LAKE),
        ("dataset", "raw", LAKE),
        ("dataset", "report", LAKE),
        ("job", "load", "demo"),
        ("job", "report", "demo"),
    ]
    assert drawing.named_edges() == [
        ("load", "orders", "", False),
        ("orders", "report", "", False),
        ("rates", "report", "", False),
        ("raw", "load", "", False),
        ("report", "report", "", False),
    ]
    assert (drawing.clusters, drawing.title) == ({}, None)


@pictures
def test_a_picture_of_columns_groups_them_by_dataset_and_dashes_what_bears_on_others(pipeline: Get, form: str) -> None:
    drawing = draw(form, pipeline("column-lineage", nodeId=f"dataset:{LAKE}:report"))
    inside = {
        dataset[0]: sorted((drawing.nodes[node][0], drawing.nodes[node][1][0]) for node in nodes)
        for dataset, nodes in drawing.clusters.items()
    }
    assert inside == {
        "orders": [("column", "amount")],
        "rates": [("column", "rate"), ("column", "valid")],
        "raw": [("column", "amount")],
        "report": [("column", "total"), ("dataset", "all columns")],
    }
    assert drawing.named_edges() == [
        ("amount", "amount", "", False),
        ("amount", "total", "AGGREGATION, CONDITIONAL", False),
        ("rate", "total", "CONDITIONAL", True),
        ("valid", "all columns", "FILTER", True),
    ]


def test_a_picture_goes_from_left_to_right(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    assert "  rankdir=LR\n" in export("dot", answer)
    assert export("mermaid", answer).startswith("flowchart LR\n")


@pictures
def test_a_picture_says_that_it_is_truncated(pipeline: Get, form: str) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    assert str(draw(form, answer | {"truncated": True}).title).startswith("truncated")


@pictures
def test_nothing_is_a_picture_too(form: str) -> None:
    assert draw(form, {"graph": []}) == draw(form, {"graph": [], "indirect": []}) == Drawing()


@pictures
@any_name
def test_a_picture_shows_any_name(name: str, form: str) -> None:
    get = of_any_name(name)
    graph = draw(form, get("lineage", nodeId=f"job:demo:{name}"))
    assert sorted(kind for kind, _, _ in graph.nodes.values()) == ["dataset", "dataset", "job"]
    ((job_lines, tooltip),) = [node[1:] for node in graph.nodes.values() if node[0] == "job"]
    assert stands_for(job_lines[0], name)
    assert job_lines[1:] == ["demo"]
    assert form != "dot" or len(str(tooltip)) == len(f"job:demo:{name}")
    columns = draw(form, get("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}"))
    fields = [lines for kind, lines, _ in columns.nodes.values() if kind == "column"]
    assert [(len(lines), stands_for(lines[0], name)) for lines in fields] == [(1, True)] * 2
    titles = sorted(columns.clusters, key=lambda lines: lines[0].endswith(" in"))
    assert [lines[1] for lines in titles] == [NAMESPACE] * 2
    assert stands_for(titles[0][0], name)
    assert stands_for(titles[1][0], f"{name} in")
    texts = {dashed: text for _, _, text, dashed in columns.edges}
    assert texts[True] == "FILTER"
    assert stands_for(texts[False], name)
