"""What people say that they expect of jobs and datasets: the sections `expectations` and `holidays` of headwater.yml.

expectations:
  - dataset: revenue_daily              a name, or several: mart.*
    namespace: s3://lake
    due: 07:00 Europe/Berlin            by then a run that writes it has ended; without a zone by UTC
    days: weekdays                      or daily (the default), month-end, or mon,tue
    max_age: 2h                         the last good write is no older
    rows: 20%                           a run writes as many rows as is usual, within 20 %
    never_empty: true
  - job: load_*
    namespace: airflow
    calendar: germany
holidays:
  germany: [2026-12-25, 2026-12-26]     or a list, which is for all
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from headwater.graph.names.identity import NodeKind
from headwater.graph.states.rhythm import DAY, Moment, at
from headwater.openlineage.faults import Fault, InvalidRequest, path_of

MOST_ENTRIES, MOST_HOLIDAYS = 1_000, 2_000
LONGEST_AGE = 400 * DAY
MOST_FAULTS = 100
ALL = ""
"""The calendar of holidays that apply everywhere."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SECTIONS = ("expectations", "holidays", "groups", "names", "policy")
"""All sections of headwater.yml. What is said is in the first two."""
_MEMBERS = ("dataset", "job", "namespace", "due", "days", "max_age", "rows", "never_empty", "calendar")
_DUE = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)(?: +(\S+))?")
_AGE = re.compile(r"(\d{1,5}) ?(m|h|d)")
_UNITS = {"m": 60, "h": 3_600, "d": DAY}
_SHARE = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%")


class SaidDeadline(NamedTuple):
    """A time by which a run has to end, and the earliest end that counts for it."""

    due: Moment
    since: Moment


