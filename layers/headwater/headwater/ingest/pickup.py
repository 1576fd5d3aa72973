"""Takes events from objects of a bucket, for clusters that reach S3 and no API.

The first folder of an object's key is the id of an API key: `spark-prod/1763625600000.json`. The events may say what
that key may, as if they had been posted with it. Who may put objects into the folder is for IAM to say.
"""

import io
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import unquote_plus

import simplejson

from headwater import metrics
from headwater.access.event_sender import NOT_QUEUED, EventSender, Sender
from headwater.access.keys import KeyRing
from headwater.access.principal import Principal, Scope
from headwater.graph.names.naming import Naming
from headwater.graph.states.audit import RefusalEntry, RefusalKind, counted, cut
from headwater.ingest.accept import accept_documents
from headwater.ingest.event_files import SentEvent, batches, of_stream
from headwater.ingest.refusals import RefusalWriter, kind_of, producer_in
from headwater.log import FunctionLog
from headwater.openlineage import exact_json
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of
from headwater.openlineage.redaction import redacted_text
from headwater.store.bodies import Bodies
from headwater.store.errors import StorageError

MAX_BYTES = 50_000_000
"""The longest object that is taken, also after unpacking: its events have to be in the queue within the 300 seconds of
an invocation."""
MAX_NAMED = 100
"""The most refused events of an object that the log names one by one."""


class PutObject(NamedTuple):
    """An object that was put into the bucket; `size` is in bytes."""

    key: str
    size: int


class NotTaken(Exception):
    """An object whose folder is not the id of a key that may send events. It is tried again: the key may come later."""


@dataclass(frozen=True)
class _RefusedEvents:
    """The refused events of an object: where the first stand and why, and how many there are of each kind."""

    named: list[tuple[str, str]] = field(default_factory=list)
    kinds: Counter[RefusalKind] = field(default_factory=Counter)

    def add(self, place: str, reason: str, kind: RefusalKind) -> None:
        self.kinds[kind] += 1
        if len(self.named) < MAX_NAMED:
            self.named.append((place, reason))


def objects_in(notification: str) -> Iterator[PutObject]:
    """The objects in a notification of S3. That of a bucket whose notifications were just turned on has none."""
    for record in simplejson.loads(notification).get("Records", ()):
        described = record["s3"]["object"]
        yield PutObject(unquote_plus(described["key"]), int(described.get("size", 0)))


@dataclass(frozen=True)
class Pickup:
    """The services of pickup. `objects` is the bucket that is watched, and `bodies` the archive. `refusals` makes the
    store of refusals when the first event is refused. A longer event than ingest would take is refused here, too."""

    keys: KeyRing
    objects: Bodies
    queue: Sender
    bodies: Bodies
    naming: Naming
    refusals: Callable[[], RefusalWriter]
    log: FunctionLog
    now: Callable[[], datetime]
    max_event_bytes: int

    def take(self, put: PutObject) -> None:
        """Queues the events of an object. An event with a fault is named in the log and counted, and the others go on.

        Raises NotTaken, or StorageError if an event is not safe in the queue. Then the object has to be taken again,
        as a whole: an event that is taken twice changes nothing.
        """
        folder, slash, _ = put.key.partition("/")
        principal = self.keys.named(folder) if slash else None
        if principal is None or not principal.may(Scope.INGEST):
            raise NotTaken(f"{put.key}: {folder} is not the id of a key with the scope {Scope.INGEST}")
        taken, set_aside, secrets, refused = 0, 0, 0, _RefusedEvents()
        sender = EventSender(principal, self.queue, self.bodies, self.naming, self.now())
        for batch in batches(self._events(put)):
            readable, documents = list[SentEvent](), list[Any]()
            for event in batch:
                try:
                    documents.append(_document(event, self.max_event_bytes))
                    readable.append(event)
                except InvalidRequest as fault:
                    refused.add(event.place, str(fault), kind_of(producer_in(event.text), fault))
            accepted = accept_documents(sender, documents)
            if accepted.retriable:
                raise StorageError(NOT_QUEUED)
            taken += accepted.accepted
            set_aside += len(accepted.set_aside)
            secrets += accepted.secrets
            for index, failure in sorted(accepted.failures.items()):
                if failure.kind:
                    refused.add(readable[index].place, failure.reason, failure.kind)
        metrics.count(
            EventsReceived=taken, EventsRefused=refused.kinds.total(), EventsSetAside=set_aside, SecretsRedacted=secrets
        )
        self._name(refused, principal)

    def _events(self, put: PutObject) -> Iterator[SentEvent]:
        if put.size > MAX_BYTES:
            fault = f"an object of more than {MAX_BYTES} bytes; split it, or send it with headwater load"
            return iter([SentEvent(put.key, "", fault)])
        return of_stream(put.key, io.BytesIO(self.objects.get(put.key)), most_bytes=MAX_BYTES)

    def _name(self, refused: _RefusedEvents, principal: Principal) -> None:
        """Names refused events in the log, and counts them where lookups count refused requests."""
        for place, reason in refused.named:
            self.log.info("refused", place=place, reason=redacted_text(reason)[:1000])
        if refused.kinds:
            kinds = counted(refused.kinds.elements())
            entry = RefusalEntry(instant_of(self.now()), uuid.uuid4().hex, cut(principal.key_id), kinds)
            try:
                self.refusals().write(entry)
            except StorageError as error:
                self.log("refusals could not be counted", error)


def _document(event: SentEvent, max_bytes: int) -> Any:
    """The JSON document of an event. Raises InvalidRequest."""
    if event.fault:
        raise InvalidRequest(Fault("object", event.fault))
    if len(event.text.encode()) > max_bytes:
        raise InvalidRequest(Fault("event", f"longer than {max_bytes} bytes"), status=413)
    return exact_json.loads(event.text)
