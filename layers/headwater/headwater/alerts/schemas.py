"""The schemas of one dataset, and its newest versions."""

from itertools import islice

from headwater.graph.facets.schema_diff import Columns, columns_diff, columns_of, without_metadata
from headwater.graph.names.identity import DatasetId, SchemaId
from headwater.graph.states.neighbours import Side
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.instant import NEVER, Instant
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

MAX_VERSIONS = 50
"""Newest versions of a dataset among which an alert looks for a schema."""


class Schemas:
    """The columns of a dataset's schemas, by digest. A schema is read when it is first needed.

    The schemas of readers lack metadata columns: a reader may name such columns, a writer never does.
    """

    def __init__(self, reader: Reader, dataset: DatasetId, side: Side) -> None:
        self.reader = reader
        self.dataset = dataset
        self._side = side
        self._known: dict[str, tuple[Columns, Instant]] = {}

    def __getitem__(self, digest: str) -> Columns:
        return self._read(digest)[0]

    def first(self, digest: str) -> Instant:
        """The earliest event time that has a schema."""
        return self._read(digest)[1]

    def agree(self, left: str | None, right: str | None) -> bool:
        """Whether two schemas have the same columns of the same types."""
        return left is not None and right is not None and not columns_diff(self[left], self[right])

    def _read(self, digest: str) -> tuple[Columns, Instant]:
        if digest not in self._known:
            schema = SchemaId(self.dataset, digest)
            document = self.reader.store.read(ReadRequest(schemas=[schema])).schemas.get(schema)
            columns = columns_of(document.value) if document else {}
            columns = columns if self._side is Side.WRITES else without_metadata(columns)
            self._known[digest] = columns, document.time if document else NEVER
        return self._known[digest]


def newest_writes(reader: Reader, dataset: DatasetId, until: Instant | None = None) -> list[DatasetWrite]:
    """The newest versions of a dataset until a time or until now, the newest first."""
    ids = list(islice(reader.store.writes_of(dataset).newest(until=until, limit=MAX_VERSIONS), MAX_VERSIONS))
    read = reader.store.read(ReadRequest(writes=ids))
    return read.writes.of(ids)
