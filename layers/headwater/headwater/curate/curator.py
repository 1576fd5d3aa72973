"""Applies curation: the events are sent to the queue, like all events, and are then folded into the table.

normalise archives and folds the queued events, even if curate fails afterwards. curate folds the events, too, so that
the next lookup shows them. Folding an event twice changes nothing. If the queue does not store an event, nothing
changes.
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

_CURATE = Principal("curate", frozenset({Scope.ADMIN}), ("*",))
"""The principal of curation events. The router has already checked the principal of the request, which has no key for
the reserved namespaces of descriptions."""


@dataclass(frozen=True)
class Curator:
    """The services of curate, for one request."""

    store: GraphStore
    queue: Sender
    bucket: Bodies
    naming: Naming

    def for_one_request(self) -> "Curator":
        return replace(self)

    @cached_property
    def before(self) -> Reader:
        """The graph before the request."""
        return self.reader()

    def reader(self) -> Reader:
        """The graph with the changes of the request."""
        return Reader(self.store.for_one_request(), self.naming)

    def apply(self, now: datetime, documents: Sequence[Document]) -> None:
        """Queues events, then folds them. Raises InvalidRequest before anything has changed.

        Raises StorageError if the queue did not store all events; then no event is folded. Raises StorageError if the
        events could not be folded; then normalise folds them. In both cases the client may repeat the request.
        """
        if not documents:
            return
        texts = [exact_json.dumps(document) for document in documents]
        EventSender(_CURATE, self.queue, self.bucket, now).send_all(texts)
        fold([normalise_event(text, self.naming) for text in texts], self.store)