class Due(NamedTuple):
    """A time of the day by the clock of a zone, on some days: `daily`, `weekdays`, `month-end` or names of weekdays."""

    hour: int
    minute: int
    zone: str
    days: str

    @property
    def words(self) -> str:
        return f"due {self.hour:02}:{self.minute:02} {self.zone}{'' if self.days == 'daily' else f' on {self.days}'}"

    def between(self, first: Moment, last: Moment, holidays: frozenset[date]) -> Iterator[SaidDeadline]:
        """The deadlines of a time. A write counts if it came in the half day before."""
        days = (at(first).date() + timedelta(days=ahead) for ahead in range(-1, (last - first) // DAY + 3))
        dues = (self._at(day) for day in days if day not in holidays and self._is_on(day))
        yield from (SaidDeadline(due, due - DAY // 2) for due in dues if first < due <= last)

    def _is_on(self, day: date) -> bool:
        if self.days == "month-end":
            return (day + timedelta(days=1)).day == 1
        if self.days in ("daily", "weekdays"):
            return self.days == "daily" or day.weekday() < 5
        return WEEKDAYS[day.weekday()][:3] in self.days.split(",")

    def _at(self, day: date) -> Moment:
        return int(datetime.combine(day, time(self.hour, self.minute), _zone(self.zone)).timestamp())


class SaidOf(NamedTuple):
    """What is said about a dataset or job, or all whose name matches: `mart.*`. `age` is in seconds, `rows` a share."""

    kind: NodeKind
    namespace: str
    name: str
    due: Due | None = None
    age: int | None = None
    rows: float | None = None
    is_never_empty: bool = False
    calendar: str = ALL

    @property
    def is_pattern(self) -> bool:
        return "*" in self.name

    def fits(self, name: str) -> bool:
        return re.fullmatch(".*".join(map(re.escape, self.name.split("*"))), name, re.DOTALL) is not None

    @property
    def words(self) -> str:
        told = [
            self.due.words if self.due else "",
            f"at most {_span(self.age)} old" if self.age else "",
            f"rows within {100 * self.rows:g} %" if self.rows else "",
            "never empty" if self.is_never_empty else "",
        ]
        return ", ".join(filter(None, told))


class Said(NamedTuple):
    """Everything that is said, and the holidays of each calendar."""

    entries: Sequence[SaidOf] = ()
    holidays: Mapping[str, frozenset[date]] = {}

    @classmethod
    def of(cls, document: Any) -> "Said":
        """What a document says, such as the YAML above as JSON. Raises InvalidRequest, which names each fault."""
        faults: list[Fault] = []
        found = cls()
        if not isinstance(document, dict):
            raise InvalidRequest(Fault("body", "expected a document with the key expectations"))
        others = sorted(map(str, document.keys() - set(SECTIONS)))
        faults += [Fault(key, f"unknown; expected {', '.join(SECTIONS[:-1])} or {SECTIONS[-1]}") for key in others]
        holidays = _holidays(document.get("holidays"), faults)
        entries = document.get("expectations") or []
        if isinstance(entries, list) and len(entries) <= MOST_ENTRIES:
            read = [_entry(entry, path_of("expectations", place), faults) for place, entry in enumerate(entries)]
            found = cls([entry for entry in read if entry], holidays)
        else:
            faults.append(Fault("expectations", f"expected a list of at most {MOST_ENTRIES:,} entries"))
        for place, entry in enumerate(found.entries):
            if entry.calendar != ALL and entry.calendar not in holidays:
                faults.append(Fault(path_of("expectations", place, "calendar"), f"holidays has no {entry.calendar}"))
        if faults:
            raise InvalidRequest(*faults[:MOST_FAULTS])
        return found

    def of_node(self, kind: NodeKind, namespace: str, name: str) -> list[SaidOf]:
        """What is said of a dataset or job."""
        ours = (entry for entry in self.entries if entry.kind is kind and entry.namespace == namespace)
        return [entry for entry in ours if entry.fits(name)]

    def free_days(self, entries: Sequence[SaidOf]) -> frozenset[date]:
        """The holidays that apply to these entries."""
        return frozenset().union(*(self.holidays.get(name, ()) for name in {ALL, *(each.calendar for each in entries)}))


def day_of(moment: Moment, zone: str) -> date:
    return at(moment).astimezone(_zone(zone)).date()


def at_clock(moment: Moment, zone: str) -> str:
    """A time of the day by the clock of a zone: `07:00 Europe/Berlin`."""
    return f"{at(moment).astimezone(_zone(zone)):%H:%M} {zone}"


def _entry(entry: Any, path: str, faults: list[Fault]) -> SaidOf | None:
    if not isinstance(entry, dict):
        faults.append(Fault(path, "expected an entry with the key dataset or job"))
        return None
    before = len(faults)
    faults += [
        Fault(f"{path}.{key}", f"unknown; expected one of {', '.join(_MEMBERS)}") for key in entry.keys() - {*_MEMBERS}
    ]
    texts = {key: _text(value) for key, value in entry.items() if key != "days"}
    faults += [Fault(f"{path}.{key}", "expected a text") for key, value in texts.items() if not value]
    if ("dataset" in entry) == ("job" in entry):
        faults.append(Fault(path, "expected either dataset or job"))
    if "namespace" not in entry:
        faults.append(Fault(f"{path}.namespace", "missing; expected the namespace of the dataset or job"))
    said = entry.keys() & {"due", "max_age", "rows", "never_empty", "calendar"}
    if not said:
        faults.append(Fault(path, "says nothing; expected one of due, max_age, rows, never_empty, calendar"))
    kind = NodeKind.DATASET if "dataset" in entry else NodeKind.JOB
    found = SaidOf(
        kind,
        texts.get("namespace", ""),
        texts.get(kind.value, ""),
        _due(texts.get("due"), entry.get("days"), path, faults),
        _age(texts.get("max_age"), path, faults),
        _share(texts.get("rows"), path, faults),
        _flag(texts.get("never_empty"), path, faults),
        texts.get("calendar", ALL),
    )
    return found if len(faults) == before else None


def _due(text: str | None, days: Any, path: str, faults: list[Fault]) -> Due | None:
    if text is None:
        if days is not None:
            faults.append(Fault(f"{path}.days", "says when something is due, and due is missing"))
        return None
    match = _DUE.fullmatch(text)
    if not match:
        faults.append(Fault(f"{path}.due", "expected a time of the day, such as 07:00 Europe/Berlin"))
        return None
    zone = match[3] or "UTC"
    try:
        _zone(zone)
    except (ValueError, OSError):
        faults.append(Fault(f"{path}.due", f"{zone} is no time zone; expected one such as Europe/Berlin"))
    words = days if isinstance(days, list) else "daily" if days is None else _text(days).split(",")
    named = [words] if isinstance(words, str) else [_text(word).strip().lower() for word in words]
    if named not in (["daily"], ["weekdays"], ["month-end"]):
        if not named or not {*named} <= {*WEEKDAYS, *(day[:3] for day in WEEKDAYS)}:
            faults.append(Fault(f"{path}.days", "expected daily, weekdays, month-end, or days such as mon,tue"))
        named = [word[:3] for word in named]
    return Due(int(match[1]), int(match[2]), zone, ",".join(named))


def _age(text: str | None, path: str, faults: list[Fault]) -> int | None:
    match = _AGE.fullmatch(text) if text else None
    seconds = int(match[1]) * _UNITS[match[2]] if match else 0
    if text is not None and not 0 < seconds <= LONGEST_AGE:
        faults.append(Fault(f"{path}.max_age", "expected a length of time, such as 90m, 2h or 3d"))
    return seconds or None


def _share(text: str | None, path: str, faults: list[Fault]) -> float | None:
    match = _SHARE.fullmatch(text) if text else None
    share = float(match[1]) / 100 if match else 0
    if text is not None and not share:
        faults.append(Fault(f"{path}.rows", "expected a percentage of what is usual, such as 20%"))
    return share or None


def _flag(text: str | None, path: str, faults: list[Fault]) -> bool:
    if text not in (None, "true", "false"):
        faults.append(Fault(f"{path}.never_empty", "expected true or false"))
    return text == "true"


def _holidays(section: Any, faults: list[Fault]) -> dict[str, frozenset[date]]:
    calendars = section if isinstance(section, dict) else {ALL: section or []}
    found: dict[str, frozenset[date]] = {}
    for name, days in calendars.items():
        path = f"holidays.{name}" if name else "holidays"
        if not isinstance(days, list) or len(days) > MOST_HOLIDAYS:
            faults.append(Fault(path, f"expected a list of at most {MOST_HOLIDAYS:,} dates"))
            continue
        read = []
        for place, day in enumerate(days):
            try:
                read.append(date.fromisoformat(_text(day)))
            except ValueError:
                faults.append(Fault(path_of(path, place), "expected a date such as 2026-12-25"))
        found[str(name)] = frozenset(read)
    return found


def _text(value: Any) -> str:
    """A scalar as text: headwater.yml is read as strings, but a document sent as JSON may have other types."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).strip() if isinstance(value, str | int | float) else ""


@lru_cache(maxsize=64)
def _zone(name: str) -> Any:
    """A time zone. Raises ValueError or OSError for an unknown name."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # noqa: PLC0415 - no function needs it to start

    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        raise ValueError(name) from None


def _span(seconds: int) -> str:
    unit = next(unit for unit in ("d", "h", "m") if seconds % _UNITS[unit] == 0)
    return f"{seconds // _UNITS[unit]} {unit}"
