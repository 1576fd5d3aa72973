"""The details of a namespace: the time of its first use, and its description.

A data source, a tag and the description of a namespace are each a dataset in a reserved namespace, and the dataset's
facets describe it.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from headwater.graph.facets.curation import NAMESPACES
from headwater.graph.names.identity import DatasetId, dataset_id, namespace_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import KnownNamespace
from headwater.openlineage.event import Name
from headwater.openlineage.faults import NotFound
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest


class NamespaceDetails(NamedTuple):
    """A namespace. `description` is the dataset that stands for it in the reserved namespace. A deleted namespace
    without jobs and datasets is hidden."""

    known: KnownNamespace
    description: DatasetHead | None
    is_hidden: bool


def read_namespace_details(reader: Reader, name: str) -> NamespaceDetails:
    """The details of a single namespace. Raises NotFound."""
    namespace = namespace_id(name)
    known = reader.store.read(ReadRequest(namespaces=[namespace])).namespaces.get(namespace)
    if known is None:
        raise NotFound(f"Namespace '{name}' not found.")
    return list_namespace_details(reader, [known])[0]


def list_namespace_details(reader: Reader, namespaces: Iterable[KnownNamespace]) -> list[NamespaceDetails]:
    """The details of namespaces: one read for a hundred namespaces."""
    listed = list(namespaces)
    descriptions = reader.datasets([_description_id(known.name) for known in listed], deleted=True)
    return [_details(reader, known, descriptions) for known in listed]


def names_in(reader: Reader, reserved: str) -> list[str]:
    """The names of the datasets in a reserved namespace, in order."""
    return sorted({entry.name for entry in reader.store.datasets_in(reserved).entries()})


def heads_in(reader: Reader, reserved: str, names: Iterable[str]) -> Mapping[str, DatasetHead]:
    """The heads of the datasets with these names, by name."""
    ids = {dataset_id(Name(reserved, name)): name for name in names}
    return {ids[node]: head for node, head in reader.datasets(list(ids)).items()}


def _details(reader: Reader, known: KnownNamespace, descriptions: Mapping[DatasetId, DatasetHead]) -> NamespaceDetails:
    head = descriptions.get(_description_id(known.name))
    is_hidden = head is not None and head.is_deleted and _is_empty(reader, known.name)
    return NamespaceDetails(known, head, is_hidden)


def _description_id(namespace: str) -> DatasetId:
    return dataset_id(Name(NAMESPACES, namespace))


def _is_empty(reader: Reader, namespace: str) -> bool:
    has_jobs = any(True for _ in islice(reader.store.jobs_in(namespace).entries(limit=1), 1))
    return not has_jobs and not any(True for _ in islice(reader.store.datasets_in(namespace).entries(limit=1), 1))
