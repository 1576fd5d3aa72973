"""Hands events that were folded on to the targets of the stack.

    normalise -> queue -> forward -> catalog    Amazon SageMaker Catalog
                                  '-> url       an HTTP endpoint of OpenLineage

A message is for one target (`store.messages.message_for`), so a target that is down holds up no other. The events of a
run stay in order. What a target does not take now is delivered again; what it can never take is logged and counted.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Protocol

from headwater.log import FaultLog
from headwater.openlineage.event import is_uuid
from headwater.rest import Unreachable
from headwater.store.bodies import Bodies
from headwater.store.errors import Rejected
from headwater.store.messages import UnreadableMessage, read_message, target_of

LEAST_SECONDS = 15
"""An event is begun only with so much time left: its body, a secret and its target may each be slow."""


class ForwardTarget(Protocol):
    """A system that takes events of OpenLineage."""

    def wants(self, event: str) -> bool:
        """Whether the system takes events of this kind at all."""

    def send(self, event: str, token: str) -> None:
        """Sends an event. The same event has the same token each time. Raises Rejected if the system can never take it,
        StorageError if another try may help, or Unreachable if it did not answer."""


@dataclass(slots=True)
class ForwardResult:
    """The outcome of a batch: the ids of the messages to deliver again, and how many events were forwarded, filtered
    because their target does not want their kind, and rejected."""

    failed: list[str] = field(default_factory=list)
    forwarded: int = 0
    filtered: int = 0
    rejected: int = 0


@dataclass(frozen=True)
class Forwarder:
    """Forwards the events of messages to targets, by their names."""

    targets: Mapping[str, ForwardTarget]
    bucket: Bodies
    log: FaultLog

    def forward(self, records: Sequence[Mapping[str, Any]], seconds_left: Callable[[], float]) -> ForwardResult:
        """Forwards the events of a batch, as Lambda reads it from the queue. After an event that has to be delivered
        again, the later ones of its group are, too, and so are all for a target that does not answer."""
        result, stuck, silent = ForwardResult(), set[str](), set[str]()
        for record in records:
            group: str = record["attributes"]["MessageGroupId"]
            name, _ = target_of(group)
            try:
                is_done = (
                    group not in stuck
                    and name not in silent
                    and seconds_left() >= LEAST_SECONDS
                    and self._forward(group, record["body"], result)
                )
            except Unreachable as error:
                self.log(f"{name} does not answer: its events are forwarded again", error)
                silent.add(name)
                is_done = False
            if not is_done:
                stuck.add(group)
                result.failed.append(record["messageId"])
        return result

    def _forward(self, group: str, body: str, result: ForwardResult) -> bool:
        """Whether a message is done with. Raises Unreachable."""
        name, of_event = target_of(group)
        run = of_event if is_uuid(of_event) else None
        try:
            target, event = self.targets.get(name), read_message(body, self.bucket).canonical
            if target is None or not target.wants(event):
                result.filtered += 1
                return True
            target.send(event, sha256(event.encode()).hexdigest())
            result.forwarded += 1
        except (Rejected, UnreadableMessage) as error:
            self.log(f"an event is not forwarded to {name}", error, run=run)
            result.rejected += 1
        except Unreachable:
            raise
        except Exception as error:  # noqa: BLE001 - one event does not hold up the others
            self.log(f"an event is forwarded to {name} again", error, run=run)
            return False
        return True
