"""From a question's path and nodeId to the nodes it is about, and whether its asker may know of them."""

from urllib.parse import unquote

from headwater.lookup.names import Kind, Node, NotFound, node_of, path_candidates, resolve
from headwater.lookup.question import Question
from headwater.lookup.reader import Reader
from headwater.openlineage.faults import Fault, Refused
from headwater.openlineage.instant import Instant
from headwater.store import keys


def asked_node(reader: Reader, question: Question, kinds: set[Kind]) -> Node:
    """The node of the parameter nodeId. Raises Refused, or NotFound."""
    node_id = question.query.get("nodeId")
    if not node_id:
        raise Refused(Fault("nodeId", "missing; expected dataset:NAMESPACE:NAME or job:NAMESPACE:NAME"))
    node = node_of(reader, node_id)
    if node.kind not in kinds:
        raise Refused(Fault("nodeId", f"expected one of {', '.join(sorted(kinds))}"))
    permit(question, node.name.namespace)
    return node


def asked_time(reader: Reader, question: Question, node: Node) -> Instant | None:
    """The time that the question is about: one it names, or that of the version that its nodeId names."""
    asked = question.time("asOf")
    if asked or node.version is None or node.kind is Kind.JOB:
        return asked
    return reader.version_time(node.id, node.version)


def path_node(reader: Reader, question: Question, kind: Kind, path: str) -> Node:
    """The node of a path `NAMESPACE/jobs/NAME`. Raises NotFound."""
    node = resolve(reader, path_candidates(kind, path))
    if node is None:
        asked = [each.name.name for each in path_candidates(kind, path)]
        raise NotFound(f"{kind.value.capitalize()} '{asked[-1] if asked else path}' not found.")
    permit(question, node.name.namespace)
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


def permit(question: Question, namespace: str) -> None:
    """Raises Refused (403) if the asker's key is not for that namespace."""
    question.principal.require_namespace(namespace, "namespace")
