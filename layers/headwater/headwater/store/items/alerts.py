"""Alerts, and the emission latency of jobs, by which some are raised."""

from collections.abc import Mapping
from typing import Any

from headwater.graph.names.identity import job_id
from headwater.graph.states.latency import Latency
from headwater.graph.states.stored_states import DatasetAlert, Severity, StoredAlert
from headwater.store import keys
from headwater.store.items.codec import SCHEMA, Codec, Members, WrongMember, unchanged
from headwater.store.items.values import anything, boolean, instant, name_of, number, run_id, text
from headwater.store.ranges import alert_position
from headwater.store.table import Item, Retention, expiry


def encode(alert: StoredAlert, retention: Retention) -> Item:
    """The item of an alert. Its position has the namespace, so that a list is filtered without reading the alerts."""
    document = {
        "time": alert.time,
        "severity": alert.severity,
        "namespace": alert.namespace,
        "document": alert.document,
    }
    return ALERT.item(keys.alert(alert.id), document, _labels(alert), expiry(alert.time, retention.runs))


def encode_dataset_alert(alert: DatasetAlert, retention: Retention) -> Item:
    """The key says everything."""
    labels = {"kind": "datasetAlert", SCHEMA: "1"}
    return Item(keys.dataset_alert(*alert), labels, {}, expiry(alert.time, retention.runs))


def _labels(alert: StoredAlert) -> Mapping[str, str]:
    return {"listed_in": keys.alerts_of(alert.severity, keys.shard_of(alert.id)), "place": alert_position(alert)}


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


def encode_latency(latency: Latency) -> Item:
    """The item of a job's emission latency. Only readers of the table's stream use it."""
    document = {
        "job": latency.job,
        "run": latency.run_id,
        "at": latency.at,
        "millis": latency.millis,
        "threshold": latency.threshold,
        "isExceeded": latency.is_exceeded,
    }
    return LATENCY.item(keys.latency(job_id(latency.job)), document, _labels_of_latency(latency))


def _labels_of_latency(latency: Latency) -> Mapping[str, str]:
    return {"namespace": latency.job.namespace, "name": latency.job.name}


def _decode_latency(item: Item, members: Members) -> Latency:
    return Latency(
        job=members.read("job", name_of(job_id, keys.job_of(item.key))),
        run_id=members.read("run", run_id),
        at=members.read("at", instant),
        millis=members.read("millis", number),
        threshold=members.read("threshold", number),
        is_exceeded=members.read("isExceeded", boolean),
    )


def _latency_with_names(document: Any) -> Any:
    """Version 1 of the document was an array."""
    return dict(zip(("job", "run", "at", "millis", "threshold", "isExceeded"), document, strict=True))


LATENCY = Codec("latency", _decode_latency, (_latency_with_names, unchanged), _labels_of_latency)
