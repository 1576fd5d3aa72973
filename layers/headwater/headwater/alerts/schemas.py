"""The schemas of one dataset."""

from typing import Any

from headwater.graph.identity import NodeId
from headwater.graph.schema_diff import columns_of
from headwater.lookup.reader import Reader
from headwater.store import keys, records


class Schemas:
    """The schemas of a dataset by their digests, read as they are asked for."""

    def __init__(self, reader: Reader, dataset: NodeId) -> None:
        self.reader = reader
        self.dataset = dataset
        self._known: dict[str, Any] = {}

    def __getitem__(self, digest: str) -> Any:
        if digest not in self._known:
            key = keys.schema(self.dataset, digest)
            item = self.reader.table.read([key]).get(key)
            self._known[digest] = records.read_document(item) if item else None
        return self._known[digest]

    def agree(self, one: str | None, other: str | None) -> bool:
        """Whether two schemas have the same columns of the same types."""
        return one is not None and other is not None and columns_of(self[one]) == columns_of(self[other])
