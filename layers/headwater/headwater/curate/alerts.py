"""Acknowledges an alert, and silences the alerts of its type about its node for a time.

Both are events about datasets of a reserved namespace, which no producer may name. Who did it is the caller of the
request. A silence that is ended early keeps its note, and ends now.
"""

import re
from datetime import UTC, datetime, timedelta

from headwater.curate import body
from headwater.curate.curation_events import Document, deleted_facet, of_dataset, own_facet, time_after, times_of
from headwater.curate.curator import Curator
from headwater.graph.facets.curation import ACKNOWLEDGED, ALERTS, SILENCED, AlertSilence, acknowledgement
from headwater.graph.names.identity import dataset_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.stored_states import StoredAlert
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, parse_instant

LONGEST = timedelta(days=90)
MAX_NOTE = 1_000
"""Characters of a note."""
_DURATION = re.compile(r"(?P<count>\d{1,6})(?P<unit>[mhd])")
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


def acknowledge(curator: Curator, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """Acknowledges an alert for the caller, in place of any earlier acknowledgement."""
    note = _note(body.read(body.NoteBody, request, may_be_empty=True).note)
    facet = own_facet(at=instant_of(request.received_at), by=request.principal.shown, note=note)
    return _acknowledged(curator, request, alert, facet)


def take_back(curator: Curator, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """Removes the acknowledgement of an alert."""
    head = _head(curator, Name(ALERTS, alert.id))
    if head is None or ACKNOWLEDGED not in head.facets:
        return {"acknowledged": None}
    return _acknowledged(curator, request, alert, deleted_facet())


def silence(curator: Curator, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """Silences the alerts of an alert's type about its node, in place of any earlier silence."""
    wanted = body.read(body.SilenceBody, request)
    until = _until(wanted.until, request.received_at)
    now = instant_of(request.received_at)
    return _silenced(curator, request, alert, AlertSilence(now, until, request.principal.shown, _note(wanted.note)))


def end_silence(curator: Curator, request: ApiRequest, alert: StoredAlert) -> JsonObject:
    """Ends the silence now. If there is none, or it is over, nothing changes."""
    head, now = _head(curator, alert.silence), instant_of(request.received_at)
    known = AlertSilence.of(head.facets) if head else None
    if known is None or known.until <= now:
        return {"silence": known.as_json() if known else None}
    return _silenced(curator, request, alert, known._replace(until=now))


def _acknowledged(curator: Curator, request: ApiRequest, alert: StoredAlert, facet: Document) -> JsonObject:
    name = Name(ALERTS, alert.id)
    _apply(curator, request, name, {ACKNOWLEDGED: facet})
    head = curator.whole().datasets([dataset_id(name)])[dataset_id(name)]
    return {"acknowledged": acknowledgement(head.facets)}


def _silenced(curator: Curator, request: ApiRequest, alert: StoredAlert, wanted: AlertSilence) -> JsonObject:
    _apply(curator, request, alert.silence, {SILENCED: own_facet(**wanted._asdict())})
    head = curator.whole().datasets([dataset_id(alert.silence)])[dataset_id(alert.silence)]
    shown = AlertSilence.of(head.facets)
    return {"silence": shown.as_json() if shown else None}


def _apply(curator: Curator, request: ApiRequest, name: Name, facets: Facets) -> None:
    head = _head(curator, name)
    at = time_after(request.received_at, *(times_of(head.facts.own, facets) if head else ()))
    curator.apply(request.received_at, [of_dataset(name, facets, at)])


def _head(curator: Curator, name: Name) -> DatasetHead | None:
    return curator.before.datasets([dataset_id(name)]).get(dataset_id(name))


def _until(text: str, now: datetime) -> Instant:
    """The end of a silence: a time, or a duration from now such as 2h. Raises InvalidRequest."""
    duration = _DURATION.fullmatch(text)
    try:
        until = (
            instant_of(now.astimezone(UTC) + int(duration["count"]) * _UNITS[duration["unit"]])
            if duration
            else parse_instant(text)
        )
    except (ValueError, OverflowError):
        raise InvalidRequest(Fault("until", "expected a time such as 2026-11-20T08:00:00Z, or 30m, 2h or 3d")) from None
    if not instant_of(now) < until <= instant_of(now + LONGEST):
        raise InvalidRequest(Fault("until", f"expected a time to come, at most {LONGEST.days} days ahead"))
    return until


def _note(text: str | None) -> str:
    if text and len(text) > MAX_NOTE:
        raise InvalidRequest(Fault("note", f"longer than {MAX_NOTE} characters"))
    return text or ""
