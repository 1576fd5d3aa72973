"""Finds the node of a name in a request.

A nodeId (`dataset:NAMESPACE:NAME`) cannot be split by rule, since namespaces contain colons. Nor can a path: API
Gateway decodes paths, so slashes in a name look like slashes of the path. Every possible split is looked up, all in one
read.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import DatasetId, JobId, NeighbourPageId, NodeKind, dataset_id, job_id, sent_id
from headwater.openlineage.event import Name, is_uuid
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest, Snapshot

MAX_SPLITS = 500
"""Splits that are looked up, the likeliest first. The right split is usually among the first few."""
MAX_ALIASES = 4
"""Likeliest splits that are looked up among the aliases."""


class NamedNode(NamedTuple):
    """A node that a request names. `field` is a column of the dataset, `version` a version of the dataset."""

    kind: NodeKind
    name: Name
    field: str | None = None
    version: str | None = None

    @property
    def job(self) -> JobId:
        return job_id(self.name)

    @property
    def dataset(self) -> DatasetId:
        """The id of the dataset with the name, also if the request names a field."""
        return dataset_id(self.name)


def resolve(reader: Reader, candidates: Iterable[NamedNode]) -> NamedNode | None:
    """The first candidate that is stored, in one read. If none is, the first candidate that is another name of a stored
    dataset: its name before a rename, a symlink, or an alias.

    The rules of naming are applied to the name of a dataset. An alias means the dataset that events meant by it.
    """
    nodes = list(islice(candidates, MAX_SPLITS))
    identified = [
        node if node.kind is NodeKind.JOB else node._replace(name=reader.naming.identify(node.name).shown)
        for node in nodes
    ]
    jobs = [node.job for node in identified if node.kind is NodeKind.JOB]
    datasets = [node.dataset for node in identified if node.kind is not NodeKind.JOB]
    read = reader.store.read(
        ReadRequest(jobs=jobs, datasets=datasets, neighbours=list(map(NeighbourPageId, datasets)))
    )  # the caller needs the neighbours next
    known = (node for node in identified if _is_known(node, read))
    return next(known, None) or _by_other_id(reader, identified, read) or _by_alias(reader, nodes)


def _by_other_id(reader: Reader, nodes: Iterable[NamedNode], read: Snapshot) -> NamedNode | None:
    """The dataset that was renamed from one of these names, or whose symlinks facet has one of them, if no event names
    a dataset by that name."""
    for node in (node for node in nodes if node.kind is not NodeKind.JOB):
        page, head = read.neighbours.get(NeighbourPageId(node.dataset)), read.datasets.get(node.dataset)
        if (page and page.merged) or (head and head.renamed):
            around = reader.neighbourhood([node.dataset], ())
            shown = around.heads.get(around.representative(node.dataset))
            if shown and not shown.is_foreign:
                return node._replace(name=shown.facts.name)
    return None


def _by_alias(reader: Reader, nodes: Iterable[NamedNode]) -> NamedNode | None:
    """The dataset that events meant by one of these names."""
    for node in islice((node for node in nodes if node.kind is not NodeKind.JOB), MAX_ALIASES):
        for alias_id in reader.store.aliases_of_name(sent_id(node.name)):
            alias = reader.store.read(ReadRequest(aliases=[alias_id])).aliases.get(alias_id)
            dataset = node._replace(name=alias.alias.dataset) if alias else node
            if _is_known(dataset, reader.store.read(ReadRequest(datasets=[dataset.dataset]))):
                return dataset
    return None


def _is_known(node: NamedNode, read: Snapshot) -> bool:
    """Whether a job or dataset is stored and not deleted. A node that the caller may not read is as unknown as one that
    does not exist: a nodeId may also be split into a namespace of the caller and a longer name."""
    if node.kind is NodeKind.JOB:
        job = read.jobs.get(node.job)
        return job is not None and not job.is_foreign and not job.facts.is_deleted
    dataset = read.datasets.get(node.dataset)
    return dataset is not None and not dataset.is_foreign and not dataset.is_deleted


def resolve_node_id(reader: Reader, node_id: str) -> NamedNode:
    """The node of a nodeId. Raises NotFound, or InvalidRequest if the text is not a nodeId.

    A trailing `#UUID` is part of the name, or else a version. Only the last `#UUID` can be a version. After a column it
    is a version, unless the dataset has such a column.
    """
    prefix, colon, rest = node_id.partition(":")
    if not colon or prefix not in set(NodeKind) - {NodeKind.EXPOSURE}:
        raise InvalidRequest(
            Fault("nodeId", "expected dataset:NAMESPACE:NAME, datasetField:NAMESPACE:NAME:FIELD or job:NAMESPACE:NAME")
        )
    kind = NodeKind(prefix)
    nodes = node_id_candidates(kind, rest)
    if not nodes:
        raise InvalidRequest(Fault("nodeId", "has too few parts"))
    node, version = resolve(reader, nodes), None
    stem, _, end = rest.rpartition("#")
    if node and node.field and is_uuid(end) and not _has_column(reader, node):
        node = None
    if node is None and is_uuid(end) and (of_stem := node_id_candidates(kind, stem)):
        nodes, version = of_stem, end.lower()
        node = resolve(reader, nodes)
    if node is None:
        likely = nodes[0].name.name
        raise NotFound(f"{'Job' if kind is NodeKind.JOB else 'Dataset'} '{likely}' not found.")
    return node._replace(version=version)


def _has_column(reader: Reader, node: NamedNode) -> bool:
    """Whether the schema of a dataset has the column, now."""
    heads = reader.datasets([node.dataset]).values()
    return any(field["name"] == node.field for head in heads for field in fields_of(head.schema))


def path_candidates(kind: NodeKind, path: str, *, is_encoded: bool = False) -> list[NamedNode]:
    """The nodes that a path `NAMESPACE/datasets/NAME` may mean, the likeliest first: `per%25cent` is `per%cent` in a
    path as it was sent, and itself in one that API Gateway has decoded."""
    return list(islice(_path_splits(kind, path, is_encoded), MAX_SPLITS))


def node_id_candidates(kind: NodeKind, text: str) -> list[NamedNode]:
    """The nodes that a nodeId may mean by the text behind its kind, percent-encoded or not."""
    spellings = dict.fromkeys([text, unquote(text)])
    return list(islice((node for spelling in spellings for node in _splits(kind, spelling)), MAX_SPLITS))


def _path_splits(kind: NodeKind, path: str, is_encoded: bool) -> Iterator[NamedNode]:
    separator = f"/{kind}s/"
    for text in dict.fromkeys([path, unquote(path)]):
        for at in _positions(text, separator):
            namespace, name = text[:at], text[at + len(separator) :]
            names = [Name(namespace, name), Name(unquote(namespace), unquote(name))]
            yield from (
                NamedNode(kind, full_name)
                for full_name in dict.fromkeys(reversed(names) if is_encoded else names)
                if namespace and name
            )


def _splits(kind: NodeKind, text: str) -> Iterator[NamedNode]:
    """Every split, the likeliest first: a colon in a namespace is usually followed by `//` or a port."""
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
