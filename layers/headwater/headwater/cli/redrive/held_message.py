"""Messages that wait in the quarantine or in the dead-letter queue, and which of them are meant."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple, Protocol

from headwater.openlineage.instant import NEVER, Instant, parse_instant
from headwater.store.home import QuarantineEntries

_PARTICULAR = re.compile(r"[0-9a-fA-F-]{8,}|\d+")
"""What differs between messages with one reason: ids, digests, numbers."""
MOST_DIGITS = 5
"""Of an age: there is no time 1,000,000 days ago."""


@dataclass(frozen=True)
class HeldMessage:
    """A message. `handle` is its key in the quarantine, or its receipt from the queue; `group` is the id of its run,
    else of its job or dataset. An entry that cannot be read has no body."""

    handle: str
    reason: str
    group: str
    body: str

    @classmethod
    def of_entry(cls, key: str, entry: bytes) -> "HeldMessage":
        """The message of an entry of the quarantine."""
        try:
            kept = json.loads(entry)
            return cls(key, str(kept["reason"]), str(kept["group"]), str(kept["body"]))
        except (ValueError, TypeError, KeyError):
            return cls(key, "an entry of the quarantine that cannot be read", "", "")

    @property
    def received_at(self) -> Instant:
        """When its event was received over HTTP; empty if the message does not say."""
        try:
            return parse_instant(json.loads(self.body)["receivedAt"])
        except (ValueError, TypeError, KeyError):
            return NEVER

    @property
    def kind_of_reason(self) -> str:
        return _PARTICULAR.sub("#", self.reason)

    @property
    def body_again(self) -> str:
        """The body for another try. A space more gives the message another key in the quarantine, so that the old entry
        can be removed after the message is sent, even if the message fails at once."""
        return f"{self.body} "


class HeldMessages(Protocol):
    """Where messages are held."""

    def messages(self, wanted: "Wanted") -> Iterator[HeldMessage]:
        """The wanted messages. Raises StorageError."""

    def replay(self, message: HeldMessage) -> None:
        """Sends a message once more, then removes it from where it is held. Raises StorageError."""


class Wanted(NamedTuple):
    """The messages that are meant: with a text in the reason, of a run, or received before a time; or all."""

    reason: str = ""
    run: str = ""
    before: Instant = NEVER

    def has(self, message: HeldMessage) -> bool:
        is_old = not self.before or NEVER < message.received_at < self.before
        return self.reason in message.reason and self.run in ("", message.group) and is_old


class ReasonCount(NamedTuple):
    """The messages with one kind of reason: their number, and one of them."""

    number: int
    example: HeldMessage


def by_reason(messages: Iterable[HeldMessage]) -> dict[str, ReasonCount]:
    """The messages by their kinds of reason, the most frequent first."""
    counts: dict[str, ReasonCount] = {}
    for message in messages:
        known = counts.get(message.kind_of_reason, ReasonCount(0, message))
        counts[message.kind_of_reason] = ReasonCount(known.number + 1, known.example)
    return dict(sorted(counts.items(), key=lambda count: -count[1].number))


def age(text: str) -> timedelta:
    """A duration such as 90m, 12h or 3d. Raises ValueError."""
    number, unit = text[:-1], text[-1:]
    units = {"m": "minutes", "h": "hours", "d": "days"}
    if unit not in units or not number.isdecimal() or len(number) > MOST_DIGITS:
        raise ValueError(f"{text} is not a duration such as 90m, 12h or 3d")
    return timedelta(**{units[unit]: int(number)})


@dataclass(frozen=True)
class FileQuarantine:
    """`HeldMessages` over the file of `headwater serve`. It has no dead-letter queue: a message whose fold fails
    for now waits in the inbox, and is tried again."""

    quarantine: QuarantineEntries

    def messages(self, wanted: Wanted) -> Iterator[HeldMessage]:
        held = (HeldMessage.of_entry(key, entry) for key, entry in self.quarantine.entries())
        yield from filter(wanted.has, held)

    def replay(self, message: HeldMessage) -> None:
        self.quarantine.replay(message.handle, message.group, message.body_again)
