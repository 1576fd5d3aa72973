"""Alerts as a list, newest first, each below the alert that it follows from."""

from collections.abc import Iterator, Mapping, Sequence

from headwater.lookup.export.graph import Document
from headwater.lookup.text.amounts import count, moment
from headwater.lookup.text.display import BLANK, Display, Line, Role, Span, detail
from headwater.lookup.text.inert import cut, inert

ID = 8
"""Digits of an id, of 32, by which an alert is named."""
_ROLES = {"critical": Role.BAD, "warning": Role.OPEN, "info": Role.DETAIL}
_CHANGED = "Dataset Schema Changed"
_LEAST = 20


def render(answer: Document, display: Display) -> str:
    """The text of `{"alerts": [...]}`, newest first."""
    alerts = answer["alerts"]
    followed = causes_among(alerts)
    below: dict[str | None, list[Document]] = {}
    for alert in alerts:
        below.setdefault(followed.get(alert["id"]), []).append(alert)
    return display.text([*_heading(alerts, answer), *_tree(below, None, "", display)])


def causes_among(alerts: Sequence[Document]) -> dict[str, str]:
    """The alert that each alert follows from, by ids, among these. A cause whose alert came later has no id: then it is
    the change of the same dataset that is nearest by its time."""
    by_id = {alert["id"]: alert for alert in alerts}
    found: dict[str, str] = {}
    for alert in alerts:
        for cause in (alert.get("details") or {}).get("causes") or ():
            told = by_id.get(cause.get("alertId")) or _nearest(alerts, alert, cause)
            if told and not _leads_to(found, told["id"], alert["id"]):
                found[alert["id"]] = told["id"]
                break
    return found


def following(alerts: Sequence[Document], cause: str) -> list[str]:
    """The ids of the alerts that follow from one, near or far."""
    found = causes_among(alerts)
    return [alert["id"] for alert in alerts if alert["id"] != cause and _leads_to(found, alert["id"], cause)]


def _leads_to(found: Mapping[str, str], alert: str | None, cause: str) -> bool:
    while alert is not None and alert != cause:
        alert = found.get(alert)
    return alert == cause


def _nearest(alerts: Sequence[Document], alert: Document, cause: Document) -> Document | None:
    """The latest change of the dataset of a cause that is not later than an alert."""
    changes = (each for each in alerts if each["nodeId"] == cause.get("nodeId") and each["type"] == _CHANGED)
    return next((each for each in changes if each["time"] <= alert["time"] and each is not alert), None)


def _heading(alerts: Sequence[Document], answer: Document) -> Iterator[Line]:
    if not alerts:
        yield detail("no alert")
        return
    done = sum("acknowledged" in alert for alert in alerts)
    silenced = sum("silenced" in alert for alert in alerts)
    counted = [count(len(alerts), "alert"), *([f"{done:,} acknowledged"] * bool(done))]
    counted += [f"{silenced:,} silenced and not sent"] * bool(silenced)
    yield (Span(", ".join(counted), Role.HEADING), *detail("; there are more" if "cursor" in answer else ""))
    yield BLANK


def _tree(
    below: Mapping[str | None, Sequence[Document]], cause: str | None, indent: str, display: Display
) -> Iterator[Line]:
    for alert in below.get(cause, ()):
        lead = f"{indent}└─ follows: " if cause else ""
        severity = str(alert["severity"])
        start = f"{moment(alert['time'])}  {alert['id'][:ID]}  "
        room = max(_LEAST, display.width - len(lead) - len(severity) - 2 - len(start))
        mark = Span(f"{severity.upper()}  ", _ROLES.get(severity))
        yield (Span(lead), mark, *detail(start), Span(cut(inert(str(alert["title"])), room)))
        inner = f"{indent}   " if cause else ""
        for line in _marks(alert):
            text = cut(inert(line), max(_LEAST, display.width - len(inner) - 4))
            yield (Span(f"{inner}    "), *detail(text))
        yield from _tree(below, alert["id"], inner, display)


def _marks(alert: Document) -> Iterator[str]:
    if done := alert.get("acknowledged"):
        yield f"acknowledged by {done['by']} at {moment(done['at'])}{_reason(done)}"
    if (silence := alert.get("silence")) and "silenced" not in alert:
        yield f"silenced until {moment(silence['until'])} by {silence['by']}{_reason(silence)}"
    if silenced := alert.get("silenced"):
        yield f"not sent: silenced by {silenced['by']} until {moment(silenced['until'])}{_reason(silenced)}"


def _reason(mark: Document) -> str:
    return f": {mark['note']}" if mark.get("note") else ""
