"""The subjects of lookups: a node, a run or a namespace, named by the path or the query.

The names in a path may be percent-encoded or not, and a name may be an alias. The principal needs the namespace of the
node that was found, not the namespace in the request.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from urllib.parse import unquote

from headwater.access.principal import other_namespace
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.names.identity import NodeKind, namespace_id, node_id
from headwater.graph.names.naming import plain_namespace
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import StoredAlert
from headwater.http.request import ApiRequest
from headwater.http.router import Subject
from headwater.openlineage.event import is_uuid
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.openlineage.instant import FOREVER, Instant, moved_back, shown
from headwater.read.name_resolution import NamedNode, node_id_candidates, path_candidates, resolve, resolve_node_id
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest


def node_from_path(reader: Reader, request: ApiRequest, kind: NodeKind) -> NamedNode:
    """The node of a path `NAMESPACE/jobs/NAME`. Raises NotFound."""
    path = request.parameters["node"]
    candidates = path_candidates(kind, path, is_encoded=request.is_encoded)
    node = resolve(reader, candidates)
    if node is None:
        require_one(request, (candidate.name.namespace for candidate in candidates))
        name = candidates[-1].name.name if candidates else path
        raise NotFound(f"{kind.value.capitalize()} '{name}' not found.")
    return node


def require_one(request: ApiRequest, namespaces: Iterable[str]) -> None:
    """Raises InvalidRequest (403) if all namespaces that an unknown name may have are outside the caller's: the answer
    does not reveal whether the node exists."""
    caller, named = request.principal, list(namespaces)
    if named and not any(caller.may_read(namespace) or caller.may_write(namespace) for namespace in named):
        raise other_namespace("namespace")


def node_from_query(reader: Reader, request: ApiRequest, kinds: Collection[NodeKind]) -> NamedNode:
    """The node of the parameter nodeId. Raises InvalidRequest, or NotFound."""
    text = request.query.get("nodeId")
    if not text:
        raise InvalidRequest(Fault("nodeId", "missing; expected dataset:NAMESPACE:NAME or job:NAMESPACE:NAME"))
    try:
        node = resolve_node_id(reader, text)
    except NotFound:
        kind, _, rest = text.partition(":")
        require_one(request, (candidate.name.namespace for candidate in node_id_candidates(NodeKind(kind), rest)))
        raise
    require_kind(node, kinds)
    return node


def require_kind(node: NamedNode, kinds: Collection[NodeKind]) -> None:
    """Raises InvalidRequest if nodeId names a node of another kind."""
    if node.kind not in kinds:
        raise InvalidRequest(Fault("nodeId", f"expected one of {', '.join(sorted(kinds))}"))


def time_from_query(reader: Reader, request: ApiRequest, node: NamedNode) -> Instant | None:
    """The time of the requested graph: `asOf`, or the time of the version in nodeId."""
    time = request.time("asOf")
    if time or node.version is None or node.kind is NodeKind.JOB:
        return time
    return reader.version_time(node.dataset, node.version)


def known_run(reader: Reader, run_id: str) -> Run:
    """A run by its id. Raises NotFound, even if only jobs that the caller may not read have it, so that a computable
    id, such as an Airflow task's, reveals nothing."""
    run = reader.run(run_id.lower())
    if run is None:
        raise no_run(run_id)
    return run


def no_column(reader: Reader, node: NamedNode) -> NotFound:
    """That a dataset has no such column; and until when it had one, if a stored schema has it."""
    ids = list(reader.store.schemas_of(node.dataset))
    schemas = list(reader.store.read(ReadRequest(schemas=ids)).schemas.of(ids))
    having = max((schema.time for schema in schemas if node.field in columns_of(schema.value)), default=FOREVER)
    gone = min((schema.time for schema in schemas if schema.time > having), default=None)
    if gone is None:
        return NotFound(f"Column '{node.field}' of dataset '{node.name.name}' not found.")
    return NotFound(
        f"Dataset '{node.name.name}' has no column '{node.field}' now. It had one before {shown(gone)}; ask with "
        f"asOf={shown(moved_back(gone, timedelta(milliseconds=1)))}"
    )


def no_run(run_id: str) -> NotFound:
    return NotFound(f"Run '{run_id}' not found.")


def known_alert(reader: Reader, request: ApiRequest) -> StoredAlert:
    """The alert of a path. Raises NotFound."""
    alert = reader.store.read(ReadRequest(alerts=[request.parameters["alert"]])).alerts.get(request.parameters["alert"])
    if alert is None:
        raise NotFound(f"Alert '{request.parameters['alert']}' not found.")
    return alert


def run_from_query(reader: Reader, request: ApiRequest) -> Run:
    """The run of the parameter runId. Raises InvalidRequest, or NotFound."""
    run_id = request.query.get("runId", "")
    if not is_uuid(run_id):
        raise InvalidRequest(Fault("runId", "expected the UUID of a run"))
    return known_run(reader, run_id)


def spellings_of(name: str) -> list[str]:
    """The names that a part of a path may mean: the percent-decoded part, then the part itself."""
    return list(dict.fromkeys([unquote(name), name]))


def known_namespaces(reader: Reader, names: Collection[str]) -> list[str]:
    """The names among these that are known namespaces: an event named a job or dataset in each."""
    ids = [namespace_id(name) for name in names]
    return [known.name for known in reader.store.read(ReadRequest(namespaces=ids)).namespaces.of(ids)]


def known_namespace(reader: Reader, request: ApiRequest) -> str:
    """The namespace of a path; `s3a://lake` is `s3://lake`. Raises NotFound, or InvalidRequest (403)."""
    names = spellings_of(request.parameters["namespace"])
    known = known_namespaces(reader, list(dict.fromkeys([*names, *map(plain_namespace, names)])))
    if not known:
        require_one(request, names)
        raise NotFound(f"Namespace '{names[0]}' not found.")
    return known[0]


def namespaces_of_node(node: NamedNode) -> Collection[str]:
    return [node.name.namespace]


def namespaces_of_run(run: Run) -> Collection[str]:
    return [run.job.namespace]


def only_namespace(namespace: str) -> Collection[str]:
    return [namespace]


def namespace_of_alert(alert: StoredAlert) -> Collection[str]:
    return [alert.namespace]


def id_of_node(node: NamedNode) -> str:
    return node_id(node.kind, node.name)


def id_of_run(run: Run) -> str:
    return f"run:{run.id.run_id}"


def id_of_namespace(namespace: str) -> str:
    return f"namespace:{namespace}"


def node_in_path(kind: NodeKind) -> Subject[Reader, NamedNode]:
    return Subject(lambda reader, request: node_from_path(reader, request, kind), namespaces_of_node, id_of_node)


def node_in_query(*kinds: NodeKind) -> Subject[Reader, NamedNode]:
    return Subject(lambda reader, request: node_from_query(reader, request, kinds), namespaces_of_node, id_of_node)


JOB = node_in_path(NodeKind.JOB)
DATASET = node_in_path(NodeKind.DATASET)
NAMESPACE = Subject(known_namespace, only_namespace, id_of_namespace)
RUN: Subject[Reader, Run] = Subject(
    lambda reader, request: known_run(reader, request.parameters["run"]), namespaces_of_run, id_of_run
)
RUN_OF_QUERY = Subject(run_from_query, namespaces_of_run, id_of_run)
