"""From the names that a request holds to nodes.

A nodeId (`dataset:NAMESPACE:NAME`) cannot be split by rule, since namespaces hold colons; and API Gateway hands over
paths decoded, so a name's slashes look like the path's own. So every way to split is tried against the table at once.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from headwater.graph.identity import NodeId, dataset_id, job_id
from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, Refused
from headwater.store import keys
from headwater.store.table import Table

MAX_SPLITS = 500
"""Ways to read a name that are tried, the likeliest first; a name that means itself is among the first few."""


class Kind(StrEnum):
    """What a nodeId names."""

    JOB = "job"
    DATASET = "dataset"
    FIELD = "datasetField"


class Node(NamedTuple):
    """A node that a request names; `field` for a column alone."""

    kind: Kind
    name: Name
    field: str | None = None

    @property
    def id(self) -> NodeId:
        return job_id(self.name) if self.kind is Kind.JOB else dataset_id(self.name)

    @property
    def key(self) -> keys.Key:
        return keys.job_head(self.id) if self.kind is Kind.JOB else keys.dataset_head(self.id)


class NotFound(Refused):
    """Nothing of that name is known."""

    def __init__(self, message: str) -> None:
        super().__init__(Fault("path", message), status=404)
        self.message = message


def resolve(table: Table, candidates: Iterable[Node]) -> Node | None:
    """The first candidate that is known, in one read."""
    nodes = list(islice(candidates, MAX_SPLITS))
    found = table.read([node.key for node in nodes])
    return next((node for node in nodes if node.key in found), None)


def node_of(table: Table, node_id: str) -> Node:
    """The node of a nodeId. Raises NotFound, or Refused if it is none."""
    prefix, colon, rest = node_id.partition(":")
    if not colon or prefix not in set(Kind):
        raise Refused(
            Fault("nodeId", "expected dataset:NAMESPACE:NAME, datasetField:NAMESPACE:NAME:FIELD or job:NAMESPACE:NAME")
        )
    kind = Kind(prefix)
    texts = dict.fromkeys([rest, unquote(rest)])
    nodes = list(islice((node for text in texts for node in _splits(kind, text)), MAX_SPLITS))
    if not nodes:
        raise Refused(Fault("nodeId", "has too few parts"))
    found = resolve(table, nodes)
    if found is None:
        likely = nodes[0].name.name
        raise NotFound(f"{'Job' if kind is Kind.JOB else 'Dataset'} '{likely}' not found.")
    return found


def path_candidates(kind: Kind, path: str, ending: str = "") -> Iterator[Node]:
    """The nodes that `NAMESPACE/datasets/NAME` may mean, with `ending` behind the name; encoded or not."""
    separator = f"/{kind}s/"
    for text in dict.fromkeys([path, unquote(path)]):
        if text.endswith(ending):
            stem = text.removesuffix(ending)
            for at in _positions(stem, separator):
                namespace, name = stem[:at], stem[at + len(separator) :]
                yield from (
                    Node(kind, each)
                    for each in dict.fromkeys([Name(namespace, name), Name(unquote(namespace), unquote(name))])
                    if namespace and name
                )


def _splits(kind: Kind, text: str) -> Iterator[Node]:
    """Every way to split, the likeliest first: a namespace's own colon is followed by `//` or a port."""
    colons = sorted(
        _positions(text, ":"), key=lambda at: text[at + 1 : at + 3] == "//" or text[at + 1 : at + 2].isdigit()
    )
    for at in colons:
        namespace, rest = text[:at], text[at + 1 :]
        if not namespace or not rest:
            continue
        if kind is not Kind.FIELD:
            yield Node(kind, Name(namespace, rest))
            continue
        for end in reversed(list(_positions(rest, ":"))):
            if rest[:end] and rest[end + 1 :]:
                yield Node(kind, Name(namespace, rest[:end]), rest[end + 1 :])


def _positions(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)
