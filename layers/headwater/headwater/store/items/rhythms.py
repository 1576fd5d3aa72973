"""Rhythms of jobs."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

from headwater.graph.names.identity import job_id
from headwater.graph.states.rhythm import (
    GENERATIONS,
    ID_DIGITS,
    NO_SCHEDULE,
    BackfillRun,
    DueRun,
    Moment,
    Observation,
    Rhythm,
    RunTimes,
    Schedule,
    at,
)
from headwater.openlineage.instant import instant_of
from headwater.store import keys
from headwater.store.items.codec import DOC, Codec, Members, WrongMember, unpacked
from headwater.store.items.compression import pack, unpack_once
from headwater.store.items.runs import OPEN_IN
from headwater.store.items.values import array, instant, name_of, number, object_of, text
from headwater.store.table import Item

EARLIEST, LATEST = -62_135_596_800, 253_402_300_799
"""The first and the last second of the calendar."""
MOST_COUNTED = 400 * 2**63
"""The sum of the rows of all outputs of a run is less."""
_RUNS = re.compile(rf"([0-9a-f]{{{ID_DIGITS}}})*")
_PLACES, _GENERATIONS = array(number), object_of(text)
DUE = "due"
"""Only the part with the next run: a sweep reads those of all late jobs."""
_OBSERVED: Callable[[Iterable[Any]], Observation] = partial(tuple.__new__, Observation)
"""`Observation._make` without a call of Python for each: a sweep makes millions."""
UNUSUAL = "unusual"
"""The label of a rhythm whose newest run wrote an unusual amount: only such changes reach alerts through the stream."""


def encode(rhythm: Rhythm) -> Item:
    """The item of a rhythm, with the numbers of its observations side by side: a hundred of them take a kilobyte. Its
    label `at` is the time at which the next run is late, if the job has a timetable."""
    from headwater.graph.expectations.timetable import timetable  # noqa: PLC0415 - readers need no timetables
    from headwater.graph.expectations.usual import unusual  # noqa: PLC0415

    seen = rhythm.observations
    starts, counts = [each.start for each in seen], [each.datasets for each in seen]
    document: dict[str, Any] = {
        "job": rhythm.job,
        "starts": [*starts[:1], *(later - earlier for earlier, later in pairwise(starts))],
        "runs": "".join(each.run for each in seen),
        "generations": {each.run: each.generation for each in seen if each.generation != each.run},
        "seconds": [each.seconds for each in seen],
        "failed": [number for number, each in enumerate(seen) if not each.is_good],
        "apart": [number for number, each in enumerate(seen) if not each.is_due],
        "rows": [each.rows for each in seen],
        "bytes": [each.size for each in seen],
        **({"datasets": counts} if counts.count(None) < len(counts) else {}),
        **({"schedule": rhythm.schedule} if rhythm.schedule.time else {}),
        **({"backfills": rhythm.backfills} if rhythm.backfills else {}),
    }
    found = timetable(rhythm) if rhythm.is_due else None
    slot = found.next_after(starts[-1]) if found else None
    due = {OPEN_IN: keys.due_jobs(rhythm.id), "at": instant_of(at(slot.latest))} if slot else {}
    parts = {DUE: pack([starts[-1], *slot])} if slot else {}
    strange = {UNUSUAL: "yes"} if seen and unusual(seen) else {}
    return RHYTHM.item(keys.rhythm(rhythm.id), document, {**due, **strange}, None, **parts)


def due_run(item: Item) -> DueRun | None:
    """When the next run of the job is due, without its rhythm; None if the item does not tell, as one that an earlier
    release wrote."""
    try:
        return DueRun(*_numbers(unpacked(item, DUE, unpack_once)))
    except (WrongMember, TypeError):
        return None


def _decode(item: Item, members: Members) -> Rhythm:
    starts = members.read("starts", _starts)
    runs = members.read("runs", _runs)
    generations = members.read("generations", _GENERATIONS)
    failed, apart = (set(members.read(name, _PLACES)) for name in ("failed", "apart"))
    ids = _ids(runs)
    columns = zip(
        starts,
        ids,
        [generations.get(run, run) for run in ids] if generations else ids,
        members.read("seconds", _counts),
        [place not in failed for place in range(len(ids))],
        members.read("rows", _counts_or_none),
        members.read("bytes", _counts_or_none),
        [place not in apart for place in range(len(ids))],
        members.read("datasets", _counts_or_none, [None] * len(ids)),
        strict=True,
    )
    return Rhythm(
        job=members.read("job", name_of(job_id, keys.rhythm_of(item.key))),
        observations=tuple(map(_OBSERVED, columns)),
        schedule=members.read("schedule", _schedule, NO_SCHEDULE),
        backfills=members.read("backfills", array(_backfill_run), ()),
    )


def _decode_times(_: Item, members: Members) -> RunTimes:
    return Members({DOC: members.document}).read(DOC, _times)


def _times(stored: Mapping[str, Any]) -> RunTimes:
    """The columns as they are stored, without a look at each number of the long ones."""
    starts, seconds, generations = [*accumulate(stored["starts"])], stored["seconds"], stored["generations"]
    failed = _PLACES(stored["failed"])
    newest = starts
    if generations:
        ids = _ids(stored["runs"])
        newest = sorted(dict(zip(map(generations.get, ids, ids), starts, strict=True)).values())
    if len(starts) != len(seconds) or (starts and not EARLIEST <= starts[0] <= starts[-1] <= LATEST):
        raise ValueError("expected times of the calendar, and as many seconds")
    if failed and not 0 <= min(failed) <= max(failed) < len(starts):
        raise ValueError("expected places of runs that failed")
    is_due = bool(starts) and len(starts) - 1 not in stored["apart"]
    return RunTimes(starts, seconds, failed, newest[-GENERATIONS:], is_due)


def _ids(runs: str) -> list[str]:
    return [runs[start : start + ID_DIGITS] for start in range(0, len(runs), ID_DIGITS)]


def _schedule(value: Any) -> Schedule:
    time, run, expression = value
    return Schedule(instant(time), text(run), text(expression))


def _backfill_run(value: Any) -> BackfillRun:
    last, run = value
    return BackfillRun(_starts([last])[0], _runs(run))


def _starts(value: Any) -> list[Moment]:
    starts = list(accumulate(_numbers(value)))
    if min(value[1:], default=0) < 0 or (starts and not EARLIEST <= starts[0] <= starts[-1] <= LATEST):
        raise ValueError("expected times of the calendar in their order")
    return starts


def _runs(value: Any) -> str:
    if not _RUNS.fullmatch(text(value)):
        raise ValueError("expected the ends of the ids of runs")
    return str(value)


def _numbers(value: Any) -> list[int]:
    """Whole numbers, all checked at once: a sweep reads those of thousands of jobs."""
    if not isinstance(value, list) or not {int} >= {*map(type, value)}:
        raise TypeError("expected whole numbers")
    return value


def _counts(value: Any) -> list[int]:
    counts = _numbers(value)
    if counts and not 0 <= min(counts) <= max(counts) < MOST_COUNTED:
        raise ValueError("expected numbers from 0 on")
    return counts


def _counts_or_none(value: Any) -> list[int | None]:
    if not isinstance(value, list):
        raise TypeError("expected numbers or null")
    _counts([count for count in value if count is not None])
    return value


RHYTHM = Codec("rhythm", _decode, ())
RUN_TIMES = Codec("rhythm", _decode_times, (), unpack=unpack_once)
"""Reads when the runs of a job began and ended, and takes the columns as they are: in a quarter of the time."""
