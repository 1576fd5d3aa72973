"""GET /alerts and /alerts/{id}: what was told, newest first.

An alert may name nodes of other namespaces: what a change breaks, and who started a run. A caller who may not read one
of these namespaces gets the alert without its sentences and details, and with `hidden`.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from headwater.graph.facets.curation import AlertSilence, acknowledgement
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.dataset import DatasetHead
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

_NODE_IDS = ("job:", "dataset:", "datasetField:")


def alerts(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the alerts of some severities, and of an owner."""
    lists = [listing for severity in _severities(request) for listing in reader.store.alerts(severity)]
    owner, is_open = request.query.get("owner"), request.flag("open")
    show = _show(reader, request)

    def wanted(entries: Sequence[Entry[str]]) -> Collection[str]:
        shown = map(show, *_with_acknowledgements(reader, [entry.id for entry in entries]))
        return {alert["id"] for alert in shown if _is_wanted(alert, owner, is_open=is_open)}

    ids, cursor = newest_page(lists, request, namespaces, wanted if owner or is_open else None)
    read, acknowledgements = _with_acknowledgements(reader, ids)
    documents = within_size_limit(map(show, read, acknowledgements))
    if len(documents) < len(read):
        last = alert_position(read[len(documents) - 1])
        cursor = {"cursor": request.page_by_cursor().cursor(last, 0)}
    return {"alerts": documents, **cursor}


def alert(reader: Reader, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """One alert, with the `silence` of such alerts while there is one."""
    ids = acknowledgement_of(alert.id), dataset_id(alert.silence)
    acknowledged, silenced = map(reader.store.read(ReadRequest(datasets=ids)).datasets.get, ids)
    silence = AlertSilence.of(silenced.facets) if silenced else None
    shown = _show(reader, request)(alert, _acknowledged(acknowledged))
    is_silent = silence is not None and silence.covers(instant_of(request.received_at))
    return {**shown, "silence": silence.as_json()} if silence and is_silent else shown


def _with_acknowledgements(reader: Reader, ids: Sequence[str]) -> tuple[list[StoredAlert], list[JsonObject | None]]:
    """Alerts, and who acknowledged each of them: one read."""
    read = reader.store.read(ReadRequest(alerts=ids, datasets=[acknowledgement_of(each) for each in ids]))
    found = read.alerts.of(ids)
    return found, [_acknowledged(read.datasets.get(acknowledgement_of(alert.id))) for alert in found]


def _acknowledged(head: DatasetHead | None) -> JsonObject | None:
    return acknowledgement(head.facets) if head else None


def _document(alert: StoredAlert, acknowledged: JsonObject | None) -> JsonObject:
    return {**alert.document, "acknowledged": acknowledged} if acknowledged else alert.document


def _is_wanted(alert: JsonObject, owner: str | None, *, is_open: bool) -> bool:
    is_done = "acknowledged" in alert or "silenced" in alert
    return not (is_open and is_done) and (not owner or owner in alert["owners"])


def _severities(request: ApiRequest) -> list[Severity]:
    named = {severity.lower() for severity in request.values("severity")}
    if named - set(Severity):
        raise InvalidRequest(Fault("severity", f"expected some of {', '.join(Severity)}"))
    return [severity for severity in Severity if not named or severity in named]


def _show(reader: Reader, request: ApiRequest) -> Callable[[StoredAlert, JsonObject | None], JsonObject]:
    """How the caller sees an alert, and who acknowledged it."""
    caller = request.principal
    if caller.reads_everything:
        return _document
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

    def show(alert: StoredAlert, acknowledged: JsonObject | None) -> JsonObject:
        document = _document(alert, acknowledged)
        nothing = {"owners": [], "lines": [], "details": {}, "hidden": True}
        return document if may_read(document["details"]) else {**document, **nothing}

    return show
