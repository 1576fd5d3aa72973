"""GET /diff: the lineage of a node, or the nodes of namespaces, at two times, and what differs.

A node costs two requests for /lineage and a read of runs; namespaces cost as much as has happened since.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from headwater.graph.facets.curation import DELETED
from headwater.graph.facets.members import is_drop
from headwater.graph.facets.register import Register, values
from headwater.graph.facets.renaming import renames_from
from headwater.graph.facets.schema_diff import SchemaDiff, columns_of
from headwater.graph.names.identity import NodeKind, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.http.request import ApiRequest
from headwater.lookup.graphs.graph_view import GraphView, serialise
from headwater.lookup.graphs.lineage import DEFAULT_NODES, walked
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.activity import with_renames_between
from headwater.read.frontier import BlindSpot
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.window import Window
from headwater.store.snapshot import ReadRequest
from headwater.traversal.graph_diff import Columns, GraphAtTime, GraphDiff, GraphEdge, graph_diff
from headwater.traversal.lineage import Direction, View, Walk
from headwater.traversal.lineage_graph import LineageGraph

if TYPE_CHECKING:
    from headwater.traversal.namespace_diff import ChangedDataset


def diff(reader: Reader, request: ApiRequest, subject: NamedNode | Sequence[str] | None) -> JsonObject:
    """The nodes, edges and columns that were added, removed or changed between two times: of the lineage of a node, of
    some namespaces, or of all that the caller reads (None)."""
    begin, end = request.time("from"), request.time("to") or instant_of(request.received_at)
    if begin is None:
        raise InvalidRequest(Fault("from", "missing; expected a time"))
    if begin >= end:
        raise InvalidRequest(Fault("from", "must be earlier than `to`"))
    if isinstance(subject, NamedNode):
        return _of_node(reader, request, subject, begin, end)
    return _of_namespaces(reader, request, subject, Window(begin, request.time("to")))


def _of_node(reader: Reader, request: ApiRequest, node: NamedNode, begin: Instant, end: Instant) -> JsonObject:
    view = request.choice("view", View) or View.CURRENT
    walk = Walk(request.depth(), request.choice("direction", Direction), view, most=DEFAULT_NODES, is_settled=True)
    graphs = [(time, walked(reader, node, walk._replace(as_of=time), None)) for time in (begin, end)]
    views = [(serialise(reader, graph, as_of=time), graph.is_truncated) for time, graph in graphs]
    (before, _), (after, _) = views
    former = _former_names(graphs[1][1], before, after, Window(begin, end))
    before = _under_later_names(before, former)
    difference = graph_diff(_at_time(before), _at_time(after))
    difference = _with_renames(reader, difference, graphs[1][1], Window(begin, end))
    gone = _gone(reader, graphs[0][1], Window(begin, end), set(difference.removed))
    code, new = _changed_code(reader, graphs[0][1], graphs[1][1]), _new(graphs[1][1], begin)
    changed = sorted({*difference.changed, *former.values(), *code.keys() & after.nodes.keys()})
    answer: JsonObject = {
        "from": shown(begin),
        "to": shown(end),
        "nodes": {
            "added": [{**_named(after, node), "isNew": node in new} for node in difference.added],
            "removed": [*(_named(before, node) for node in difference.removed), *gone],
            "changed": [
                {**_changed(node, difference, before, after, former), **code.get(node, {})} for node in changed
            ],
        },
        "edges": {"added": edges_as_json(difference.edges_added), "removed": edges_as_json(difference.edges_removed)},
    }
    return answer | ({"truncated": True} if any(is_truncated for _, is_truncated in views) else {})


def _with_renames(reader: Reader, difference: GraphDiff, graph: LineageGraph, window: Window) -> GraphDiff:
    names = {dataset: node_id(NodeKind.DATASET, head.facts.name) for dataset, head in graph.datasets.items()}
    diffs = {dataset: difference.changed[name] for dataset, name in names.items() if name in difference.changed}
    around = reader.neighbourhood(diffs.keys(), ())
    renamed = with_renames_between(reader, diffs, {dataset: around.ids_of(dataset) for dataset in diffs}, window)
    return replace(difference, changed={**difference.changed, **{names[each]: diff for each, diff in renamed.items()}})


def _changed(
    node: str, difference: GraphDiff, before: GraphView, after: GraphView, former: Mapping[str, str]
) -> JsonObject:
    changed, diff = _named(after, node), difference.changed.get(node)
    if diff:
        changed["columns"] = columns_as_json(diff, *(columns_of(view.nodes[node]["data"]) for view in (before, after)))
    return changed | ({"renamedFrom": before.nodes[node]["data"]["id"]} if node in former.values() else {})


def _changed_code(reader: Reader, before: LineageGraph, after: LineageGraph) -> dict[str, JsonObject]:
    """The code of the jobs that run other code at the second time, by nodeId: a read, as for namespaces."""
    # imported by the first request for it: few cold starts need it
    from headwater.traversal.namespace_diff import changed_code  # noqa: PLC0415

    own = {job: head.facts.name for job, head in after.jobs.items() if not head.is_foreign}
    edges = ({job: edges for job, edges in graph.edges_of.items() if job in own} for graph in (before, after))
    return {node_id(NodeKind.JOB, own[job]): _code(*code) for job, code in changed_code(reader, *edges).items()}


def _new(graph: LineageGraph, begin: Instant) -> set[str]:
    """The nodes that no event had named at a time. Any others only entered the graph."""
    jobs = {node_id(NodeKind.JOB, head.facts.name): head.facts.first for head in graph.jobs.values()}
    datasets = {node_id(NodeKind.DATASET, head.facts.name): head.facts.created for head in graph.datasets.values()}
    return {node for node, first in (jobs | datasets).items() if first > begin}


def _former_names(graph: LineageGraph, before: GraphView, after: GraphView, window: Window) -> dict[str, str]:
    """The datasets that were renamed in a window, by their former nodeIds."""
    pairs = [
        (node_id(NodeKind.DATASET, rename.other), node_id(NodeKind.DATASET, head.facts.name))
        for head in graph.datasets.values()
        for rename in renames_from(head.facets)
        if window.since < rename.at and window.has(rename.at)
    ]
    both = before.nodes.keys() & after.nodes.keys()
    return {old: new for old, new in pairs if old in before.nodes and new in after.nodes and not {old, new} & both}


def _under_later_names(view: GraphView, former: Mapping[str, str]) -> GraphView:
    nodes = {former.get(node, node): document for node, document in view.nodes.items()}
    return GraphView(nodes, frozenset((former.get(a, a), former.get(b, b)) for a, b in view.edges))


def _gone(reader: Reader, graph: LineageGraph, window: Window, removed: Collection[str]) -> list[JsonObject]:
    """The datasets that were dropped or deleted since. The jobs beside them still name them, and a deleted dataset is
    in no graph, whatever its time."""
    heads = reader.datasets(graph.deleted, deleted=True) if graph.deleted else {}
    deleted = [head.facts.name for head in heads.values() if _is_since(head.facts.own.get(DELETED), head, window)]
    dropped = [head for head in graph.datasets.values() if is_drop(head.facets) and not head.is_foreign]
    names = [head.facts.name for head in dropped if _was_dropped(reader, head, window)]
    gone = [
        *({**_node(NodeKind.DATASET, name), "dropped": True} for name in sorted(names)),
        *({**_node(NodeKind.DATASET, name), "deleted": True} for name in sorted(deleted)),
    ]
    return [node for node in gone if node["nodeId"] not in removed]


def _is_since(deletion: Register | None, head: DatasetHead, window: Window) -> bool:
    return deletion is not None and head.facts.created <= window.since < deletion.time and window.has(deletion.time)


def _was_dropped(reader: Reader, head: DatasetHead, window: Window) -> bool:
    """Whether the last write of a dataset in a window dropped it."""
    newest = list(islice(reader.store.writes_of(head.id).newest(since=window.since, until=window.until, limit=1), 1))
    writes = reader.store.read(ReadRequest(writes=newest)).writes.of(newest)
    failed = {run.id for run in reader.runs([write.run for write in newest]) if run.ending and run.ending.failed}
    drops = [write for write in writes if is_drop(values(write.output.facets)) and write.id.run not in failed]
    return head.facts.created <= window.since and bool(drops)


def _of_namespaces(reader: Reader, request: ApiRequest, named: Sequence[str] | None, window: Window) -> JsonObject:
    # imported by the first request for it: few cold starts need it
    from headwater.traversal.namespace_diff import namespace_diff  # noqa: PLC0415

    caller = request.principal
    readable = [known.name for known in reader.namespaces() if caller.may_read(known.name)]
    found = namespace_diff(reader, caller.may_read if named is None else named.__contains__, readable, window)
    if not caller.reads_everything:
        found.unseen.append((BlindSpot.JOBS_OF_OTHERS, 1))
    changed = [
        *({**_node(NodeKind.DATASET, each.name), **_change(each)} for each in found.datasets),
        *({**_node(NodeKind.JOB, each.name), **(_code(*each.code) if each.code else {})} for each in found.jobs),
    ]
    answer: JsonObject = {
        "from": shown(window.since),
        "to": shown(window.until or instant_of(request.received_at)),
        "nodes": {
            "added": [_node(*node) for node in sorted(found.added)],
            "removed": [_node(*node) for node in sorted(found.removed)],
            "changed": changed,
            "changedBack": [_node(*node) for node in sorted(found.changed_back)],
        },
        "edges": {
            "added": edges_as_json(sorted(found.edges_added)),
            "removed": edges_as_json(sorted(found.edges_removed)),
        },
        "frontier": found.frontier(window.since).as_json(),
    }
    return answer | ({"truncated": True} if found.is_cut else {})


def _node(kind: NodeKind, name: Name) -> JsonObject:
    return {"nodeId": node_id(kind, name), "type": kind.value.upper(), **name.as_json()}


def _change(changed: "ChangedDataset") -> JsonObject:
    columns = columns_as_json(changed.diff, changed.before, changed.after)
    return {"columns": columns} | ({"renamedFrom": changed.renamed_from.as_json()} if changed.renamed_from else {})


def _code(before: JsonObject, after: JsonObject) -> JsonObject:
    return {"code": {"before": before, "after": after}}


def _at_time(view: GraphView) -> GraphAtTime:
    return GraphAtTime({node: _columns_of(document) for node, document in view.nodes.items()}, frozenset(view.edges))


def _columns_of(document: JsonObject) -> Columns | None:
    return columns_of(document["data"]) if document["type"] == "DATASET" else None


def _named(view: GraphView, node_id: str) -> JsonObject:
    document = view.nodes[node_id]
    return {"nodeId": node_id, "type": document["type"], **document["data"]["id"]}


def columns_as_json(diff: SchemaDiff, old: Columns, new: Columns) -> JsonObject:
    """The columns that differ. A column that seems renamed is not among the added and removed ones."""
    renamed = [{"before": each.before, "after": each.after, "evidence": each.evidence} for each in diff.renamed]
    return {
        "added": [{"field": name, "type": _text(new.get(name))} for name in diff.added],
        "removed": [{"field": name, "type": _text(old.get(name))} for name in diff.removed],
        "retyped": [
            {"field": each.name, "before": _text(each.before), "after": _text(each.after), "change": each.change.value}
            for each in diff.retyped
        ],
        **({"renamed": renamed} if renamed else {}),
    }


def _text(kind: Any) -> str | None:
    return kind if isinstance(kind, str) else None


def edges_as_json(edges: Sequence[GraphEdge]) -> list[JsonObject]:
    return [{"origin": origin, "destination": destination} for origin, destination in edges]
