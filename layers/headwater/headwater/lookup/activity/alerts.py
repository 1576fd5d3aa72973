"""GET /alerts and /alerts/{id}: what was told, newest first.

An alert may name nodes of other namespaces: what a change breaks, and who started a run. A caller who may not read one
of these namespaces gets the alert without its sentences and details, and with `hidden`.
"""

from collections.abc import Callable, Collection, Sequence
from typing import Any

from headwater.graph.states.stored_states import Severity, StoredAlert
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.lookup.activity.newest import newest_page
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.read.reader import Reader
from headwater.store.ranges import Entry, alert_position
from headwater.store.snapshot import ReadRequest

_NODE_IDS = ("job:", "dataset:", "datasetField:")


def alerts(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the alerts of some severities, and of an owner."""
    lists = [listing for severity in _severities(request) for listing in reader.store.alerts(severity)]
    owner = request.query.get("owner")
    show = _show(reader, request)

    def of_owner(entries: Sequence[Entry[str]]) -> Collection[str]:
        read = reader.store.read(ReadRequest(alerts=[entry.id for entry in entries]))
        return {alert.id for alert in read.alerts.all().values() if owner in show(alert)["owners"]}

    ids, cursor = newest_page(lists, request, namespaces, of_owner if owner else None)
    read = reader.store.read(ReadRequest(alerts=ids)).alerts.of(ids)
    documents = within_size_limit(map(show, read))
    if len(documents) < len(read):
        last = alert_position(read[len(documents) - 1])
        cursor = {"cursor": request.page_by_cursor().cursor(last, 0)}
    return {"alerts": documents, **cursor}


def alert(reader: Reader, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """One alert."""
    return _show(reader, request)(alert)


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
