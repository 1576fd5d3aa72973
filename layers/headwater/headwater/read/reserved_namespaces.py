"""The data sources and tags. Each is a dataset in a reserved namespace, and the dataset's facets describe it."""

from collections.abc import Iterable, Mapping

from headwater.graph.names.identity import dataset_id
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.event import Name
from headwater.read.reader import Reader


def names_in(reader: Reader, reserved: str) -> list[str]:
    """The names of the datasets in a reserved namespace, in order."""
    return sorted({entry.name for entry in reader.store.datasets_in(reserved).entries()})


def heads_in(reader: Reader, reserved: str, names: Iterable[str]) -> Mapping[str, DatasetHead]:
    """The heads of the datasets with these names, by name."""
    ids = {dataset_id(Name(reserved, name)): name for name in names}
    return {ids[node]: head for node, head in reader.datasets(list(ids)).items()}
