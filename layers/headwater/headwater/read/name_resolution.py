"""From the names that a request holds to nodes.

A nodeId (`dataset:NAMESPACE:NAME`) cannot be split by rule, since namespaces hold colons; and API Gateway hands over
paths decoded, so a name's slashes look like the path's own. So every way to split is tried against the table at once.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from headwater.graph.identity import NodeId, NodeKind, dataset_id, job_id, sent_id
from headwater.graph.neighbours import ROOT
from headwater.openlineage.event import Name, is_uuid
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.table import Item, Stored

MAX_SPLITS = 500
"""Ways to read a name that are tried, the likeliest first; a name that means itself is among the first few."""
MAX_ALIASES = 4
"""Likeliest readings of a name that are looked up among those that stood for something else."""


class NamedNode(NamedTuple):
    """A node that a request names; `field` for a column alone, `version` for how it was then."""

    kind: NodeKind
    name: Name
    field: str | None = None
    version: str | None = None

    @property
    def id(self) -> NodeId:
        return job_id(self.name) if self.kind is NodeKind.JOB else dataset_id(self.name)

    @property
    def keys(self) -> tuple[keys.Key, ...]:
        """The items that say whether it is known, and, for what will be asked next, who uses it."""
        if self.kind is NodeKind.JOB:
            return (keys.job_head(self.id),)
        return keys.dataset_head(self.id), keys.neighbours(self.id, ROOT)


class NotFound(InvalidRequest):
    """Nothing of that name is known."""

    def __init__(self, message: str) -> None:
        super().__init__(Fault("path", message), status=404)
        self.message = message


def resolve(reader: Reader, candidates: Iterable[NamedNode]) -> NamedNode | None:
    """The first candidate that is known, in one read; else the first that is an alias of one that is.

    A name means what the rules of identity make of it, and a known alias what it stood for when it was sent.
    """
    nodes = list(islice(candidates, MAX_SPLITS))
    meant = [
        node if node.kind is NodeKind.JOB else node._replace(name=reader.naming.identify(node.name).shown)
        for node in nodes
    ]
    found = reader.table.read([key for node in meant for key in node.keys])
    known = (node for node in meant if (item := found.get(node.keys[0])) and not _is_deleted(node, item))
    return next(known, None) or _by_symlink(reader, meant, found) or _by_alias(reader, nodes)


def _by_symlink(reader: Reader, meant: Iterable[NamedNode], found: Stored) -> NamedNode | None:
    """The dataset that has one of these names in its symlinks facet, if nobody uses that name by itself."""
    for node in (each for each in meant if each.kind is not NodeKind.JOB):
        item = found.get(node.keys[1])
        heads = reader.datasets(item_codec.read_page(item).merged) if item else {}
        for dataset in sorted(heads):
            return node._replace(name=heads[dataset].facts.name)
    return None


def _by_alias(reader: Reader, nodes: Iterable[NamedNode]) -> NamedNode | None:
    for node in islice((each for each in nodes if each.kind is not NodeKind.JOB), MAX_ALIASES):
        for key in reader.table.partition(f"A#{sent_id(node.name)}", ""):
            dataset = node._replace(name=item_codec.read_alias(reader.table.read([key])[key]).dataset)
            item = reader.table.read([dataset.keys[0]]).get(dataset.keys[0])
            if item and not _is_deleted(dataset, item):
                return dataset
    return None


def _is_deleted(node: NamedNode, item: Item) -> bool:
    return (
        item_codec.read_job(item).facts.is_deleted
        if node.kind is NodeKind.JOB
        else item_codec.read_dataset(item).is_deleted
    )


def resolve_node_id(reader: Reader, node_id: str) -> NamedNode:
    """The node of a nodeId. Raises NotFound, or InvalidRequest if it is none."""
    prefix, colon, rest = node_id.partition(":")
    if not colon or prefix not in set(NodeKind):
        raise InvalidRequest(
            Fault("nodeId", "expected dataset:NAMESPACE:NAME, datasetField:NAMESPACE:NAME:FIELD or job:NAMESPACE:NAME")
        )
    kind = NodeKind(prefix)
    texts = dict.fromkeys([rest, unquote(rest)])
    nodes = list(islice((node for text in texts for node in _splits(kind, text)), MAX_SPLITS))
    if not nodes:
        raise InvalidRequest(Fault("nodeId", "has too few parts"))
    found = resolve(reader, nodes)
    stem, mark, version = node_id.rpartition("#")
    if found is None and mark and is_uuid(version):
        return resolve_node_id(reader, stem)._replace(version=version.lower())
    if found is None:
        likely = nodes[0].name.name
        raise NotFound(f"{'Job' if kind is NodeKind.JOB else 'Dataset'} '{likely}' not found.")
    return found


def path_candidates(kind: NodeKind, path: str) -> Iterator[NamedNode]:
    """The nodes that `NAMESPACE/datasets/NAME` may mean, encoded or not."""
    separator = f"/{kind}s/"
    for text in dict.fromkeys([path, unquote(path)]):
        for at in _positions(text, separator):
            namespace, name = text[:at], text[at + len(separator) :]
            yield from (
                NamedNode(kind, each)
                for each in dict.fromkeys([Name(namespace, name), Name(unquote(namespace), unquote(name))])
                if namespace and name
            )


def _splits(kind: NodeKind, text: str) -> Iterator[NamedNode]:
    """Every way to split, the likeliest first: a namespace's own colon is followed by `//` or a port."""
    colons = sorted(
        _positions(text, ":"), key=lambda at: text[at + 1 : at + 3] == "//" or text[at + 1 : at + 2].isdigit()
    )
    for at in colons:
        namespace, rest = text[:at], text[at + 1 :]
        if not namespace or not rest:
            continue
        if kind is not NodeKind.FIELD:
            yield NamedNode(kind, Name(namespace, rest))
            continue
        for end in reversed(list(_positions(rest, ":"))):
            if rest[:end] and rest[end + 1 :]:
                yield NamedNode(kind, Name(namespace, rest[:end]), rest[end + 1 :])


def _positions(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
