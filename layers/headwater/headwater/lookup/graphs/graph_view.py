"""The response to GET /lineage: the graph of a walk in the form of Marquez's API, in pages."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.graph.facets.members import exposure_nodes, owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, NodeId, NodeKind, job_id, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.job import JobHead, LatestRun
from headwater.graph.states.neighbours import Side
from headwater.http.marquez.datasets import dataset_node, dataset_type, last_write
from headwater.http.marquez.jobs import job_node
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import DocumentText, JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.dataset_details import first_jobs
from headwater.read.good_writes import KnownWriters, LastWrite, last_writes
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest
from headwater.traversal.lineage_graph import LineageEdge, LineageGraph

MAX_BYTES = 20_000_000
"""The estimated size of a page. Gzip makes it ten times smaller, and a Lambda returns at most 6 MB."""
MAX_WRITERS = 5_000
"""Writers beside a graph that are read for its last writes."""
_NO_WRITE = LastWrite()


class NodeText(NamedTuple):
    """A node whose JSON is written already, but for its edges: `"id":...,"type":...,"data":{...}`. `size` is the
    estimate for a page, `id` the nodeId as JSON."""

    id: str
    members: str
    size: int


@dataclass(frozen=True)
class GraphView:
    """Nodes in the order in which a walk reached them, each a document or a NodeText, and the edges between them, by
    nodeId. `foreign` are the edges to datasets whose namespaces the producer may not write, `candidates` those to jobs
    that only may use the dataset."""

    nodes: Mapping[str, Any]
    edges: frozenset[tuple[str, str]]
    foreign: frozenset[tuple[str, str]] = frozenset()
    candidates: frozenset[tuple[str, str]] = frozenset()

    def page(self, offset: int, limit: int) -> tuple[list[JsonObject | DocumentText], int]:
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
        into, out_of = self._edges(set(shown))
        page = shown[offset:]
        give_way()
        nodes = ((self.nodes[node], into[node], out_of[node]) for node in sorted(page))
        return [
            DocumentText(f'{{"inEdges":[{",".join(came)}],"outEdges":[{",".join(went)}],{node.members}}}')
            if isinstance(node, NodeText)
            else {"inEdges": came, "outEdges": went, **node}
            for node, came, went in nodes
        ], len(page)

    def _edges(self, shown: set[str]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
        into: dict[str, list[Any]] = defaultdict(list)
        out_of: dict[str, list[Any]] = defaultdict(list)
        marked = [(mark, edges) for mark, edges in (("foreign", self.foreign), ("candidate", self.candidates)) if edges]
        for origin, destination in sorted(self.edges):
            give_way()
            if origin in shown and destination in shown:
                source, target = self.nodes[origin], self.nodes[destination]
                marks = [mark for mark, edges in marked if (origin, destination) in edges]
                edge: JsonObject | str
                if isinstance(source, NodeText):
                    more = "".join([f',"{mark}":true' for mark in marks])
                    edge = f'{{"origin":{source.id},"destination":{target.id}{more}}}'
                else:
                    edge = {"origin": origin, "destination": destination, **dict.fromkeys(marks, True)}
                into[destination].append(edge)
                out_of[origin].append(edge)
        return into, out_of


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
    latest = _runs_at(reader, graph, heads, as_of) if as_of else _latest_runs(graph)
    give_way()
    writes = _last_writes(reader, graph, heads, as_of)
    give_way()
    jobs, datasets = _said_of_jobs(graph, latest, as_of), _said_of_datasets(reader, graph, writes, as_of)
    job, dataset = (_job_text, _dataset_text) if as_texts else (_job, _dataset)
    nodes: dict[NodeId, Any] = {node: reader.store.made(job, *said) for node, said in jobs}
    nodes |= {node: reader.store.made(dataset, *said) for node, said in datasets}
    give_way()
    shown = {node: nodes[node] for node in graph.order if node in nodes}
    ids: dict[NodeId, str] = {node: node_id("job", head.facts.name) for node, (head, *_) in jobs}
    ids |= {node: node_id("dataset", head.facts.name) for node, (head, *_) in datasets}
    give_way()
    edges, foreign, candidates = (
        frozenset((ids[a], ids[b]) for a, b in _drawn(graph, edges) if a in shown and b in shown)
        for edges in (graph.edges, graph.foreign_edges, graph.candidate_edges)
    )
    return GraphView(
        {ids[node]: shown[node] for node in shown} | _exposures(graph, exposed), edges, foreign, candidates
    )


def _exposures(graph: LineageGraph, exposed: Collection[NodeId]) -> dict[str, JsonObject]:
    """The exposures of some datasets. Their edges are only in their own `inEdges`: Marquez's page draws `outEdges`, and
    cannot draw what is neither job nor dataset."""
    nodes: dict[str, JsonObject] = {}
    for dataset in _readable(graph):
        give_way()
        head = graph.datasets[dataset]
        for exposure, members in exposure_nodes(head.facts.name, head.facets).items() if dataset in exposed else ():
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
    graph: LineageGraph, latest: Mapping[JobId, LatestRun], as_of: Instant | None
) -> list[tuple[JobId, tuple[JobHead, Edges, LatestRun | None, Instant | None]]]:
    """What the node of each job is made of, as `_job` takes it."""
    return [
        (
            job,
            (
                head,
                _with_names(graph.edges_of[job], graph),
                latest.get(job),
                as_of if as_of and head.facts.updated > as_of else None,
            ),
        )
        for job, head in graph.jobs.items()
        if job in graph.order and not head.facts.is_derivation
    ]


def _job(head: JobHead, edges: Edges, run: LatestRun | None, updated: Instant | None) -> JsonObject:
    data = job_node(head, edges, run) | {"owners": owners_of(values(head.facts.facets))}
    if updated:
        data["updatedAt"] = shown(updated)
    return {"id": node_id("job", head.facts.name), "type": "JOB", "data": data}


def _job_text(head: JobHead, edges: Edges, run: LatestRun | None, updated: Instant | None) -> NodeText:
    return _node_text(_job(head, edges, run, updated))


def _said_of_datasets(
    reader: Reader, graph: LineageGraph, writes: Mapping[DatasetId, LastWrite], as_of: Instant | None
) -> list[tuple[DatasetId, tuple[DatasetHead, Instant | None, JsonObject, LastWrite]]]:
    """What the node of each dataset is made of, as `_dataset` takes it."""
    used = _last_used(reader, graph, as_of)
    return [
        (
            dataset,
            (
                head,
                used.get(dataset),
                _estimates(graph, dataset) if graph.part_read else {},
                writes.get(dataset, _NO_WRITE),
            ),
        )
        for dataset, head in graph.datasets.items()
        if dataset in graph.order
    ]


def _dataset(head: DatasetHead, used: Instant | None, estimates: JsonObject, write: LastWrite) -> JsonObject:
    said = {"datasetType": dataset_type(head.facets), "owners": owners_of(head.facets)}
    data = {**dataset_node(head, used), **said, **estimates, **last_write(write)}
    return {"id": node_id("dataset", head.facts.name), "type": "DATASET", "data": data}


def _dataset_text(head: DatasetHead, used: Instant | None, estimates: JsonObject, write: LastWrite) -> NodeText:
    return _node_text(_dataset(head, used, estimates, write))


def _node_text(node: JsonObject) -> NodeText:
    return NodeText(exact_json.encode(node["id"]).decode(), exact_json.encode(node).decode()[1:-1], _size(node))


def _last_writes(
    reader: Reader, graph: LineageGraph, heads: Mapping[JobId, JobHead], as_of: Instant | None
) -> dict[DatasetId, LastWrite]:
    """The last write of each dataset of a graph, by all its writers, whichever way the graph goes: one read of those
    beside the graph. At a time such datasets are looked up, since each writer would take a query."""
    writers = (graph.writers.get(dataset, frozenset()) for dataset in _readable(graph))
    unread = frozenset[JobId]().union(*writers) - heads.keys()
    asked = sorted(unread)[: 0 if as_of else MAX_WRITERS]
    beside = reader.jobs(asked, usages=False) if asked else {}
    return last_writes(reader, known_writers(graph, {**heads, **beside}, asked), as_of)


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
    order = (dataset for dataset in map(DatasetId, graph.order) if dataset in graph.datasets)
    return [dataset for dataset in order if not graph.datasets[dataset].is_foreign]


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


def _drawn(graph: LineageGraph, edges: Collection[LineageEdge]) -> Iterator[LineageEdge]:
    """These edges of jobs; for each derivation the edges from its sources, among these, to its dataset."""
    derived: dict[JobId, list[DatasetId]] = {job: [] for job, head in graph.jobs.items() if head.facts.is_derivation}
    for job, dataset in graph.writes:
        if job in derived:
            derived[job].append(dataset)
        elif (job, dataset) in edges:
            yield job, dataset
    for source, job in graph.reads & set(edges):
        if job in derived:
            yield from ((source, dataset) for dataset in derived[job])
        else:
            yield source, job


def _with_names(edges: Edges, graph: LineageGraph) -> Edges:
    """Edges whose datasets have the name of their representative."""

    def shown(used: tuple[DatasetRef, ...]) -> tuple[DatasetRef, ...]:
        heads = [(dataset, graph.datasets.get(graph.representative(dataset.id))) for dataset in used]
        return tuple(
            [
                dataset._replace(name=head.facts.name) if head and head.facts.name != dataset.name else dataset
                for dataset, head in heads
            ]
        )

    inputs, outputs = shown(edges.inputs), shown(edges.outputs)
    is_as_sent = inputs == edges.inputs and outputs == edges.outputs
    return edges if is_as_sent else edges._replace(inputs=inputs, outputs=outputs)


def _last_used(reader: Reader, graph: LineageGraph, as_of: Instant | None) -> dict[DatasetId, Instant]:
    """For each dataset, the time of the last event until then by which one of its first jobs used it: as in the lookup
    of the dataset, whichever way the graph goes. One read of these jobs, except those that the walk read."""
    users = {
        dataset: set(first_jobs(graph.datasets[dataset], graph.writers.get(dataset, ())))
        for dataset in _readable(graph)
    }
    asked = sorted(frozenset().union(*users.values()))[:MAX_WRITERS]
    known = {job: graph.job_heads[job] for job in asked if job in graph.job_heads}
    unread = [job for job in asked if job not in known]
    read = reader.store.read(ReadRequest(jobs=unread)).jobs.all() if unread else {}
    heads = {**known, **read}
    names: dict[DatasetId, list[DatasetId]] = defaultdict(list)
    for name, representative in graph.representatives.items():
        names[representative].append(name)
    used: dict[DatasetId, Instant] = {}
    for dataset, jobs in users.items():
        give_way()
        own = (
            [name for name in {dataset, *names[dataset]} if graph.representative(name) == dataset]
            if names
            else [dataset]
        )
        last = [
            usage.last
            for job in jobs
            if (head := heads.get(job))
            for name in own
            if (usage := head.facts.usages.get(name))
        ]
        if last:
            used[dataset] = min(max(last), as_of) if as_of else max(last)
    return used


def _latest_runs(graph: LineageGraph) -> dict[JobId, LatestRun]:
    return {job: head.latest for job, head in graph.jobs.items() if head.latest}


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
    members = ("inputs", "outputs", "inputFields")
    used = sum(len(data.get(member, ())) for member in members)
    return 2_000 + 150 * len(data.get("fields", ())) + 600 * used + 8 * len(node["id"])
