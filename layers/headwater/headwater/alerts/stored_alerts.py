"""A bus that stores each alert before it is told: a link in a mail finds its alert.

An alert that is put again has the same id, and its item the same key.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from headwater.alerts.alert import Alert, DetailType
from headwater.alerts.announce import Bus
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.stored_states import DatasetAlert, StoredAlert
from headwater.openlineage.exact_json import JsonObject
from headwater.store.graph_store import GraphStore
from headwater.store.snapshot import Snapshot

_MEMBERS = ("id", "time", "severity", "namespace", "name", "nodeId", "owners", "title", "lines", "link")
_OF_RECEIVERS = frozenset({"text", "chatText", "tags", "alertType", "aggregationKey"})


@dataclass(frozen=True)
class StoringBus:
    """Stores alerts, then puts them on a bus."""

    store: GraphStore
    bus: Bus

    def put(self, alerts: Sequence[Alert]) -> None:
        """Stores and puts alerts. Raises StorageError; the caller puts all alerts again."""
        of_datasets = [alert for alert in alerts if alert.type is DetailType.SCHEMA_CHANGED]
        found = [DatasetAlert(dataset_id(alert.name), alert.time, alert.id) for alert in of_datasets]
        self.store.put([*map(stored, alerts), *found], Snapshot())
        self.bus.put(alerts)


def stored(alert: Alert) -> StoredAlert:
    """An alert as `GET /alerts` shows it. Its link is a path, since the URL of the API may change."""
    return StoredAlert(alert.id, alert.time, alert.severity, alert.name.namespace, _document(alert))


def _document(alert: Alert) -> JsonObject:
    detail = alert.detail("")
    own = {name: member for name, member in detail.items() if name not in _OF_RECEIVERS and name not in _MEMBERS}
    return {"type": alert.type.value, **{name: detail[name] for name in _MEMBERS}, "details": own}
