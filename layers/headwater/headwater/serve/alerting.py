"""Alerts: from the outbox to the alert log, and from there to each receiver.

    outbox -> announcer -> alert log -> console
                                    '-> webhook
                                    '-> SNS topic

A process that is killed between two steps repeats a step: a receiver may get an alert twice, with the same id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headwater import metrics
from headwater.alerts.alert import Alert
from headwater.alerts.announce import Announcer
from headwater.serve.log import ServeLog
from headwater.store.errors import Rejected, StorageError
from headwater.store.home import AlertLog, Outbox

POLL_SECONDS = 1.0
RETRY_SECONDS = 5.0

Message = dict[str, Any]
"""An alert as the topic on AWS sends it: docs/alerts.md."""


class Receiver(Protocol):
    """Someone who gets every alert. `name` identifies it, even after a restart."""

    @property
    def name(self) -> str: ...

    def deliver(self, message: Message) -> None:
        """Delivers an alert. Raises OSError or StorageError if another try may help, Rejected if none does."""


@dataclass(frozen=True)
class LoggedBus:
    """`Bus` over the alert log. Links in alerts lead to `api_url`."""

    alert_log: AlertLog
    api_url: str

    def put(self, alerts: Sequence[Alert]) -> None:
        self.alert_log.add([message_of(alert, self.api_url) for alert in alerts])


@dataclass
class Announcing:
    """Turns the records of the outbox into alerts."""

    outbox: Outbox
    announcer: Announcer
    _is_held_up: bool = False

    def is_behind(self) -> bool:
        """Whether events should wait for the alerts of those before them: in the inbox, keys take turns. While a record
        cannot be announced, they do not wait."""
        return not self._is_held_up and self.outbox.is_long()

    def step(self) -> float:
        records = self.outbox.take()
        if not records:
            return POLL_SECONDS
        result = self.announcer.announce(records)
        self._is_held_up = result.failed is not None
        self.outbox.remove_before(result.failed, records)
        metrics.count(AlertsSent=result.alerts, RecordsQuarantined=result.quarantined)
        metrics.corrupt_items(result.corrupt)
        return RETRY_SECONDS if result.failed else 0


@dataclass(frozen=True)
class Delivering:
    """Delivers the alerts of the log to one receiver, the namespaces in turn."""

    alert_log: AlertLog
    receiver: Receiver
    log: ServeLog

    def step(self) -> float:
        found = self.alert_log.next_for(self.receiver.name)
        if not found:
            return POLL_SECONDS
        number, message = found
        try:
            self.receiver.deliver(message)
        except (OSError, StorageError) as error:
            self.log(f"{self.receiver.name} did not take an alert, and gets it again", error)
            return RETRY_SECONDS
        except Rejected as error:
            self.log(f"{self.receiver.name} refused an alert", error)
        self.alert_log.received(self.receiver.name, number)
        return 0


def message_of(alert: Alert, api_url: str) -> Message:
    detail = alert.detail(api_url)
    same = {name: detail[name] for name in ("severity", "title", "link", "time", "namespace", "name", "owners", "id")}
    return {"alert": alert.type.value, **same, "explanation": detail["lines"], "detail": detail}
