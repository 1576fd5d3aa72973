"""From a request's path and nodeId to the nodes it is about, and whether its caller may know of them."""

from urllib.parse import unquote

from headwater.graph.identity import NodeKind
from headwater.http.request import ApiRequest
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant
from headwater.read.name_resolution import NamedNode, NotFound, path_candidates, resolve, resolve_node_id
from headwater.read.reader import Reader
from headwater.store import keys


def node_from_query(reader: Reader, request: ApiRequest, kinds: set[NodeKind]) -> NamedNode:
    """The node of the parameter nodeId. Raises InvalidRequest, or NotFound."""
    node_id = request.query.get("nodeId")
    if not node_id:
        raise InvalidRequest(Fault("nodeId", "missing; expected dataset:NAMESPACE:NAME or job:NAMESPACE:NAME"))
    node = resolve_node_id(reader, node_id)
    if node.kind not in kinds:
        raise InvalidRequest(Fault("nodeId", f"expected one of {', '.join(sorted(kinds))}"))
    permit(request, node.name.namespace)
    return node


def time_from_query(reader: Reader, request: ApiRequest, node: NamedNode) -> Instant | None:
    """The time that the request is about: one it names, or that of the version that its nodeId names."""
    asked = request.time("asOf")
    if asked or node.version is None or node.kind is NodeKind.JOB:
        return asked
    return reader.version_time(node.id, node.version)


def node_from_path(reader: Reader, request: ApiRequest, kind: NodeKind, path: str) -> NamedNode:
    """The node of a path `NAMESPACE/jobs/NAME`. Raises NotFound."""
    node = resolve(reader, path_candidates(kind, path))
    if node is None:
        asked = [each.name.name for each in path_candidates(kind, path)]
        raise NotFound(f"{kind.value.capitalize()} '{asked[-1] if asked else path}' not found.")
    permit(request, node.name.namespace)
    return node


def namespace_names(path: str) -> list[str]:
    """The namespaces that a part of a path may mean: encoded or not, the likelier first."""
    return list(dict.fromkeys([unquote(path), path]))


def known_namespace(reader: Reader, path: str) -> str:
    """The namespace of a part of a path. Raises NotFound."""
    names = namespace_names(path)
    found = reader.table.read([keys.namespace(name) for name in names])
    known = [name for name in names if keys.namespace(name) in found]
    if not known:
        raise NotFound(f"Namespace '{names[0]}' not found.")
    return known[0]


def permit(request: ApiRequest, namespace: str) -> None:
    """Raises InvalidRequest (403) if the caller's key is not for that namespace."""
    request.principal.require_namespace(namespace, "namespace")
