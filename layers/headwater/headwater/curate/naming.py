"""Which node a request to write names, known or not yet, and whether its sender may write to it."""

from urllib.parse import unquote

from headwater.graph.curation import RESERVED
from headwater.graph.identity import NodeKind
from headwater.http.request import ApiRequest
from headwater.lookup.request_nodes import namespace_names, node_from_path, permit
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.name_resolution import MAX_SPLITS, NamedNode, NotFound, path_candidates, resolve
from headwater.read.reader import Reader
from headwater.store import keys


def known_node(reader: Reader, request: ApiRequest, kind: NodeKind, path: str) -> NamedNode:
    """The node of a path, that is there. Raises NotFound, or InvalidRequest (403) if its sender may not write there."""
    node = node_from_path(reader, request, kind, path)
    refuse_reserved(node.name.namespace)
    return node


def new_node(reader: Reader, request: ApiRequest, path: str) -> NamedNode:
    """The dataset or job of a path, whether it is there or not: of the ways to read the path, one that names a known
    node, else the first in a known namespace, else the first.

    Raises NotFound if the whole path names a namespace, InvalidRequest (403) if its sender may not write there.
    """
    candidates = [*path_candidates(NodeKind.DATASET, path), *path_candidates(NodeKind.JOB, path)]
    node = resolve(reader, candidates) or _likeliest(reader, path, candidates)
    permit(request, node.name.namespace)
    refuse_reserved(node.name.namespace)
    return node


def _likeliest(reader: Reader, path: str, candidates: list[NamedNode]) -> NamedNode:
    decoded = (NamedNode(each.kind, Name(unquote(each.name.namespace), unquote(each.name.name))) for each in candidates)
    ways = sorted(dict.fromkeys(decoded), key=lambda each: len(each.name.namespace))[:MAX_SPLITS]
    whole = [keys.namespace(name) for name in namespace_names(path)]
    found = reader.table.read({*whole, *(keys.namespace(each.name.namespace) for each in ways)})
    if not ways or any(key in found for key in whole):
        raise NotFound("HTTP 404 Not Found")
    in_known = (each for each in ways if keys.namespace(each.name.namespace) in found)
    node = next(in_known, ways[0])
    return node if node.kind is NodeKind.JOB else node._replace(name=reader.naming.identify(node.name).shown)


def namespace_of(reader: Reader, request: ApiRequest, path: str) -> str:
    """The namespace of a part of a path, whether it is there or not. Raises InvalidRequest (403)."""
    names = namespace_names(path)
    found = reader.table.read([keys.namespace(name) for name in names])
    name = next((name for name in names if keys.namespace(name) in found), names[0])
    permit(request, name)
    refuse_reserved(name)
    return name


def refuse_reserved(namespace: str) -> None:
    """Raises InvalidRequest for a namespace of ours: what is in it has routes of its own."""
    if namespace in RESERVED:
        raise InvalidRequest(Fault("namespace", "is reserved"), status=403)
