"""The subjects of lists: the namespaces that the caller may see, or the namespace that a request names."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import NamedTuple

from headwater.access.principal import Principal
from headwater.graph.facets.curation import SOURCES, is_among
from headwater.graph.names.identity import DatasetId, NodeKind
from headwater.graph.names.naming import plain_namespace
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.paging import chunked, listed_page
from headwater.http.parameters import NAMED_BY_OTHERS
from headwater.http.request import ApiRequest, PageRequest
from headwater.http.router import Subject
from headwater.http.subjects import (
    id_of_namespace,
    id_of_node,
    known_alert,
    known_namespace,
    known_namespaces,
    namespace_of_alert,
    namespaces_of_node,
    node_from_query,
    only_namespace,
    require_one,
    spellings_of,
)
from headwater.openlineage.faults import Fault, InvalidRequest, NotFound
from headwater.read.dataset_details import tags_of_datasets
from headwater.read.name_resolution import NamedNode
from headwater.read.namespace_details import heads_in
from headwater.read.reader import Reader
from headwater.store.ranges import Entry, Listing, just_behind

MAX_READ, READ_AT_A_TIME = 5_000, 100
"""Datasets that a request with `tag` reads at most, and together."""


class DescribedSource(NamedTuple):
    """A data source, and the dataset that stands for it."""

    name: str
    head: DatasetHead


class ListedDatasets(NamedTuple):
    """The requested page of a namespace's list of datasets, and the number of all its entries."""

    namespace: str
    entries: Sequence[Entry[DatasetId]]
    total: int


def visible_namespaces(reader: Reader, request: ApiRequest) -> list[KnownNamespace]:
    """The known namespaces that the caller's key includes, by name."""
    return [known for known in reader.namespaces() if request.principal.may_read(known.name)]


def searched_namespaces(reader: Reader, request: ApiRequest) -> list[str]:
    """The namespace that the query names, else all visible namespaces."""
    namespace = request.query.get("namespace")
    return [namespace] if namespace else [known.name for known in visible_namespaces(reader, request)]


def readable_namespaces(reader: Reader, request: ApiRequest) -> list[str] | None:
    """The namespace that the query names, else all that the caller reads; None for a caller who reads them all, so that
    they need not be listed."""
    is_every = request.principal.reads_everything and not request.query.get("namespace")
    return None if is_every else searched_namespaces(reader, request)


def node_or_namespaces(reader: Reader, request: ApiRequest) -> NamedNode | list[str] | None:
    """The job or dataset that the query names, else its namespace, else None: all that the caller reads. Raises
    NotFound, or InvalidRequest."""
    name = request.query.get("namespace")
    if "nodeId" in request.query:
        return node_from_query(reader, request, (NodeKind.JOB, NodeKind.DATASET))
    if not name:
        return None
    known = known_namespaces(reader, list(dict.fromkeys([name, plain_namespace(name)])))
    if not known:
        require_one(request, [name])
        raise NotFound(f"Namespace '{name}' not found.")
    return known


def namespace_of_jobs(reader: Reader, request: ApiRequest) -> str:
    """The namespace of a list of jobs, known or not. A read is needed only if the path has two spellings."""
    names = spellings_of(request.parameters["namespace"])
    known = known_namespaces(reader, names) if len(names) > 1 else names
    return (known or names)[0]


def datasets_of_namespace(reader: Reader, request: ApiRequest) -> ListedDatasets:
    """The namespace of a list of datasets, and the requested part of the list. A namespace with datasets is known. The
    datasets of `s3a://lake` are those of `s3://lake`.

    Raises NotFound for an unknown namespace without datasets.
    """
    page, names = request.page(), spellings_of(request.parameters["namespace"])
    tag, by_others = request.query.get("tag"), request.flag(NAMED_BY_OTHERS.name)
    for name in dict.fromkeys([*names, *map(plain_namespace, names)]):
        listing = reader.store.datasets_in(name, named_by_others=by_others)
        entries, total = _tagged_page(reader, listing, page, tag) if tag else listed_page(listing, page)
        if entries or (total and page.after is None):
            return ListedDatasets(name, entries, total)
    return ListedDatasets(known_namespace(reader, request), [], page.total or 0)


def _tagged_page(
    reader: Reader, listing: Listing[DatasetId], page: PageRequest, tag: str
) -> tuple[list[Entry[DatasetId]], int]:
    """The requested page of the datasets with a tag, on them or on a column, among the next `MAX_READ`; and the number
    of all datasets."""
    after = page.after and just_behind(page.after)
    found: list[Entry[DatasetId]] = []
    for chunk in chunked(islice(listing.entries(after=after), MAX_READ), READ_AT_A_TIME):
        tags = tags_of_datasets(reader, [entry.id for entry in chunk])
        found += [entry for entry in chunk if is_among(tag, tags.get(entry.id, ()))]
        if len(found) >= page.offset + page.limit:
            break
    return found[page.offset :][: page.limit], listing.count() if page.total is None else page.total


def described_source(reader: Reader, request: ApiRequest) -> DescribedSource:
    """The data source of a path. Raises NotFound, or InvalidRequest (403)."""
    names = spellings_of(request.parameters["source"])
    heads = heads_in(reader, SOURCES, names)
    for name in names:
        if name in heads:
            return DescribedSource(name, heads[name])
    require_one(request, names)
    raise NotFound(f"Source '{names[0]}' not found.")


def _of_either(subject: NamedNode | Collection[str] | None) -> Collection[str]:
    return namespaces_of_node(subject) if isinstance(subject, NamedNode) else subject or ()


def _id_of_either(subject: NamedNode | Collection[str] | None) -> str:
    return id_of_node(subject) if isinstance(subject, NamedNode) else next(map(id_of_namespace, subject or ()), "")


def administrator(_reader: Reader, request: ApiRequest) -> Principal:
    """The caller, who administers all namespaces. Raises InvalidRequest (403)."""
    if not request.principal.administers_everything:
        raise InvalidRequest(Fault("key", "is not for all namespaces; send an administrator's key for *"), status=403)
    return request.principal


VISIBLE_NAMESPACES = Subject(visible_namespaces, lambda namespaces: [known.name for known in namespaces])
SEARCHED_NAMESPACES = Subject(searched_namespaces, lambda names: names)
READABLE_NAMESPACES: Subject[Reader, list[str] | None] = Subject(readable_namespaces, lambda names: names or ())
NODE_OR_NAMESPACES = Subject(node_or_namespaces, _of_either, _id_of_either)
NAMESPACE_OF_JOBS = Subject(namespace_of_jobs, only_namespace, id_of_namespace)
NAMESPACE_OF_DATASETS = Subject(
    datasets_of_namespace, lambda listed: [listed.namespace], lambda listed: id_of_namespace(listed.namespace)
)
ALERT = Subject(known_alert, namespace_of_alert)
SOURCE = Subject(described_source, lambda source: [source.name], lambda source: f"source:{source.name}")
ADMINISTRATOR: Subject[Reader, Principal] = Subject(administrator, lambda _: ())
