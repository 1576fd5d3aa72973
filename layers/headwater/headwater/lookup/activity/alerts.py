"""GET /alerts and /alerts/{id}: the alerts, newest first.

An alert may name nodes of other namespaces: what a change breaks, and who started a run. A caller who may not read one
of these namespaces gets the alert without its sentences and details, and with `hidden`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from headwater.graph.facets.curation import AlertSilence, acknowledgement
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.stored_states import Severity, StoredAlert, acknowledgement_of
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.lookup.activity.newest import newest_page
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import instant_of
from headwater.read.reader import Reader
from headwater.store.ranges import Entry, alert_position
from headwater.store.snapshot import ReadRequest

_NODE_IDS = ("job:", "dataset:", "datasetField:", "exposure:")


def alerts(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the alerts of some severities, and of an owner."""
    lists = [listing for severity in _severities(request) for listing in reader.store.alerts(severity)]
    owner, is_open = request.query.get("owner"), request.flag("open")

    def wanted(entries: Sequence[Entry[str]]) -> Collection[str]:
        read = reader.store.read(ReadRequest(alerts=[entry.id for entry in entries])).alerts.all()
        shown = _shown(reader, request, read.values())
        return {alert["id"] for alert in shown if _is_wanted(alert, owner, is_open=is_open)}

    ids, cursor = newest_page(lists, request, namespaces, wanted if owner or is_open else None)
    read = reader.store.read(ReadRequest(alerts=ids)).alerts.of(ids)
    documents = within_size_limit(_shown(reader, request, read))
    if len(documents) < len(read):
        last = alert_position(read[len(documents) - 1])
        cursor = {"cursor": request.page_by_cursor().cursor(last, 0)}
    return {"alerts": documents, **cursor}


def alert(reader: Reader, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """One alert."""
    return next(_shown(reader, request, [alert]))


def _shown(reader: Reader, request: ApiRequest, alerts: Collection[StoredAlert]) -> Iterator[JsonObject]:
    """Alerts as the caller sees them, each with who `acknowledged` it, and the `silence` of such alerts while there is
    one: one read."""
    show, now = _show(reader, request), instant_of(request.received_at)
    ids = {node for alert in alerts for node in (acknowledgement_of(alert.id), dataset_id(alert.silence))}
    heads = reader.store.read(ReadRequest(datasets=ids)).datasets
    for alert in alerts:
        done, silent = heads.get(acknowledgement_of(alert.id)), heads.get(dataset_id(alert.silence))
        acknowledged = acknowledgement(done.facets) if done else None
        silence = AlertSilence.of(silent.facets) if silent else None
        is_silent = silence is not None and silence.covers(now)
        yield {
            **show(alert),
            **({"acknowledged": acknowledged} if acknowledged else {}),
            **({"silence": silence.as_json()} if silence and is_silent else {}),
        }


def _is_wanted(alert: JsonObject, owner: str | None, *, is_open: bool) -> bool:
    is_done = any(mark in alert for mark in ("acknowledged", "silenced", "silence"))
    return not (is_open and is_done) and (not owner or owner in alert["owners"])


def _severities(request: ApiRequest) -> list[Severity]:
    named = {severity.lower() for severity in request.values("severity")}
    if named - set(Severity):
        raise InvalidRequest(Fault("severity", f"expected some of {', '.join(Severity)}"))
    return [severity for severity in Severity if not named or severity in named]


def _show(reader: Reader, request: ApiRequest) -> Callable[[StoredAlert], JsonObject]:
    """How the caller sees an alert."""
    caller = request.principal
    if caller.reads_everything:
        return lambda alert: alert.document
    known = [namespace.name for namespace in reader.namespaces()]

    def may_read(value: Any) -> bool:
        """Whether the caller reads every namespace that a part of an alert names."""
        match value:
            case {"namespace": str(namespace)} if not caller.may_read(namespace):
                return False
            case {"truncated": True}:
                return False
            case dict():
                return all(map(may_read, value.values()))
            case list():
                return all(map(may_read, value))
            case str() if value.startswith(_NODE_IDS):
                rest = value.partition(":")[2]
                named = [namespace for namespace in known if rest.startswith(f"{namespace}:")]
                return bool(named) and all(map(caller.may_read, named))
        return True

    def show(alert: StoredAlert) -> JsonObject:
        document = alert.document
        nothing = {"owners": [], "lines": [], "details": {}, "hidden": True}
        return document if may_read(document["details"]) else {**document, **nothing}

    return show
