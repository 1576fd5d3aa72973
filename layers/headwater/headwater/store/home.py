"""A home: everything that one process keeps, as one object with its ports. `store/sqlite/home.py` is one, over a file.

To add a store, write a folder `store/<name>/` with one object that is a `Home`. The suites of tests/store and
tests/serve say what each port has to do.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from headwater.graph.states.audit import AuditEntry
from headwater.store.audit_log import RefusalLog
from headwater.store.bodies import Bodies
from headwater.store.messages import Message, ReceivedMessage
from headwater.store.table import Table


class InboxMessage(NamedTuple):
    """A message in the inbox. Messages of one sender and group are folded in the order of their numbers. `received` is
    the content of the message, if this process received it recently."""

    number: int
    group: str
    body: str
    received: ReceivedMessage | None


class Inbox(Protocol):
    """Events that were received and are not folded yet. A message is in the archive, too, once `send` returns."""

    def listen(self, on_arrival: Callable[[], object], on_failure: Callable[[str, BaseException], object]) -> None:
        """From now on, `on_arrival` is called when messages are safe, `on_failure` when they are not."""

    def send(self, messages: Sequence[Message]) -> list[bool]:
        """Whether each message is safe."""

    def take(self, limit: int, without: Collection[str] = ()) -> list[InboxMessage]:
        """The first messages of each sender, in turn, except those of some groups."""

    def seconds_behind(self, sender: str) -> float:
        """In about how many seconds what a sender sends now is taken. Until it is known how fast that goes: for how
        long its first message had waited when messages were last taken."""

    def holds(self, messages: Iterable[Message]) -> bool:
        """Whether any of these messages, sent by this process recently, is not folded yet."""

    def depth(self) -> int:
        """The number of messages that are not folded yet."""


class FoldTransaction(NamedTuple):
    """A transaction of the table, and the items that it writes. The messages whose numbers `finish` is given leave the
    inbox with its commit."""

    table: Table
    finish: Callable[[Iterable[int]], None]
    written: Sized


class Outbox(Protocol):
    """Changes of items whose alerts are not in the alert log yet, in the form of records of a stream."""

    def take(self) -> list[dict[str, Any]]:
        """The first records."""

    def is_long(self) -> bool:
        """Whether hundreds of records wait."""

    def remove_before(self, sequence: str | None, taken: Iterable[dict[str, Any]]) -> None:
        """Removes taken records up to the one of this sequence number; None: all of them."""


class AlertLog(Protocol):
    """Alerts in their order, those of all namespaces in turn, and how far each receiver has got."""

    def add(self, alerts: Iterable[dict[str, Any]]) -> None:
        """Adds alerts, safe once this returns."""

    def join(self, receiver: str) -> None:
        """Makes a receiver known. A new receiver gets only later alerts."""

    def next_for(self, receiver: str) -> tuple[int, dict[str, Any]] | None:
        """The next alert for a receiver that `join` named, with its number: the first of a namespace."""

    def received(self, receiver: str, number: int) -> None:
        """A receiver has got the alert of this number, which was its next one."""


class StoredBodies(Bodies, Protocol):
    """Bodies that can be counted."""

    def count(self, prefix: str) -> int:
        """The number of bodies whose keys have this prefix, such as `quarantine/`."""


class QuarantineEntries(Protocol):
    """Messages that could not be folded."""

    def entries(self) -> Iterator[tuple[str, bytes]]:
        """The entries present now, by their keys, without any that are put back meanwhile."""

    def replay(self, key: str, group: str, body: str) -> None:
        """Puts a message into the inbox in place of its entry, in one transaction."""


class StoredEvents(Protocol):
    """Every event as it was received, for as long as the settings say."""

    def put(self, events: object) -> None:
        """Archives events that are not in the archive yet."""

    def events(self) -> Iterator[ReceivedMessage]:
        """Every event, the first received first. Raises StorageError, or UnreadableMessage."""

    def numbered(self, first: int = 0) -> Iterator[tuple[int, ReceivedMessage]]:
        """The events from a number on, in the same order: each has a number, and a later one a greater number. Raises
        StorageError, or UnreadableMessage."""


class ApiKeys(Protocol):
    """The API keys: each entry as in the secret on AWS."""

    def read(self) -> str:
        """All entries, as the text of the secret."""

    def entries(self) -> list[dict[str, Any]]: ...

    def add(self, entry: dict[str, Any]) -> bool:
        """Adds an entry, and returns whether its id was new: an entry of that id stays as it is."""

    def remove(self, key_id: str) -> bool:
        """Removes the entry of an id, and returns whether there was one."""


class EntryWriter(Protocol):
    """The audit log."""

    def write(self, *entries: AuditEntry) -> None:
        """Writes entries. Raises StorageError."""


class Home(Protocol):
    """The ports of a home. Every change of `table` reaches the outbox."""

    table: Table
    inbox: Inbox
    outbox: Outbox
    bodies: StoredBodies
    quarantine: QuarantineEntries
    archive: StoredEvents
    alert_log: AlertLog
    api_keys: ApiKeys
    audit_log: EntryWriter
    refusals: RefusalLog

    @property
    def forms(self) -> int:
        """The forms in which items are written (`Retention.forms`): those of the release that made the home, until an
        upgrade."""

    @property
    def has_former_forms(self) -> bool:
        """Whether these are the forms of the release before."""

    @property
    def free_bytes(self) -> int:
        """The room that is left for what is written."""

    def transaction(self) -> AbstractContextManager[FoldTransaction]:
        """A transaction, committed at the end of the block."""

    def settle(self) -> None:
        """Does in the background what a commit would have to do. Raises StorageError."""

    def remove_expired(self, now: float, archived_before: float) -> int:
        """Removes some of the items that have expired by `now`, and of the events that were received before a time.
        Returns how many it removed: 0 once there are none."""
