"""Says things of the graph so that they stay said: first into the queue, like every event, then into the table.

What is in the queue will be archived and folded, whatever becomes of this function; what is folded here is what the
next reader sees. Folding the same twice is harmless. If the queue does not take an event, nothing has changed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from headwater.access.principal import Principal, Scope
from headwater.curate.curation_events import Document
from headwater.fold.fold import fold
from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.http.request import ApiRequest
from headwater.ingest.event_sender import EventSender, Sender
from headwater.openlineage import exact_json
from headwater.read.reader import Reader
from headwater.store.item_codec import Retention
from headwater.store.request_cache import RequestCache
from headwater.store.s3 import Bodies
from headwater.store.table import Table

_OURSELVES = Principal("curate", frozenset({Scope.ADMIN}), ("*",))
"""Who asked has been checked when an event of ours is made; descriptions are in namespaces that are no caller's."""


@dataclass(frozen=True)
class Command:
    """A request to write: who asks for what and when, with which body, and whether there is time to go on."""

    request: ApiRequest
    body: str = ""
    has_time: Callable[[], bool] = lambda: True

    @property
    def now(self) -> datetime:
        return self.request.received_at


@dataclass(frozen=True)
class Curator:
    """What curate works with."""

    table: Table
    queue: Sender
    bucket: Bodies
    retention: Retention
    naming: Naming

    def reader(self) -> Reader:
        """The graph as it is now."""
        return Reader(RequestCache(self.table), self.naming)

    def apply(self, now: datetime, documents: Sequence[Document]) -> None:
        """Queues events, then folds them. Raises InvalidRequest before it has done anything.

        Raises StorageError if not all of them are safe in the queue, and nothing is folded then; or if they could not
        be folded, and then they will be. To repeat the request is right in either case.
        """
        if not documents:
            return
        texts = [exact_json.dumps(document) for document in documents]
        EventSender(_OURSELVES, self.queue, self.bucket, now).together(texts)
        fold([normalise_event(text, self.naming) for text in texts], self.table, self.retention)
