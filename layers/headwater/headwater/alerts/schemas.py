"""The schemas of one dataset."""

from headwater.graph.identity import NodeId
from headwater.graph.neighbours import Side
from headwater.graph.schema_diff import Columns, columns_diff, columns_of, without_metadata
from headwater.read.reader import Reader
from headwater.store import item_codec, keys


class Schemas:
    """The columns of a dataset's schemas by their digests, read as they are asked for: as they were written, or as a
    reader may name them."""

    def __init__(self, reader: Reader, dataset: NodeId, side: Side) -> None:
        self.reader = reader
        self.dataset = dataset
        self._side = side
        self._known: dict[str, Columns] = {}

    def __getitem__(self, digest: str) -> Columns:
        if digest not in self._known:
            key = keys.schema(self.dataset, digest)
            item = self.reader.table.read([key]).get(key)
            columns = columns_of(item_codec.read_document(item)) if item else {}
            self._known[digest] = columns if self._side is Side.WRITES else without_metadata(columns)
        return self._known[digest]

    def agree(self, one: str | None, other: str | None) -> bool:
        """Whether two schemas have the same columns of the same types."""
        return one is not None and other is not None and not columns_diff(self[one], self[other])
