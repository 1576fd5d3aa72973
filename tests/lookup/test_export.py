"""GET /export: each format, read back, has the graph of the lookup.

The readers are written from the documentation of the formats, and share no code with the writers.
"""

import html
import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.generated import (
    column_lineage_dataset,
    dataset_type_dataset,
    datasource_dataset,
    documentation_dataset,
    documentation_job,
    job_type_job,
    lifecycle_state_change_dataset,
    schema_dataset,
    source_code_location_job,
    tags_dataset,
)
from openlineage.client.generated import (
    lineage as lineage_facet,
)

from headwater.access.principal import Principal
from headwater.fold.fold import fold
from headwater.http.request import ApiRequest
from headwater.lookup.export import FORMATS
from headwater.store.graph_store import GraphStore
from headwater.store.memory import MemoryTable
from headwater.store.retention import Retention
from tests import factory
from tests.factory import Document
from tests.lookup.requests import response_to

FIXTURES = Path(__file__).parents[1] / "fixtures"
ANYONE = Principal("test", frozenset({"read"}), ("*",))
LAKE = "s3://lake"
NAMESPACE = "kafka://host:9092/ü:#"
NAMES = [
    "plain",
    "with space",
    "  spaces around ",
    "slashes/in/it",
    "co:lons::",
    "ha#sh",
    'quo"te',
    '"',
    "back\\slash",
    "ends with \\",
    "\\N \\G \\n \\\\N",
    '\\"',
    "new\nline",
    "\r\n\t\x01\x7f",
    "🚀 👩‍👩‍👧",
    "表 ü ع",
    "\u202ertl\u2028",
    "x" * 5000,
    "s3/" + "very/" * 200 + "long",
    "a&amp;b &lt; &#65; &",
    "<b>bold</b>",
    "#quot; #35; #",
    "end",
    "subgraph",
    "[x] {y} (z) |p| ;",
    "--> a",
    "__main__ *a* `c`",
    "1. list",
    "https://example.com",
    "style a:#fff;",
    "%%{init: {}}%%",
    "fa:fa-user $$x$$",
]

Get = Callable[..., Any]


def after(*documents: Document) -> Get:
    """Sends lookups to a table that has folded these events."""
    table = MemoryTable()
    fold(factory.received(*documents), GraphStore(table, Retention(timedelta(days=90), timedelta(days=30))))

    def get(path: str, **query: Any) -> Any:
        request = ApiRequest(ANYONE, "GET", f"/api/v1/{path}", {name: str(value) for name, value in query.items()})
        answer = response_to(table, request)
        assert answer.status == 200
        return json.loads(answer.to_gateway()["body"])

    return get


def export(form: str, answer: Any) -> Any:
    return FORMATS[form].render(answer)


