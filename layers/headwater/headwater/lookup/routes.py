"""The routes of the lookup API. docs/routes.md lists them."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from headwater.access.principal import Scope
from headwater.answers import Answer, failure
from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId, dataset_id
from headwater.graph.job import JobHead
from headwater.graph.mention import DatasetUse
from headwater.graph.neighbours import Neighbours
from headwater.graph.register import values
from headwater.lookup import shapes
from headwater.lookup.column_lineage import column_lineage
from headwater.lookup.lineage import last_used, lineage
from headwater.lookup.names import Kind, Node, NotFound, node_of, path_candidates, resolve
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, Refused
from headwater.store import keys

DEFAULT_DEPTH = 20
MAX_DEPTH = 100
LATEST_RUNS = 10
MAX_READERS = 100
PREFIX = "/api/v1"

Route = Callable[..., Answer]


def respond(reader: Reader, question: Question) -> Answer:
    """The answer to a question. Raises Refused, or StorageError."""
    question.principal.require(Scope.READ)
    routes = list(_routes(question.path))
    if routes and question.method not in ("GET", "HEAD"):
        return failure(405, "HTTP 405 Method Not Allowed")
    missing: NotFound | None = None
    for route, parts in routes:
        try:
            return route(reader, question, *parts)
        except NotFound as not_found:
            missing = missing or not_found
    return failure(404, missing.message if missing else "HTTP 404 Not Found")


def _routes(path: str) -> Iterator[tuple[Route, tuple[str, ...]]]:
    """Every way to read a path: a name may end in a slash, or hold what looks like a part of the path."""
    for each in dict.fromkeys([path, path.rstrip("/")]):
        for pattern, route in ROUTES:
            match = re.fullmatch(pattern, each.removeprefix(PREFIX), re.DOTALL)
            if match:
                yield route, match.groups()


def _namespaces(reader: Reader, question: Question) -> Answer:
    page = question.page()
    found = [each for each in reader.namespaces() if question.principal.may_use(each[0])]
    part = found[page["offset"] : page["offset"] + page["limit"]]
    return Answer(200, {"namespaces": [shapes.namespace(*each) for each in part], "totalCount": len(found)})


def _namespace(reader: Reader, question: Question, path: str) -> Answer:
    name = _known_namespace(reader, path)
    _permit(question, name)
    item = reader.table.read([keys.namespace(name)])[keys.namespace(name)]
    return Answer(200, shapes.namespace(name, item.labels["first"]))


def _datasets(reader: Reader, question: Question, path: str) -> Answer:
    namespace = _known_namespace(reader, path)
    _permit(question, namespace)
    ids, total = reader.listed(keys.datasets_of(namespace), **question.page())
    return Answer(200, {"totalCount": total, "datasets": _dataset_list(reader, ids)})


def _dataset(reader: Reader, question: Question, path: str) -> Answer:
    node = _node(reader, question, Kind.DATASET, path)
    (shape,) = _dataset_list(reader, [node.id], reader.last_write(node.id))
    return Answer(200, shape)


def _jobs(reader: Reader, question: Question, path: str) -> Answer:
    try:
        namespace = _known_namespace(reader, path)
    except NotFound:
        return Answer(200, {"totalCount": 0, "jobs": []})
    _permit(question, namespace)
    ids, total = reader.listed(keys.jobs_of(namespace), **question.page())
    return Answer(200, {"totalCount": total, "jobs": _job_list(reader, ids)})


def _all_jobs(reader: Reader, question: Question) -> Answer:
    page = question.page()
    allowed = [name for name, _ in reader.namespaces() if question.principal.may_use(name)]
    ids = [keys.node_of(key.pk) for name in allowed for key in reader.table.named(keys.jobs_of(name))]
    part = ids[page["offset"] : page["offset"] + page["limit"]]
    return Answer(200, {"totalCount": len(ids), "jobs": _job_list(reader, part)})


def _job(reader: Reader, question: Question, path: str) -> Answer:
    node = _node(reader, question, Kind.JOB, path)
    head = reader.jobs([node.id])[node.id]
    return Answer(200, shapes.job(head, _edge_names(reader, [head]), reader.newest_runs(node.id, LATEST_RUNS)))


def _job_runs(reader: Reader, question: Question, path: str) -> Answer:
    node = _node(reader, question, Kind.JOB, path, ending="/runs")
    runs, total = reader.runs(node.id, **question.page())
    return Answer(200, {"runs": [shapes.run(run) for run in runs], "totalCount": total})


def _run(reader: Reader, question: Question, run_id: str) -> Answer:
    run = reader.run(run_id.lower())
    if run is None:
        raise NotFound(f"Run '{run_id}' not found.")
    _permit(question, run.job.namespace)
    return Answer(200, shapes.run(run))


def _run_facets(reader: Reader, question: Question, run_id: str) -> Answer:
    run = reader.run(run_id.lower())
    if run is None:
        raise NotFound(f"Run '{run_id}' not found.")
    _permit(question, run.job.namespace)
    of = question.query.get("type")
    if of not in ("run", "job"):
        raise Refused(Fault("type", "expected run or job"))
    return Answer(200, {"runId": run.run_id, "facets": values(run.facets if of == "run" else run.job_facets)})


def _lineage(reader: Reader, question: Question) -> Answer:
    node = _asked_node(reader, question, {Kind.JOB, Kind.DATASET})
    return Answer(200, lineage(reader, node, question.number("depth", DEFAULT_DEPTH, MAX_DEPTH)))


def _column_lineage(reader: Reader, question: Question) -> Answer:
    node = _asked_node(reader, question, set(Kind))
    depth = question.number("depth", DEFAULT_DEPTH, MAX_DEPTH)
    answer = column_lineage(reader, node, depth, with_downstream=question.flag("withDownstream"))
    if node.field is not None and not answer["graph"] and not _has_field(reader, node):
        raise NotFound("Could not find node")
    return Answer(200, answer)


def _has_field(reader: Reader, node: Node) -> bool:
    head = reader.datasets([node.id])[node.id]
    return any(field["name"] == node.field for field in shapes.fields_of(head.schema))


def _asked_node(reader: Reader, question: Question, kinds: set[Kind]) -> Node:
    node_id = question.query.get("nodeId")
    if not node_id:
        raise Refused(Fault("nodeId", "missing; expected dataset:NAMESPACE:NAME or job:NAMESPACE:NAME"))
    node = node_of(reader.table, node_id)
    if node.kind not in kinds:
        raise Refused(Fault("nodeId", f"expected one of {', '.join(sorted(kinds))}"))
    _permit(question, node.name.namespace)
    return node


def _node(reader: Reader, question: Question, kind: Kind, path: str, ending: str = "") -> Node:
    node = resolve(reader.table, path_candidates(kind, path, ending))
    if node is None:
        asked = [each.name.name for each in path_candidates(kind, path, ending)]
        raise NotFound(f"{kind.value.capitalize()} '{asked[-1] if asked else path}' not found.")
    _permit(question, node.name.namespace)
    return node


def _known_namespace(reader: Reader, path: str) -> str:
    """The namespace of a path, as it is or encoded."""
    names = list(dict.fromkeys([path, unquote(path)]))
    found = reader.table.read([keys.namespace(name) for name in names])
    known = [name for name in names if keys.namespace(name) in found]
    if not known:
        raise NotFound(f"Namespace '{names[-1]}' not found.")
    return known[0]


def _permit(question: Question, namespace: str) -> None:
    question.principal.require_namespace(namespace, "namespace")


def _dataset_list(
    reader: Reader, ids: Sequence[NodeId], last_write: tuple[str, DatasetUse] | None = None
) -> list[dict[str, Any]]:
    """Datasets with what their jobs say of them: three reads for a hundred."""
    heads, neighbours = reader.datasets_with_neighbours(ids)
    jobs = reader.jobs({job for each in neighbours.values() for job in _users(each)})
    used = last_used(jobs.values())
    said = {dataset: _said(head, jobs, neighbours[dataset]) for dataset, head in heads.items()}
    facets = reader.column_lineage({(dataset, digest) for dataset, digests in said.items() for digest in digests})
    return [
        shapes.dataset(heads[each], used.get(each), last_write, [facets[each, digest] for digest in said[each]])
        for each in ids
        if each in heads
    ]


def _users(around: Neighbours) -> list[NodeId]:
    """The jobs to ask about a dataset: all its writers, and of very many readers some."""
    return [*around.writers, *sorted(around.readers)[:MAX_READERS]]


def _said(head: DatasetHead, jobs: Mapping[NodeId, JobHead], around: Neighbours) -> list[str]:
    """The digests of a dataset's column lineage, the newest first."""
    of_jobs = [jobs[job].column_lineage(dataset_id(head.facts.name)) for job in around.writers & jobs.keys()]
    registers = [register for register in [head.column_lineage, *of_jobs] if register]
    newest_first = sorted(registers, key=lambda register: register.stamp, reverse=True)
    return list(dict.fromkeys(register.value for register in newest_first))


