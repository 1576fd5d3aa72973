"""The subjects of requests to curate: a node, a run or a namespace, known or new.

A request for a node in a reserved namespace is refused: namespaces, data sources and tags have routes of their own.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from headwater.access.principal import Principal
from headwater.curate.curator import Curator
from headwater.graph.facets import curation
from headwater.graph.facets.curation import RESERVED
from headwater.graph.names.identity import DatasetId, NodeKind, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import StoredAlert
from headwater.http import subjects
from headwater.http.request import ApiRequest
from headwater.http.router import Subject
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.name_resolution import MAX_SPLITS, NamedNode, path_candidates, resolve
from headwater.read.reader import Reader


class DatasetNames(NamedTuple):
    """A dataset with all its names.

    node     the dataset as the path names it
    heads    the head of each name that has one
    shown    the head of the representative among the names that the caller may write
    """

    node: NamedNode
    heads: Mapping[DatasetId, DatasetHead]
    shown: DatasetHead


def known_node(curator: Curator, request: ApiRequest, kind: NodeKind) -> NamedNode:
    """The node of a path. Raises NotFound, or InvalidRequest (403)."""
    node = subjects.node_from_path(curator.before, request, kind)
    refuse_reserved(node.name.namespace)
    return node


def new_node(curator: Curator, request: ApiRequest) -> NamedNode:
    """The dataset or job of a path, known or new.

    A path with slashes can be split into namespace and name in several ways. A split that names a known node comes
    first, then a split with a known namespace, then the split with the shortest namespace. Raises NotFound if the whole
    path names a namespace.
    """
    path = request.parameters["node"]
    kinds = (NodeKind.DATASET, NodeKind.JOB)
    candidates = [node for kind in kinds for node in path_candidates(kind, path, is_encoded=request.is_encoded)]
    node = resolve(curator.before, candidates) or _likeliest(curator.before, path, candidates)
    refuse_reserved(node.name.namespace)
    return node


def _likeliest(reader: Reader, path: str, candidates: list[NamedNode]) -> NamedNode:
    decoded = (NamedNode(node.kind, Name(unquote(node.name.namespace), unquote(node.name.name))) for node in candidates)
    nodes = sorted(dict.fromkeys(decoded), key=lambda node: len(node.name.namespace))[:MAX_SPLITS]
    whole = subjects.spellings_of(path)
    known = set(subjects.known_namespaces(reader, {*whole, *(node.name.namespace for node in nodes)}))
    if not nodes or known.intersection(whole):
        raise NotFound("HTTP 404 Not Found")
    node = next((node for node in nodes if node.name.namespace in known), nodes[0])
    return node if node.kind is NodeKind.JOB else node._replace(name=reader.naming.identify(node.name).shown)


def dataset_names(curator: Curator, request: ApiRequest) -> DatasetNames:
    """The dataset of a path, under all its names. Raises NotFound, or InvalidRequest (403)."""
    node, reader = known_node(curator, request, NodeKind.DATASET), curator.before
    neighbourhood = reader.neighbourhood([node.dataset], ())
    representative = neighbourhood.representative(node.dataset)
    heads = reader.datasets(neighbourhood.ids_of(representative))
    seen = curator.before_as_seen.neighbourhood([node.dataset], ())
    return DatasetNames(node, heads, seen.heads[seen.representative(node.dataset)])


def new_namespace(curator: Curator, request: ApiRequest) -> str:
    """The namespace of a path, known or new. Raises InvalidRequest (403)."""
    names = subjects.spellings_of(request.parameters["namespace"])
    name = next(iter(subjects.known_namespaces(curator.before, names)), names[0])
    refuse_reserved(name)
    return name


def known_namespace(curator: Curator, request: ApiRequest) -> str:
    """The known namespace of a path. Raises NotFound, or InvalidRequest (403)."""
    name = subjects.known_namespace(curator.before, request)
    refuse_reserved(name)
    return name


def run(curator: Curator, request: ApiRequest) -> Run:
    """The run of a path. Raises NotFound, also for a run that is not for the caller to read or to write."""
    run = subjects.known_run(curator.reader(), request.parameters["run"])
    namespace, caller = run.job.namespace, request.principal
    if not caller.may_read(namespace) and not caller.may_write(namespace):
        raise subjects.no_run(request.parameters["run"])
    return run


def source(_curator: Curator, request: ApiRequest) -> str:
    """The name of a data source. A principal may describe a source if the source's name is a namespace of the
    principal."""
    return unquote(request.parameters["source"])


def refuse_reserved(namespace: str) -> None:
    """Raises InvalidRequest (403) for a reserved namespace."""
    if namespace in RESERVED:
        raise InvalidRequest(Fault("namespace", "reserved by Headwater; choose another namespace"), status=403)


def _namespaces_of_all_names(dataset: DatasetNames) -> Collection[str]:
    return {dataset.node.name.namespace, *(head.facts.name.namespace for head in dataset.heads.values())}


def _id_of_dataset(dataset: DatasetNames) -> str:
    return subjects.id_of_node(dataset.node)


JOB: Subject[Curator, NamedNode] = Subject(
    lambda curator, request: known_node(curator, request, NodeKind.JOB),
    subjects.namespaces_of_node,
    subjects.id_of_node,
)
NEW_NODE = Subject(new_node, subjects.namespaces_of_node, subjects.id_of_node)
DATASET = Subject(dataset_names, lambda dataset: [dataset.node.name.namespace], _id_of_dataset)
DATASET_BY_ALL_NAMES = Subject(dataset_names, _namespaces_of_all_names, _id_of_dataset)
NEW_NAMESPACE = Subject(new_namespace, subjects.only_namespace, subjects.id_of_namespace)
NAMESPACE = Subject(known_namespace, subjects.only_namespace, subjects.id_of_namespace)
RUN = Subject(run, subjects.namespaces_of_run, subjects.id_of_run)
ALERT: Subject[Curator, StoredAlert] = Subject(
    lambda curator, request: subjects.known_alert(curator.before, request),
    subjects.namespace_of_alert,
    lambda alert: str(alert.document["nodeId"]),
)
SOURCE = Subject(source, subjects.only_namespace, lambda name: f"source:{name}")
SETTINGS: Subject[Curator, Principal] = Subject(
    lambda _, request: request.principal,
    lambda _: [curation.SETTINGS],
    lambda _: node_id(NodeKind.DATASET, curation.SETTINGS_NAME),
)
TAGS: Subject[Curator, Principal] = Subject(lambda _, request: request.principal, lambda _: [curation.TAGS])
"""The tags that all share: their namespace is reserved for administrators of all namespaces."""
