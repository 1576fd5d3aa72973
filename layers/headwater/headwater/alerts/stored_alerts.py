"""A bus that sends each alert, then stores it. What is stored was sent, so a sweep passes over it; what the bus did not
take is not stored, and the next sweep puts it again. Only an alert whose storing fails is sent twice.

An alert that is put again has the same id, and its item the same key. A silenced alert is stored but not sent. That is
decided once, when it is first stored:

    put again after              sent
    it was stored                yes, even if somebody has silenced such alerts since: it may have been sent
    it was stored as silenced    no, even if the silence is over

The first alert sent after a silence says how many were not. A partition of the table has the alerts of each silence, by
the time at which they were put.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import takewhile
from typing import NamedTuple

from headwater.alerts.alert import Alert, DetailType, quantity
from headwater.alerts.announce import Bus
from headwater.graph.facets.curation import AlertSilence
from headwater.graph.names.identity import DatasetId, dataset_id
from headwater.graph.states.stored_states import DatasetAlert, StoredAlert
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import ReadRequest, Snapshot

_MEMBERS = ("id", "time", "severity", "namespace", "name", "nodeId", "owners", "title", "lines", "link")
_OF_RECEIVERS = frozenset({"text", "chatText", "tags", "alertType", "aggregationKey"})
MAX_NOT_SENT = 100
"""How many of the newest alerts of a silence are counted."""


class _Decided(NamedTuple):
    """An alert, and whether it is sent. `silence` has the alert if it is silenced, or the first after the silence."""

    alert: Alert
    stored: StoredAlert
    silence: DatasetId | None = None


@dataclass(frozen=True)
class StoringBus:
    """Puts alerts on a bus, except those that somebody has silenced, then stores all."""

    store: GraphStore
    bus: Bus
    now: Callable[[], Instant] = lambda: instant_of(datetime.now(UTC))
    sent: set[str] = field(default_factory=set)
    """Ids of alerts that this process has sent, and the store has not taken yet."""

    def put(self, alerts: Sequence[Alert]) -> None:
        """Puts and stores alerts. Raises StorageError; the caller puts all alerts again."""
        now = self.now()
        decided = self._decided(alerts, now)
        of_datasets = [alert for alert in alerts if alert.type is DetailType.SCHEMA_CHANGED]
        found = [DatasetAlert(dataset_id(alert.name), alert.time, alert.id) for alert in of_datasets]
        found += [DatasetAlert(each.silence, now, each.alert.id) for each in decided if each.silence]
        loud = [each.alert for each in decided if not each.stored.is_silenced]
        if told := [alert for alert in loud if alert.id not in self.sent]:
            self.bus.put(told)
            self.sent.update(alert.id for alert in told)
        self.store.put([*(each.stored for each in decided), *found], Snapshot())
        self.sent.difference_update(alert.id for alert in loud)

    def _decided(self, alerts: Sequence[Alert], now: Instant) -> list[_Decided]:
        """One read for all alerts; two more for an alert that may be the first after a silence."""
        new = [stored(alert) for alert in alerts]
        silences = [dataset_id(alert.silence) for alert in new]
        read = self.store.read(ReadRequest(alerts=[alert.id for alert in new], datasets=silences))
        decided = []
        for alert, to_store, silence_id in zip(alerts, new, silences, strict=True):
            before, head = read.alerts.get(alert.id), read.datasets.get(silence_id)
            silence = AlertSilence.of(head.facets) if head else None
            if before and before.is_silenced:
                decided.append(_Decided(alert, before, silence_id))
            elif silence and before is None and silence.covers(now):
                document = {**to_store.document, "silenced": silence.as_json()}
                decided.append(_Decided(alert, to_store._replace(document=document), silence_id))
            elif silence and (count := self._not_sent(silence_id, alert)):
                first = _with_count(alert, silence, count)
                decided.append(_Decided(first, stored(first), silence_id))
            else:
                decided.append(_Decided(alert, to_store))
        return decided

    def _not_sent(self, silence: DatasetId, alert: Alert) -> int:
        """How many alerts of a silence, besides this one, were not sent since the last that was."""
        ids = dict.fromkeys(each.alert for each in self.store.alerts_of(silence) if each.alert != alert.id)
        newest = [*ids][-MAX_NOT_SENT:]
        read = self.store.read(ReadRequest(alerts=newest)).alerts.of(newest)
        return len([*takewhile(lambda each: each.is_silenced, reversed(read))])


def stored(alert: Alert) -> StoredAlert:
    """An alert as `GET /alerts` shows it. Its link is a path, since the URL of the API may change."""
    return StoredAlert(alert.id, alert.time, alert.severity, alert.name.namespace, _document(alert))


def _with_count(alert: Alert, silence: AlertSilence, count: int) -> Alert:
    """The first alert after a silence, which says how many were not sent."""
    was = f"{silence.by} silenced such alerts until {shown(silence.until)}: {silence.note}"
    line = f"Not sent before this one: {quantity(count, 'alert')} like it. {was}"
    details = {**alert.details, "notSent": {"count": count, **silence.as_json()}}
    return replace(alert, lines=(*alert.lines, line), details=details)


def _document(alert: Alert) -> JsonObject:
    detail = alert.detail("")
    own = {name: member for name, member in detail.items() if name not in _OF_RECEIVERS and name not in _MEMBERS}
    return {"type": alert.type.value, **{name: detail[name] for name in _MEMBERS}, "details": own}
