"""Takes what people say of the graph: first into the queue, like every event, then into the table.

What is in the queue will be archived and folded, whatever becomes of this function; what is folded here is what the
next reader sees. Folding the same twice is harmless. If the queue does not take an event, nothing has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from headwater.access.event_sender import EventSender, Sender
from headwater.access.principal import Principal, Scope
from headwater.curate.curation_events import Document
from headwater.fold.fold import fold
from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.openlineage import exact_json
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphStore
from headwater.store.s3 import Bodies

_OURSELVES = Principal("curate", frozenset({Scope.ADMIN}), ("*",))
"""The caller has been permitted when an event of ours is made; descriptions are in namespaces that are no caller's."""


@dataclass(frozen=True)
class Curator:
    """What curate works with, for the length of one request."""

    store: GraphStore
    queue: Sender
    bucket: Bodies
    naming: Naming

    def for_one_request(self) -> "Curator":
        return replace(self)

    @cached_property
    def before(self) -> Reader:
        """The graph as it was before the request changed anything."""
        return self.reader()

    def reader(self) -> Reader:
        """The graph as it is now."""
        return Reader(self.store.for_one_request(), self.naming)

    def apply(self, now: datetime, documents: Sequence[Document]) -> None:
        """Queues events, then folds them. Raises InvalidRequest before it has done anything.

        Raises StorageError if not all of them are safe in the queue, and nothing is folded then; or if they could not
        be folded, and then they will be. To repeat the request is right in either case.
        """
        if not documents:
            return
        texts = [exact_json.dumps(document) for document in documents]
        EventSender(_OURSELVES, self.queue, self.bucket, now).together(texts)
        fold([normalise_event(text, self.naming) for text in texts], self.store)
