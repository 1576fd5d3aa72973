"""Sends events in batches, and remembers how many were sent."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.refusal import RefusedRequest, no_api
from headwater.ingest.event_files import SentEvent, batches

UNREADABLE = (400, 413)
"""The answers to a batch that is not JSON because of one of its events, or is too long."""
TOLD_EVERY = 5_000
"""Events between two lines of progress."""


@dataclass
class Sending:
    """What became of the events: how many were accepted, and the places and reasons of those that were refused.

    With `remembered`, a file, the number of events that were sent is kept there after each batch, with the place of the
    last. The next load of the same sources passes over so many events.
    """

    api: Api
    remembered: Path | None = None
    told: Callable[[int], object] = lambda _: None
    accepted: int = 0
    skipped: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)

    def send(self, events: Iterable[SentEvent]) -> None:
        """Send events. Raises CommandFailure if the server does not take them, OSError if they cannot be read,
        ValueError if other sources were remembered."""
        rest = iter(events)
        if self.remembered and self.remembered.exists():
            self.skipped = _skip(rest, self.remembered)
        sent = self.skipped
        for batch in batches(rest):
            self._send(batch)
            sent += len(batch)
            if self.remembered:
                _remember(self.remembered, sent, batch[-1].place)
            if sent // TOLD_EVERY > (sent - len(batch)) // TOLD_EVERY:
                self.told(sent)

    def _send(self, batch: Sequence[SentEvent]) -> None:
        """Send a batch; if the server cannot read the batch, event by event."""
        self.refused += [(event.place, event.fault) for event in batch if event.fault]
        batch = [event for event in batch if not event.fault]
        if not batch:
            return
        try:
            body = f"[{','.join(event.text for event in batch)}]"
            answer = self.api.send("POST", "lineage", "batch", body=body).document
        except RefusedRequest as refused:
            if refused.http_status not in UNREADABLE:
                raise
            if len(batch) == 1:
                self.refused.append((batch[0].place, str(refused)))
            else:
                for event in batch:
                    self._send([event])
            return
        try:
            accepted, failed = answer["summary"]["successful"], answer["failed_events"]
        except (LookupError, TypeError) as error:
            raise no_api(self.api.url, self.api.given) from error
        self.accepted += accepted
        self.refused += [(batch[event["index"]].place, event["reason"]) for event in failed]


def _skip(events: Iterator[SentEvent], remembered: Path) -> int:
    """Pass over the events that were sent before, and return their number."""
    number, _, place = remembered.read_text().partition("\n")
    if not number.isdecimal():
        raise ValueError(f"{remembered} has no number of events: it is not a file of --resume")
    passed = deque(((at, event.place) for at, event in enumerate(islice(events, int(number)), start=1)), maxlen=1)
    at, last = passed[0] if passed else (0, "")
    if place and (at, last) != (int(number), place):
        raise ValueError(f"{remembered}: event {number} was {place}, and is no longer: remove the file to start over")
    return at


def _remember(remembered: Path, sent: int, place: str) -> None:
    """Replace the file as a whole: a load may be killed at any time."""
    written = remembered.with_name(f"{remembered.name}.new")
    written.write_text(f"{sent}\n{place}")
    written.replace(remembered)
