"""The response to GET /lineage: the graph of a walk in the form of Marquez's API, in pages."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.graph.facets.members import EXPOSURES, exposure_nodes, owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, NodeId, NodeKind, job_id, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.job import JobHead, LatestRun
from headwater.graph.states.neighbours import Side
from headwater.http.marquez.datasets import dataset_node, dataset_type, last_write
from headwater.http.marquez.jobs import job_node
from headwater.openlineage import exact_json
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import DocumentParts, JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.dataset_details import first_jobs
from headwater.read.good_writes import KnownWriters, LastWrite, last_write_by_heads, last_writes
from headwater.read.reader import Reader
from headwater.traversal.lineage_graph import LineageEdge, LineageGraph

MAX_BYTES = 20_000_000
"""The estimated size of a page. Gzip makes it ten times smaller, and a Lambda returns at most 6 MB."""
MAX_WRITERS = 5_000
"""Writers beside a graph that are read for its last writes."""
EDGES_AT_ONCE = 100
"""They take a tenth of a millisecond."""
_NO_WRITE = LastWrite()
_NOBODY = frozenset[JobId]()


class NodeText(NamedTuple):
    """A node whose JSON is written already, but for its edges: `"id":...,"type":...,"data":{...}}`. An edge is the
    `origin` of one node and the `destination` of another; `size` is the estimate for a page."""

    id: str
    origin: bytes
    destination: bytes
    members: bytes
    size: int


@dataclass(frozen=True)
class GraphView:
    """Nodes in the order in which a walk reached them, each a document or a NodeText, and the edges between them, by
    nodeId. `foreign` are the edges to datasets whose namespaces the producer may not write, `candidates` those to jobs
    that only may use the dataset."""

    nodes: Mapping[str, Any]
    edges: Collection[tuple[str, str]]
    foreign: frozenset[tuple[str, str]] = frozenset()
    candidates: frozenset[tuple[str, str]] = frozenset()

    def page(self, offset: int, limit: int) -> tuple[list[JsonObject] | DocumentParts, int]:
        """The nodes of a page and their number, which is less than `limit` if the nodes are long. An edge between two
        pages is on the later page."""
        shown = list(self.nodes)[: offset + limit]
        size = 0
        for at, node in enumerate(shown[offset:], start=offset):
            known = self.nodes[node]
            size += known.size if isinstance(known, NodeText) else _size(known)
            if size > MAX_BYTES and at > offset:
                shown = shown[:at]
                break
        ordered = sorted(shown)
        page = set(shown[offset:])
        nodes = [
            (self.nodes[node], came, went)
            for node, came, went in zip(ordered, *self._edges(ordered), strict=True)
            if node in page
        ]
        give_way()
        if not self._are_texts:
            return [{"inEdges": came, "outEdges": went, **known} for known, came, went in nodes], len(page)
        parts: list[bytes] = []
        for known, came, went in nodes:
            if not isinstance(known, NodeText):  # an exposure, which has its edges
                parts += (b",", exact_json.encode({"inEdges": [], "outEdges": [], **known}))
                continue
            parts += (b',{"inEdges":[', b",".join(came), b'],"outEdges":[', b",".join(went), b"],", known.members)
        if parts:  # without the first comma
            parts[0] = parts[0][1:]
        return DocumentParts([b"[", *parts, b"]"]), len(page)

    @property
    def _are_texts(self) -> bool:
        return any(isinstance(node, NodeText) for node in islice(self.nodes.values(), 1))

    def _edges(self, shown: Sequence[str]) -> tuple[list[list[Any]], list[list[Any]]]:
        """The edges into and out of each node that is shown, by the ids of their other ends; `shown` is in order."""
        into: list[list[Any]] = [[] for _ in shown]
        out_of: list[list[Any]] = [[] for _ in shown]
        marked = [(mark, edges) for mark, edges in (("foreign", self.foreign), ("candidate", self.candidates)) if edges]
        at = {node: place for place, node in enumerate(shown)}
        nodes, are_texts, count = self.nodes, self._are_texts, len(shown)
        # an edge as one number: numbers are sorted ten times as fast as pairs of ids
        within = self.edges if count == len(nodes) else [(a, b) for a, b in self.edges if a in at and b in at]
        edges = sorted({at[a] * count + at[b] for a, b in within})
        for number, places in enumerate(edges):
            if not number % EDGES_AT_ONCE:
                give_way()
            start, end = divmod(places, count)
            origin, destination = shown[start], shown[end]
            edge: JsonObject | bytes
            if are_texts:
                edge = nodes[origin].origin + nodes[destination].destination
            else:
                edge = {"origin": origin, "destination": destination}
            if marked:
                edge = _marked(edge, [mark for mark, edges in marked if (origin, destination) in edges])
            into[end].append(edge)
            out_of[start].append(edge)
        return into, out_of


def _marked(edge: JsonObject | bytes, marks: Sequence[str]) -> JsonObject | bytes:
    if isinstance(edge, bytes):
        return b"".join([edge[:-1], *(b',"%b":true' % mark.encode() for mark in marks), b"}"])
    return edge | dict.fromkeys(marks, True)


def serialise(
    reader: Reader,
    graph: LineageGraph,
    *,
    as_of: Instant | None = None,
    exposed: Collection[NodeId] = (),
    as_texts: bool = False,
) -> GraphView:
    """The graph of a walk as JSON. A derivation is no node, but edges between datasets. The exposures of the `exposed`
    datasets are nodes, after all others. `as_texts` is for an answer that is sent as it is: its nodes are written
    already, as long as nothing new is known of them."""
    give_way()
    heads = heads_of(reader, graph, as_of)
    users = _users_of(reader, graph, heads, as_of)
    latest = _runs_at(reader, graph, heads, as_of) if as_of else None
    job, dataset = (_job_text, _dataset_text) if as_texts else (_job, _dataset)
    said_of_jobs = _said_of_jobs(graph, latest, as_of)
    texts: Iterable[Any] = reader.store.made_of_each(job, said_of_jobs.values())
    nodes: dict[NodeId, Any] = dict(zip(said_of_jobs, texts, strict=True))
    if as_texts and not as_of:
        nodes |= _texts_by_heads(reader, graph, users)
    give_way()
    if rest := [DatasetId(node) for node in graph.order if node in graph.datasets and node not in nodes]:
        said = _said_of_datasets(reader, graph, rest, users, as_of)
        nodes |= zip(rest, reader.store.made_of_each(dataset, said), strict=True)
    give_way()
    shown = [node for node in graph.order if node in nodes]
    ids: dict[NodeId, str] = {
        node: made.id if isinstance(made := nodes[node], NodeText) else made["id"] for node in shown
    }
    give_way()
    all_edges: list[LineageEdge] = [*graph.reads, *graph.writes]
    edges, foreign, candidates = (
        [(ids[a], ids[b]) for a, b in _drawn(graph, edges) if a in ids and b in ids]
        for edges in (all_edges, graph.foreign_edges, graph.candidate_edges)
    )
    made = {ids[node]: nodes[node] for node in shown}
    return GraphView(made | _exposures(graph, exposed), edges, frozenset(foreign), frozenset(candidates))


def _exposures(graph: LineageGraph, exposed: Collection[NodeId]) -> dict[str, JsonObject]:
    """The exposures of some datasets. Their edges are only in their own `inEdges`: Marquez's page draws `outEdges`, and
    cannot draw what is neither job nor dataset."""
    nodes: dict[str, JsonObject] = {}
    has_any = any(EXPOSURES in head.facets for head in graph.datasets.values())
    for dataset in _readable(graph) if has_any else ():
        head = graph.datasets[dataset]
        if EXPOSURES not in head.facets or dataset not in exposed:
            continue
        for exposure, members in exposure_nodes(head.facts.name, head.facets).items():
            edge = {"origin": node_id(NodeKind.DATASET, head.facts.name), "destination": exposure}
            data = {
                "namespace": head.facts.name.namespace,
                "name": members["id"],
                "displayName": members["name"],
                "type": members.get("type"),
                "url": members.get("url"),
                "owners": [members["owner"]] if "owner" in members else [],
            }
            known = nodes.setdefault(
                exposure, {"id": exposure, "type": "EXPOSURE", "data": data, "inEdges": [], "outEdges": []}
            )
            known["inEdges"].append(edge)
    return nodes


def _said_of_jobs(
    graph: LineageGraph, latest: Mapping[JobId, LatestRun] | None, as_of: Instant | None
) -> dict[JobId, tuple[JobHead, tuple[Edges, LatestRun | None, Instant | None]]]:
    """What the node of each job is made of, as `_job` takes it."""
    names = {dataset: head.facts.name for dataset, head in graph.datasets.items()}
    names |= {other: names[shown] for other, shown in graph.representatives.items() if shown in names}
    return {
        job: (
            head,
            (
                _with_names(graph.edges_of[job], names),
                head.latest if latest is None else latest.get(job),
                as_of if as_of and head.facts.updated > as_of else None,
            ),
        )
        for job, head in graph.jobs.items()
        if job in graph.order and not head.facts.is_derivation
    }


def _job(head: JobHead, edges: Edges, run: LatestRun | None, updated: Instant | None) -> JsonObject:
    data = job_node(head, edges, run) | {"owners": owners_of(values(head.facts.facets))}
    if updated:
        data["updatedAt"] = shown(updated)
    return {"id": node_id("job", head.facts.name), "type": "JOB", "data": data}


def _job_text(head: JobHead, edges: Edges, run: LatestRun | None, updated: Instant | None) -> NodeText:
    return _node_text(_job(head, edges, run, updated))


def _texts_by_heads(reader: Reader, graph: LineageGraph, users: "_Users") -> dict[NodeId, NodeText]:
    """The nodes of those datasets of which the heads of their users tell all, as they usually do. It is kept with their
    states for as long as these heads are the same."""
    if graph.part_read or graph.representatives or graph.renamed:
        return {}
    heads, wrote = {**users.walked, **users.others}, graph.writers
    said = [
        (graph.datasets[dataset], (dataset, wrote.get(dataset, _NOBODY), tuple([heads.get(job) for job in first])))
        for dataset, first in users.first.items()
    ]
    texts = zip(users.first, reader.store.made_of_each(_text_by_heads, said), strict=True)
    return {dataset: text for dataset, text in texts if text}


def _first_jobs(head: DatasetHead, writers: Collection[JobId]) -> tuple[JobId, ...]:
    return tuple(first_jobs(head, writers))


def _text_by_heads(
    head: DatasetHead, dataset: DatasetId, writers: Collection[JobId], users: Collection[JobHead | None]
) -> NodeText | None:
    known = [user for user in users if user]
    wrote = [user for user in known if user.facts.id in writers]
    if len(wrote) < len(writers):
        return None
    present = [user for user in wrote if not user.facts.is_deleted]
    write = last_write_by_heads(KnownWriters({dataset}, present))
    used = [usage.last for user in known if (usage := user.facts.usages.get(dataset))]
    return _dataset_text(head, max(used, default=None), {}, write) if write else None


def _said_of_datasets(
    reader: Reader, graph: LineageGraph, datasets: Collection[DatasetId], users: "_Users", as_of: Instant | None
) -> list[tuple[DatasetHead, tuple[Instant | None, JsonObject, LastWrite]]]:
    """What the nodes of some datasets are made of, as `_dataset` takes it."""
    used = _last_used(graph, datasets, users, as_of)
    heads = users.walked
    if not as_of:
        heads = {**heads, **{job: head for job, head in users.others.items() if not head.facts.is_deleted}}
    known = known_writers(graph, heads, users.writers)
    writes = last_writes(reader, {dataset: of for dataset in datasets if (of := known.get(dataset))}, as_of)
    return [
        (
            graph.datasets[dataset],
            (used.get(dataset), _estimates(graph, dataset) if graph.part_read else {}, writes.get(dataset, _NO_WRITE)),
        )
        for dataset in datasets
    ]


def _dataset(head: DatasetHead, used: Instant | None, estimates: JsonObject, write: LastWrite) -> JsonObject:
    said = {"datasetType": dataset_type(head.facets), "owners": owners_of(head.facets)}
    data = {**dataset_node(head, used), **said, **estimates, **last_write(write)}
    return {"id": node_id("dataset", head.facts.name), "type": "DATASET", "data": data}


def _dataset_text(head: DatasetHead, used: Instant | None, estimates: JsonObject, write: LastWrite) -> NodeText:
    return _node_text(_dataset(head, used, estimates, write))


def _node_text(node: JsonObject) -> NodeText:
    name = exact_json.encode(node["id"])
    origin, destination = b'{"origin":%b,"destination":' % name, name + b"}"
    return NodeText(node["id"], origin, destination, exact_json.encode(node)[1:], _size(node))


class _Users(NamedTuple):
    """The heads of jobs that use datasets of a graph: those that the walk read, now or at the time of the graph; and
    those beside them, also of deleted jobs. The `writers` beside that were asked for; at a time none, since each would
    take a query. The `first` jobs of each dataset."""

    walked: Mapping[JobId, JobHead]
    others: Mapping[JobId, JobHead]
    writers: Collection[JobId]
    first: Mapping[DatasetId, Sequence[JobId]]


def _users_of(reader: Reader, graph: LineageGraph, walked: Mapping[JobId, JobHead], as_of: Instant | None) -> _Users:
    """All writers and the first readers of the datasets, whichever way the graph goes: one read."""
    order, writers = graph.order, graph.writers
    wrote = {
        dataset: writers.get(dataset, _NOBODY)
        for dataset, head in graph.datasets.items()
        if dataset in order and not head.is_foreign
    }
    said = [(graph.datasets[dataset], (jobs,)) for dataset, jobs in wrote.items()]
    first = dict(zip(wrote, reader.store.made_of_each(_first_jobs, said), strict=True))
    known = graph.job_heads.keys()
    unread = sorted(_NOBODY.union(*wrote.values()) - known)[: 0 if as_of else MAX_WRITERS]
    asked = {*unread, *(set(sorted(_NOBODY.union(*first.values()))[:MAX_WRITERS]) - known)}
    return _Users(walked, reader.jobs(asked, deleted=True) if asked else {}, unread, first)


def known_writers(
    graph: LineageGraph, heads: Mapping[JobId, JobHead], absent: Collection[JobId] = ()
) -> dict[DatasetId, KnownWriters]:
    """The writers of each dataset of a graph, the nearest first, as far as their heads were read. Those that
    are `absent` were asked for."""
    ids = {dataset: {dataset} for dataset in _readable(graph)}
    give_way()
    for output in (output for head in heads.values() for output in head.current.output_ids):
        ids.get(graph.representative(output), set()).add(output)
    writers = {dataset: graph.writers.get(dataset, frozenset()) for dataset in ids}
    known = {dataset: [heads[job] for job in sorted(jobs & heads.keys())] for dataset, jobs in writers.items()}
    read = {*heads, *absent}
    give_way()
    return {
        dataset: KnownWriters(of, known[dataset], writers[dataset] <= read, graph.renamed.get(dataset, ()))
        for dataset, of in ids.items()
    }


def heads_of(reader: Reader, graph: LineageGraph, as_of: Instant | None) -> Mapping[JobId, JobHead]:
    """The heads of all jobs that a walk read, now or as they were at a time, which takes a read."""
    return reader.heads_at(graph.job_heads, as_of) if as_of else graph.job_heads


def _readable(graph: LineageGraph) -> list[DatasetId]:
    """The datasets of a graph that the caller may read, in the order of the graph."""
    heads = graph.datasets
    return [node for node in map(DatasetId, graph.order) if (head := heads.get(node)) and not head.is_foreign]


def _estimates(graph: LineageGraph, dataset: DatasetId) -> JsonObject:
    """About how many readers or writers a dataset has, if the walk did not read them all: as many times more than the
    graph has as there are jobs for each job that was read."""
    estimates: JsonObject = {}
    if not graph.part_read:
        return estimates
    if part := graph.part_read.get((dataset, Side.READS)):
        estimates["estimatedReaders"] = round(sum(read == dataset for read, _ in graph.reads) / part)
    if part := graph.part_read.get((dataset, Side.WRITES)):
        estimates["estimatedWriters"] = round(sum(written == dataset for _, written in graph.writes) / part)
    return estimates


def _drawn(graph: LineageGraph, edges: Collection[LineageEdge]) -> Iterable[LineageEdge]:
    """These edges of jobs; for each derivation the edges from its sources, among these, to its dataset."""
    derived: dict[JobId, list[DatasetId]] = {job: [] for job, head in graph.jobs.items() if head.facts.is_derivation}
    return _with_derivations(graph, {*edges}, derived) if derived else edges


def _with_derivations(
    graph: LineageGraph, edges: AbstractSet[LineageEdge], derived: Mapping[JobId, list[DatasetId]]
) -> Iterator[LineageEdge]:
    for job, dataset in graph.writes:
        if job in derived:
            derived[job].append(dataset)
        elif (job, dataset) in edges:
            yield job, dataset
    for source, job in graph.reads & edges:
        if job in derived:
            yield from ((source, dataset) for dataset in derived[job])
        else:
            yield source, job


def _with_names(edges: Edges, names: Mapping[DatasetId, Name]) -> Edges:
    """Edges whose datasets have the names by which they are shown."""
    for dataset, name in edges.inputs + edges.outputs:
        if names.get(dataset, name) != name:
            break
    else:
        return edges
    inputs, outputs = (
        tuple([DatasetRef(dataset, names.get(dataset, name)) for dataset, name in used])
        for used in (edges.inputs, edges.outputs)
    )
    return edges._replace(inputs=inputs, outputs=outputs)


def _last_used(
    graph: LineageGraph, datasets: Iterable[DatasetId], users: _Users, as_of: Instant | None
) -> dict[DatasetId, Instant]:
    """For each of some datasets, the time of the last event until then by which one of its first jobs used it: as in
    the lookup of the dataset, whichever way the graph goes."""
    heads = {**users.others, **graph.job_heads}
    names: dict[DatasetId, list[DatasetId]] = defaultdict(list)
    for name, representative in graph.representatives.items():
        names[representative].append(name)
    used: dict[DatasetId, Instant] = {}
    for dataset in datasets:
        give_way()
        own = (
            [name for name in {dataset, *names[dataset]} if graph.representative(name) == dataset]
            if names
            else [dataset]
        )
        last = [
            usage.last
            for job in users.first.get(dataset, ())
            if (head := heads.get(job))
            for name in own
            if (usage := head.facts.usages.get(name))
        ]
        if last:
            used[dataset] = min(max(last), as_of) if as_of else max(last)
    return used


def _runs_at(
    reader: Reader, graph: LineageGraph, heads: Mapping[JobId, JobHead], time: Instant
) -> dict[JobId, LatestRun]:
    """For each job, the run that gave the job its edges at the time of the graph, as it was then."""
    wanted = {job: edges.run_id for job, edges in graph.edges_of.items() if job in graph.jobs and edges.run_id}
    latest = {job: head.latest for job, head in heads.items() if job in wanted and head.latest}
    known = {job: run for job, run in latest.items() if run.run_id == wanted[job]}
    runs = reader.runs([JobRunId(job, run_id) for job, run_id in wanted.items() if job not in known])
    return known | {job_id(run.job): LatestRun.of(run.until(time)) for run in runs}


def _size(node: JsonObject) -> int:
    data = node["data"]
    used = len(data.get("inputs", ())) + len(data.get("outputs", ())) + len(data.get("inputFields", ()))
    return 2_000 + 150 * len(data.get("fields", ())) + 600 * used + 8 * len(node["id"])
