"""Applies curation: the events are sent to the queue, like all events, and are then folded into the table.

normalise archives and folds the queued events, even if curate fails afterwards. curate folds the events, too, so that
the next lookup shows them. Folding an event twice changes nothing. If the queue does not store an event, nothing
changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from headwater.access.admission import admitted_event
from headwater.access.event_sender import EventSender, Sender
from headwater.access.principal import Principal, Scope
from headwater.access.visibility import visibility_of_writer
from headwater.curate.curation_events import Document
from headwater.fold.fold import fold
from headwater.graph.facets.curation import RESERVED
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent
from headwater.openlineage.nameless import NamedDatasets
from headwater.openlineage.redaction import redacted
from headwater.openlineage.wire import read_event
from headwater.read.reader import Reader
from headwater.store.bodies import Bodies
from headwater.store.graph_store import GraphStore

_CURATE = Principal("curate", frozenset({Scope.ADMIN}), ("*",))
"""The principal of curation events. The router has checked the caller, who may not write the reserved namespaces of
descriptions."""


@dataclass(frozen=True)
class Curator:
    """The services of curate, for one request of a caller. `applied` are the events that the request was applied as."""

    store: GraphStore
    queue: Sender
    bucket: Bodies
    naming: Naming
    caller: Principal = _CURATE
    applied: list[AnyEvent] = field(default_factory=list)

    def for_one_request(self, caller: Principal) -> "Curator":
        return replace(self, caller=caller, applied=[])

    @cached_property
    def before(self) -> Reader:
        """The graph before the request, whole: a deletion ends what the events of all producers say."""
        return self.whole()

    def whole(self) -> Reader:
        """The graph with the changes of the request, whole."""
        return Reader(self.store.for_one_request(), self.naming)

    @cached_property
    def before_as_seen(self) -> Reader:
        """The graph before the request, as the caller sees it."""
        return self.before if self.caller.writes_all_namespaces else self.reader()

    def reader(self) -> Reader:
        """The graph with the changes of the request, as the caller sees it."""
        visibility = visibility_of_writer(self.caller, self.naming)
        return Reader(self.store.for_one_request(visibility=visibility), self.naming)

    def apply(self, now: datetime, documents: Sequence[Document]) -> None:
        """Queues events, then folds them. Raises InvalidRequest before anything has changed.

        Raises StorageError if the queue did not store all events; then no event is folded. Raises StorageError if the
        events could not be folded; then normalise folds them. In both cases the client may repeat the request.
        """
        if not documents:
            return
        admitted = [self._admitted(document) for document in documents]
        texts = [exact_json.dumps(redacted(document, exact_json.dumps(document)).document) for document in admitted]
        EventSender(_CURATE, self.queue, self.bucket, self.naming, now).send_all(texts)
        events = [normalise_event(text, self.naming) for text in texts]
        self.applied.extend(normalised.event for normalised in events)
        fold(events, self.store)

    def _admitted(self, document: Document) -> Document:
        """The event as the caller may send it: a declared job only names the datasets of others."""
        subject = document.get("dataset") or document["job"]
        if subject["namespace"] in RESERVED:
            return document
        caller = replace(self.caller, scopes=frozenset({Scope.ADMIN}))
        return admitted_event(NamedDatasets(document, ()), read_event(document), caller, self.naming).document
