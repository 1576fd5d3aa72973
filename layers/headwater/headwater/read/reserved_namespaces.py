"""What is described in a reserved namespace: data sources and tags, each a dataset there, whose facets describe it."""

from collections.abc import Iterable, Mapping

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import dataset_id
from headwater.openlineage.event import Name
from headwater.read.reader import Reader
from headwater.store import keys


def names_in(reader: Reader, reserved: str) -> list[str]:
    """The names of all that is described there, in their order."""
    return sorted({each.name for each in reader.table.list_entries(keys.datasets_of(reserved))})


def heads_in(reader: Reader, reserved: str, names: Iterable[str]) -> Mapping[str, DatasetHead]:
    """The heads of those that are described, by name."""
    ids = {dataset_id(Name(reserved, name)): name for name in names}
    return {ids[node]: head for node, head in reader.datasets(list(ids)).items()}
