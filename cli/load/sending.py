"""Sends events in batches, and remembers how many were sent."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from cli.load.api import MarquezApi, Refused
from cli.load.sources import SentEvent

BATCH = 100
BATCH_CHARACTERS = 8_000_000
UNREADABLE = (400, 413)
"""The answers to a batch that is no JSON because of one of its events, or is too long."""
TOLD_EVERY = 5_000
"""Events between two lines of progress."""


@dataclass
class Sending:
    """What became of the events: how many were accepted, and the places and reasons of those that were refused.

    With `remembered`, a file, the number of events that were sent is kept there after each batch. The next load of the
    same sources passes over so many events.
    """

    api: MarquezApi
    remembered: Path | None = None
    told: Callable[[int], object] = lambda _: None
    accepted: int = 0
    skipped: int = 0
    refused: list[tuple[str, str]] = field(default_factory=list)

    def send(self, events: Iterable[SentEvent]) -> None:
        """Send events. Raises OSError if the server does not take them."""
        rest = iter(events)
        if self.remembered and self.remembered.exists():
            self.skipped = sum(1 for _ in islice(rest, int(self.remembered.read_text())))
        sent = self.skipped
        for batch in batches(rest):
            self._send(batch)
            sent += len(batch)
            if self.remembered:
                self.remembered.write_text(str(sent))
            if sent // TOLD_EVERY > (sent - len(batch)) // TOLD_EVERY:
                self.told(sent)

    def _send(self, batch: Sequence[SentEvent]) -> None:
        """Send a batch; if the server cannot read the batch, event by event."""
        try:
            answer = self.api.post("/lineage/batch", f"[{','.join(event.text for event in batch)}]")
        except Refused as refused:
            if refused.status not in UNREADABLE:
                raise
            if len(batch) == 1:
                self.refused.append((batch[0].place, str(refused)))
            else:
                for event in batch:
                    self._send([event])
            return
        self.accepted += answer["summary"]["successful"]
        self.refused += [(batch[event["index"]].place, event["reason"]) for event in answer["failed_events"]]


def batches(events: Iterator[SentEvent]) -> Iterator[list[SentEvent]]:
    """Events in lists, which are neither too many nor too long for a request."""
    batch: list[SentEvent] = []
    length = 0
    for event in events:
        length += len(event.text)
        if batch and (len(batch) == BATCH or length > BATCH_CHARACTERS):
            yield batch
            batch, length = [], len(event.text)
        batch.append(event)
    if batch:
        yield batch
