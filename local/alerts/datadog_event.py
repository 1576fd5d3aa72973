"""The body of Datadog's POST /api/v1/events, checked against its published schema.

Sources of the limits:
https://docs.datadoghq.com/api/latest/events/post-an-event/ (v1): the members, their types and values, 4,000 and 100
characters, and event times from 18 hours ago until two hours ahead;
https://docs.datadoghq.com/getting_started/tagging/: 200 characters of a tag;
Datadog's older client documentation: 100 characters of a title, although the API takes longer titles today.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

Event = dict[str, Any]
Check = Callable[[Any], str | None]

HOUR = 3600
OLDEST_SECONDS = 18 * HOUR
NEWEST_SECONDS = 2 * HOUR
REQUIRED = ("title", "text")


class InvalidEvent(Exception):
    """A body that Datadog refuses, with the list of `errors`."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


def parse_event(body: bytes, now: float) -> Event:
    """Return the event in a body. Raises InvalidEvent."""
    try:
        event = json.loads(body)
    except ValueError as error:
        raise InvalidEvent([f"the body is no JSON: {error}"]) from error
    if not isinstance(event, dict):
        raise InvalidEvent(["the body is no JSON object"])
    errors = list(faults(event, now))
    if errors:
        raise InvalidEvent(errors)
    return event


def faults(event: Event, now: float) -> Iterator[str]:
    checks = MEMBERS | {"date_happened": lambda value: time_fault(value, now)}
    yield from (f"{name} is missing" for name in REQUIRED if name not in event)
    for name, value in event.items():
        if name not in checks:
            yield f"{name} is no member that Datadog knows"
        elif fault := checks[name](value):
            yield f"{name} {fault}"


def text(most: int | None = None) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, str):
            return "is no text"
        return f"has {len(value)} characters, at most {most} are allowed" if most and len(value) > most else None

    return check


def non_empty_text(most: int) -> Check:
    """Return a check for a text of at least one character: Datadog refuses an empty text in a required member."""
    return lambda value: text(most)(value) or (None if value else "is empty")


def one_of(*allowed: str) -> Check:
    return lambda value: None if value in allowed else f"is {value!r}, none of {', '.join(allowed)}"


def tags_fault(value: Any) -> str | None:
    if not isinstance(value, list):
        return "is no list"
    faults = (f"[{index}] {fault}" for index, tag in enumerate(value) if (fault := text(200)(tag)))
    return next(faults, None)


def number_fault(value: Any) -> str | None:
    return (
        None if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else "is no integer of 0 or more"
    )


def time_fault(value: Any, now: float) -> str | None:
    if fault := number_fault(value):
        return fault
    if value < now - OLDEST_SECONDS:
        return "is over 18 hours ago"
    return "is over two hours ahead" if value > now + NEWEST_SECONDS else None


MEMBERS: dict[str, Check] = {
    "title": non_empty_text(100),
    "text": non_empty_text(4000),
    "tags": tags_fault,
    "alert_type": one_of("error", "warning", "info", "success", "user_update", "recommendation", "snapshot"),
    "aggregation_key": text(100),
    "priority": one_of("normal", "low"),
    "source_type_name": text(),
    "host": text(),
    "device_name": text(),
    "related_event_id": number_fault,
}