def of_any_name(name: str) -> Get:
    """A job, datasets and columns of this name: the job copies a column of that of the same name."""
    flow = {"namespace": NAMESPACE, "name": f"{name} in", "field": name}
    lineage = factory.facet(
        fields={name: {"inputFields": [{**flow, "transformations": [{"type": "DIRECT", "subtype": name}]}]}},
        dataset=[{**flow, "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
    )
    fields = factory.facet(fields=[{"name": name, "type": "int"}])
    return after(
        factory.run_event(
            "COMPLETE",
            job=name,
            inputs=[factory.dataset(f"{name} in", NAMESPACE, schema=fields)],
            outputs=[factory.dataset(name, NAMESPACE, schema=fields, columnLineage=lineage)],
        )
    )


any_name = pytest.mark.parametrize("name", NAMES, ids=lambda name: repr(name[:12]))


@pytest.fixture(scope="module")
def pipeline() -> Get:
    """Two jobs in a row, the second with two inputs; a column that is computed, one that is copied, and a filter."""
    amount = {"namespace": LAKE, "name": "orders", "field": "amount"}
    rate = {"namespace": LAKE, "name": "rates", "field": "rate"}
    conditional = {"type": "INDIRECT", "subtype": "CONDITIONAL"}
    report = factory.facet(
        fields={
            "total": {
                "inputFields": [
                    {**amount, "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}, conditional]},
                    {**rate, "transformations": [conditional]},
                ]
            }
        },
        dataset=[{**rate, "field": "valid", "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
    )
    return after(
        factory.run_event(
            "COMPLETE",
            inputs=[factory.dataset("raw", schema=factory.schema("amount:string"))],
            outputs=[factory.dataset("orders", columnLineage=factory.columns(amount=(LAKE, "raw", "amount")))],
        ),
        factory.run_event(
            "COMPLETE",
            run=2,
            seconds=60,
            job="report",
            inputs=[factory.dataset("orders"), factory.dataset("rates")],
            outputs=[factory.dataset("report", columnLineage=report)],
        ),
    )


# ---------------------------------------------------------------------------------------------------------------- plain


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


# ------------------------------------------------------------------------------------------------------------- pictures


@dataclass
class Drawing:
    """What a picture shows: nodes by id, as (kind, lines of the label, tooltip), and what is drawn around them."""

    nodes: dict[str, tuple[str, list[str], str | None]] = field(default_factory=dict)
    edges: list[tuple[str, str, str, bool]] = field(default_factory=list)
    clusters: dict[tuple[str, ...], list[str]] = field(default_factory=dict)
    title: str | None = None

    def named_edges(self) -> list[tuple[str, str, str, bool]]:
        """The edges with labels in the place of ids."""
        return sorted((self.nodes[a][1][0], self.nodes[b][1][0], text, dashed) for a, b, text, dashed in self.edges)


def read_dot(text: str) -> Drawing:
    """Reads Graphviz's language as https://graphviz.org/doc/info/lang.html and .../attrs/escString.html have it."""
    tokens = _tokens(r'"(?:[^"\\]|\\.)*"|->|[{}\[\]=,]|\w+', text)
    assert [next(tokens), next(tokens), next(tokens)] == ["digraph", "lineage", "{"]
    drawing = Drawing()
    cluster: list[str] | None = None
    around: dict[str, str] = {}
    for token in tokens:
        if token == "subgraph":
            assert next(tokens).startswith("cluster_")
            assert next(tokens) == "{"
            cluster, around = [], {}
        elif token == "}":
            if cluster is not None:
                drawing.clusters[tuple(_shown(around["label"]))] = cluster
            cluster = None
        elif re.fullmatch(r"n\d+", token):
            _read_statement(token, tokens, drawing, cluster)
        else:
            assert next(tokens) == "="
            around[token] = next(tokens)
            drawing.title = _shown(around[token])[0] if token == "label" and cluster is None else drawing.title
    return drawing


def _read_statement(node: str, tokens: "_Tokens", drawing: Drawing, cluster: list[str] | None) -> None:
    target = None
    if tokens.peek() == "->":
        next(tokens)
        target = next(tokens)
    attributes: dict[str, str] = {}
    if tokens.peek() == "[":
        while next(tokens) != "]":
            name, equals, attributes[name] = next(tokens), next(tokens), next(tokens)
            assert equals == "="
    if target:
        (text,) = _shown(attributes.get("label", '""'))
        drawing.edges.append((node, target, text, attributes.get("style") == "dashed"))
        return
    kinds = {("box", None): "job", ("cylinder", None): "dataset", ("box", "rounded"): "column"}
    kind = kinds[attributes["shape"], attributes.get("style")]
    drawing.nodes[node] = (kind, _shown(attributes["label"]), "\n".join(_shown(attributes["tooltip"], passes=2)))
    if cluster is not None:
        cluster.append(node)


def _shown(quoted: str, passes: int = 1) -> list[str]:
    """What Graphviz shows for a quoted string: the lexer knows `\"` alone, then come entities, then escapes."""
    assert quoted[0] == quoted[-1] == '"'
    text = re.sub(r'\\([\\"])', lambda match: '"' if match[1] == '"' else match[0], quoted[1:-1])
    text = html.unescape(text)
    escapes = {"n": "\n", "\\": "\\"}
    for _ in range(passes):
        text = re.sub(r"\\(.)", lambda match: escapes[match[1]], text)
    return text.split("\n")


def read_mermaid(text: str) -> Drawing:
    """Reads a flowchart as https://mermaid.js.org/syntax/flowchart.html has it."""
    front, _, body = text.rpartition("flowchart LR\n")
    title = re.fullmatch(r"(?:---\ntitle: '([^']*)'\n---\n)?", front)
    assert title
    drawing = Drawing(title=title[1])
    cluster: list[str] | None = None
    shapes = {("[", "]"): "job", ("[(", ")]"): "dataset", ("([", "])"): "column"}
    for statement in _tokens(r'(?:"[^"]*"|[^"\n])+', body):
        if statement == "end":
            cluster = None
        elif match := re.fullmatch(r'subgraph d\d+\["([^"]*)"\]', statement):
            cluster = drawing.clusters.setdefault(tuple(_entities(match[1])), [])
        elif match := re.fullmatch(r'(n\d+)([\[(]+)"([^"]*)"([\])]+)', statement):
            drawing.nodes[match[1]] = (shapes[match[2], match[4]], _entities(match[3]), None)
            if cluster is not None:
                cluster.append(match[1])
        else:
            edge = re.fullmatch(r'(n\d+) (-->|-\.->)(?:\|"([^"]*)"\|)? (n\d+)', statement)
            assert edge, statement
            drawing.edges.append((edge[1], edge[4], _entities(edge[3] or "")[0], edge[2] == "-.->"))
    return drawing


def _entities(label: str) -> list[str]:
    """A label's text. It has to be words and entities alone: the rest may be Markdown, or end the label."""
    assert re.fullmatch(r"(?:[\w /\n-]|#\d+;)*", label)
    assert not re.search(r"(?m)^[ _-]|[ _-]$|[ _-]{2}", label)
    return re.sub(r"#(\d+);", lambda match: chr(int(match[1])), label).split("\n")


class _Tokens(Iterator[str]):
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def __next__(self) -> str:
        if not self.tokens:
            raise StopIteration
        return self.tokens.pop(0)

    def peek(self) -> str:
        return self.tokens[0]


def _tokens(pattern: str, text: str) -> _Tokens:
    """All of a text, which has to be tokens of this pattern with white space in between."""
    matches = re.findall(rf"({pattern})|\s+|(.)", text, re.DOTALL)
    assert not [other for _, other in matches if other]
    return _Tokens([token.strip() for token, _ in matches if token.strip()])


READERS: dict[str, Callable[[str], Drawing]] = {"dot": read_dot, "mermaid": read_mermaid}
pictures = pytest.mark.parametrize("form", READERS)


def draw(form: str, answer: Any) -> Drawing:
    return READERS[form](export(form, answer))


def stands_for(shown: str, name: str) -> bool:
    """Whether what is shown is the name in one line; of a long one, its beginning and its end."""
    one_line = "".join(
        chr(0x2400 + ord(character)) if ord(character) < 0x20 else character for character in name.replace("\x7f", "␡")
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
def test_a_picture_of_columns_groups_them_by_dataset_and_dashes_what_only_bears_on_others(
    pipeline: Get, form: str
) -> None:
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


# ---------------------------------------------------------------------------------------------------------- OpenLineage


def essence(graph: Any) -> Any:
    """Nodes and edges of a graph, without the members that differ by run, version or time."""
    of_their_own = {"createdAt", "latestRun", "currentRunUuid", "simpleName", "parentJobName", "parentJobUuid"}
    of_their_own |= {"fieldType", "datasetVersion"}

    def without_varying(value: Any) -> Any:
        if isinstance(value, list):
            return [without_varying(element) for element in value]
        if isinstance(value, dict):
            return {name: without_varying(member) for name, member in value.items() if name not in of_their_own}
        return value

    return without_varying(graph)


def again(answer: Any) -> Get:
    """Sends lookups to a table that has folded the export of this response and nothing else."""
    return after(*json.loads(json.dumps(export("openlineage", answer))))


def spark() -> Get:
    lines = (FIXTURES / "spark-3.5" / "orders.jsonl").read_text().splitlines()
    return after(*map(json.loads, lines))


@any_name
def test_the_events_give_the_same_graph_for_any_name(name: str) -> None:
    get = of_any_name(name)
    lineage = get("lineage", nodeId=f"job:demo:{name}")
    assert essence(again(lineage)("lineage", nodeId=f"job:demo:{name}")) == essence(lineage)
    columns = get("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}")
    assert len(columns["graph"]) == 2
    assert essence(again(columns)("column-lineage", nodeId=f"dataset:{NAMESPACE}:{name}")) == essence(columns)


@pytest.mark.parametrize("node", ["dataset:file:/data/revenue_daily", "dataset:file:/data/raw/orders"])
def test_the_events_give_the_same_graph_of_a_real_pipeline(node: str) -> None:
    get = spark()
    lineage = get("lineage", nodeId=node)
    assert len(lineage["graph"]) == 6
    assert essence(again(lineage)("lineage", nodeId=node)) == essence(lineage)


def test_the_events_give_the_same_columns_of_a_real_pipeline() -> None:
    node = "dataset:file:/data/revenue_daily"
    columns = spark()("column-lineage", nodeId=node)
    assert (len(columns["graph"]) > 10, len(columns["indirect"]) > 2) == (True, True)
    assert essence(again(columns)("column-lineage", nodeId=node)) == essence(columns)


def test_the_events_tell_what_the_graph_tells_of_its_nodes() -> None:
    nested = factory.facet(
        fields=[
            {"name": "id", "type": "long", "description": "the key"},
            {"name": "who", "type": "struct", "fields": [{"name": "first"}, {"name": "last", "type": "string"}]},
        ]
    )
    get = after(
        factory.run_event(
            "COMPLETE",
            inputs=[
                factory.dataset("topic", datasetType=factory.facet(datasetType="TOPIC")),
                factory.dataset("model", datasetType=factory.facet(datasetType="MODEL")),
            ],
            outputs=[
                factory.dataset(
                    "table",
                    schema=nested,
                    documentation=factory.facet(description="Who ordered"),
                    dataSource=factory.facet(name="the lake", uri=LAKE),
                    lifecycleStateChange=factory.facet(lifecycleStateChange="OVERWRITE"),
                )
            ],
            job_facets={
                "jobType": factory.facet(processingType="STREAMING", integration="SPARK"),
                "documentation": factory.facet(description="Loads"),
                "sourceCodeLocation": factory.facet(type="git", url="https://example.com/repo"),
            },
        )
    )
    lineage = get("lineage", nodeId="job:demo:load")
    assert {node["data"]["type"] for node in lineage["graph"]} == {"STREAM", "MODEL", "DB_TABLE"}
    assert essence(again(lineage)("lineage", nodeId="job:demo:load")) == essence(lineage)


def test_a_dataset_that_no_job_uses_is_an_event_of_its_own() -> None:
    get = after(factory.dataset_event(factory.dataset("lone", schema=factory.schema("id:int")), seconds=7))
    node = f"dataset:{LAKE}:lone"
    lineage = get("lineage", nodeId=node)
    (event,) = export("openlineage", lineage)
    assert (event["eventTime"], event["dataset"]["name"]) == (factory.at(7), "lone")
    assert essence(again(lineage)("lineage", nodeId=node)) == essence(lineage)


def test_a_job_s_event_is_dated_by_its_last_and_names_its_datasets_with_their_schemas(pipeline: Get) -> None:
    events = export("openlineage", pipeline("lineage", nodeId="job:demo:load"))
    assert [(event["job"]["name"], event["eventTime"]) for event in events] == [
        ("load", factory.at(0)),
        ("report", factory.at(60)),
    ]
    assert [dataset["name"] for dataset in events[1]["inputs"]] == ["orders", "rates"]
    assert events[0]["inputs"][0]["facets"]["schema"]["fields"] == [{"name": "amount", "type": "string"}]


def test_tags_of_datasets_and_columns_are_exported(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    (raw,) = [node for node in answer["graph"] if node["data"]["name"] == "raw"]
    raw["data"]["tags"], raw["data"]["fields"][0]["tags"] = ["gold"], ["pii"]
    event = export("openlineage", answer)[0]
    assert event["inputs"][0]["facets"]["tags"]["tags"] == [
        {"key": "gold", "value": "true"},
        {"key": "pii", "value": "true", "field": "amount"},
    ]


def test_a_derivation_is_exported(pipeline: Get) -> None:
    answer = pipeline("lineage", nodeId="job:demo:load")
    by_name = {node["data"]["name"]: node for node in answer["graph"] if node["type"] == "DATASET"}
    edge = {"origin": by_name["report"]["id"], "destination": by_name["raw"]["id"]}
    by_name["report"]["outEdges"].append(edge)
    event = export("openlineage", answer)[-1]
    assert event["dataset"]["name"] == "raw"
    assert event["dataset"]["facets"]["lineage"]["inputs"] == [{"namespace": LAKE, "name": "report", "type": "DATASET"}]


CLASSES: dict[str, Any] = {
    facet._get_schema(): facet
    for facet in (
        column_lineage_dataset.ColumnLineageDatasetFacet,
        dataset_type_dataset.DatasetTypeDatasetFacet,
        datasource_dataset.DatasourceDatasetFacet,
        documentation_dataset.DocumentationDatasetFacet,
        documentation_job.DocumentationJobFacet,
        job_type_job.JobTypeJobFacet,
        lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet,
        lineage_facet.LineageDatasetFacet,
        schema_dataset.SchemaDatasetFacet,
        source_code_location_job.SourceCodeLocationJobFacet,
        tags_dataset.TagsDatasetFacet,
    )
}


def test_events_and_facets_are_of_the_forms_that_they_name() -> None:
    """The classes are those of OpenLineage's own client, which are generated from the spec."""
    data = {"namespace": "n", "name": "x", "updatedAt": factory.at(0), "description": "d"}
    job = {**data, "type": "STREAM", "location": "https://example.com"}
    dataset = {**job, "sourceName": "s", "lastLifecycleState": "DROP", "tags": ["t"], "fields": [{"name": "f"}]}
    made = {"origin": "dataset:n:x", "destination": "dataset:n:x"}
    nodes: list[Document] = [
        {"id": "dataset:n:x", "type": "DATASET", "data": dataset, "inEdges": [made], "outEdges": []},
        {"id": "job:n:x", "type": "JOB", "data": job, "inEdges": [], "outEdges": []},
    ]
    events = export("openlineage", {"graph": nodes})
    events += export("openlineage", of_any_name("x")("column-lineage", nodeId=f"dataset:{NAMESPACE}:x"))
    seen = set()
    for event in events:
        kind = "JobEvent" if "job" in event else "DatasetEvent"
        assert event["schemaURL"] == f"https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/{kind}"
        for facet in event.get("job", event.get("dataset"))["facets"].values():
            members = {name: value for name, value in facet.items() if not name.startswith("_")}
            CLASSES[facet["_schemaURL"]](**members)
            seen.add(facet["_schemaURL"])
            assert facet["_producer"] == event["producer"]
    assert seen == set(CLASSES)


# ------------------------------------------------------------------------------------------------------------------ all


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
