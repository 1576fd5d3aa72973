"""Alerts as they were announced."""

from collections.abc import Mapping

from headwater.graph.states.stored_states import DatasetAlert, Severity, StoredAlert
from headwater.store import keys
from headwater.store.items.codec import SCHEMA, Codec, Members, WrongMember, unchanged
from headwater.store.items.values import anything, instant, text
from headwater.store.ranges import alert_position
from headwater.store.table import Item, Retention, expiry


def encode(alert: StoredAlert, retention: Retention) -> Item:
    """The item of an alert. Its position has the namespace, so that a list is filtered without a read of the alerts."""
    document = {
        "time": alert.time,
        "severity": alert.severity,
        "namespace": alert.namespace,
        "document": alert.document,
    }
    return ALERT.item(keys.alert(alert.id), document, _labels(alert), expiry(alert.time, retention.runs))


def encode_dataset_alert(alert: DatasetAlert, retention: Retention) -> Item:
    """The item says all by its key."""
    labels = {"kind": "datasetAlert", SCHEMA: "1"}
    return Item(keys.dataset_alert(*alert), labels, {}, expiry(alert.time, retention.runs))


def _labels(alert: StoredAlert) -> Mapping[str, str]:
    return {
        "listed_in": keys.alerts_of(alert.severity, keys.shard_of(alert.id)),
        "place": alert_position(alert),
    }


def _decode(item: Item, members: Members) -> StoredAlert:
    document = members.read("document", anything)
    if not isinstance(document, dict):
        raise WrongMember("document", "expected an object")
    return StoredAlert(
        id=keys.alert_of(item.key),
        time=members.read("time", instant),
        severity=members.read("severity", Severity),
        namespace=members.read("namespace", text),
        document=document,
    )


ALERT = Codec("alert", _decode, (unchanged,), _labels)