def _job_list(reader: Reader, ids: list[NodeId]) -> list[dict[str, Any]]:
    heads = reader.jobs(ids)
    names = _edge_names(reader, heads.values())
    latest = reader.latest_runs(heads.items())
    return [shapes.job(heads[each], names, [latest[each]] if each in latest else []) for each in ids if each in heads]


def _edge_names(reader: Reader, heads: Any) -> dict[NodeId, Name]:
    wanted = {each for head in heads for each in head.current.inputs + head.current.outputs}
    return {each: head.facts.name for each, head in reader.datasets(wanted).items()}


RUN_ID = "([0-9a-fA-F-]{36})"
ROUTES: tuple[tuple[str, Route], ...] = (
    ("/namespaces", _namespaces),
    ("/jobs", _all_jobs),
    (f"/jobs/runs/{RUN_ID}", _run),
    (f"/jobs/runs/{RUN_ID}/facets", _run_facets),
    ("/lineage", _lineage),
    ("/column-lineage", _column_lineage),
    ("/namespaces/(.+/jobs/.+/runs)", _job_runs),
    ("/namespaces/(.+/jobs/.+)", _job),
    ("/namespaces/(.+/datasets/.+)", _dataset),
    ("/namespaces/(.+)/datasets", _datasets),
    ("/namespaces/(.+)/jobs", _jobs),
    ("/namespaces/(.+)", _namespace),
)
"""Path below the prefix, and what answers it; the first that matches and finds something does."""
