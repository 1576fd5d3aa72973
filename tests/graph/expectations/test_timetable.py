"""When the next run is due, learnt from the runs before: what is missing is told, and nothing else."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest

from headwater.graph.expectations.timetable import timetable
from headwater.graph.states.rhythm import DAY, Observation, Rhythm, kept
from headwater.openlineage.event import Name
from tests.graph.expectations.schedules import BEGIN, HOUR, Starts, daily, every, lived, observed, told


def is_weekday(day: date) -> bool:
    return day.weekday() < 5


def is_last_of_month(day: date) -> bool:
    return (day + timedelta(days=1)).day == 1


PLANS = {
    "every hour": every(HOUR, 60),
    "every 2 hours": every(2 * HOUR, 60),
    "every hour on weekdays": every(HOUR, 60, is_weekday),
    "at 07:00": daily([7], 120),
    "at 07:00 in Berlin": daily([7], 120, "Europe/Berlin"),
    "at 00:00 in New York on weekdays": daily([0], 120, "America/New_York", is_weekday),
    "at 06:00 in Sydney": daily([6], 120, "Australia/Sydney"),
    "at 23:00 on weekdays": daily([23], 120, is_on=is_weekday),
    "at 06:00 and 18:00": daily([6, 18], 90, "Europe/Berlin"),
    "at 06:00, 12:00 and 20:00 on weekdays": daily([6, 12, 20], 90, is_on=is_weekday),
}


@pytest.mark.parametrize("plan", PLANS)
def test_each_missing_run_is_told_once_and_nothing_else_is(plan: str) -> None:
    for seed in range(3):
        starts, missing = lived(PLANS[plan], seed)
        found = told(starts)
        assert len(found) == len(missing), (seed, [datetime.fromtimestamp(slot.due, UTC) for slot in found])
        for slot, due in zip(found, missing, strict=True):
            assert abs(slot.due - due) < HOUR / 2


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Sydney"])
def test_a_change_of_clocks_is_no_missing_run_although_no_change_was_seen_before(zone: str) -> None:
    assert told(lived(daily([7], 80, zone), 1, missing=0)[0]) == []


def test_a_week_without_a_run_is_one_due_and_not_seven() -> None:
    starts = [start for start in daily([7], 60) if not 40 * DAY < start - BEGIN.timestamp() < 47 * DAY]
    assert len(told(starts)) == 1


def test_a_job_that_runs_by_day_is_not_due_at_night() -> None:
    plan = every(HOUR, 60, lambda time: is_weekday(time) and 8 <= time.hour < 20)
    assert told(lived(plan, 1, missing=0)[0]) == []
    evening = [start for start in plan if datetime.fromtimestamp(start, UTC).hour != 14 or start < plan[-100]]
    assert told(evening)


def test_a_day_of_the_week_is_claimed_once_it_was_seen_three_times() -> None:
    claims = [timetable(rhythm) for rhythm, _ in observed(daily([7], 30, is_on=is_weekday))]
    words = [claim.words if claim else None for claim in claims]
    assert (words[:10], words[10]) == ([None] * 10, "at 07:00 UTC on Tue")
    assert words[-1] == "at 07:00 UTC on weekdays"


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (daily([2], 150, is_on=lambda day: day.day == 12), "at 02:00 UTC on day 12 of the month"),
        (daily([2], 180, is_on=is_last_of_month), "at 02:00 UTC on the last day of the month"),
        (daily([5], 60, is_on=lambda day: day.weekday() == 0), "at 05:00 UTC on Mon"),
        (every(10 * DAY, 120), "every 10 days"),
    ],
)
def test_rarer_runs_have_their_days(plan: Starts, words: str) -> None:
    claims = [timetable(rhythm) for rhythm, _ in observed([*plan, plan[-1] + DAY])]
    assert claims[-1]
    assert claims[-1].words == words
    assert claims[1] is None


def test_the_last_day_of_the_next_month_is_due() -> None:
    starts = daily([2], 180, is_on=is_last_of_month)
    *_, (rhythm, _) = observed(starts)
    found = timetable(rhythm)
    slot = found.next_after(starts[-2]) if found else None
    assert slot
    assert slot.due == starts[-1]


@pytest.mark.parametrize("runs", [10, 60, 300])
def test_nothing_is_claimed_of_runs_at_any_time(runs: int) -> None:
    for seed in range(4):
        rng = random.Random(seed)
        assert told(sorted(int(BEGIN.timestamp()) + rng.randrange(120 * DAY) for _ in range(runs))) == []


def test_a_backfill_is_no_rhythm() -> None:
    starts, _ = lived(daily([7], 60), 5, missing=0)
    assert told(starts) == []


def test_the_runs_of_a_loop_are_one_run() -> None:
    seen = [
        Observation(due + 20 * number, f"{due % 2**16:04x}{number:04x}", f"{due % 2**32:08x}", 10, True)
        for due in daily([7], 40)
        for number in range(12)
    ]
    found = timetable(Rhythm(Name("prod", "loop"), tuple(kept(seen))))
    assert found
    assert found.words == "at 07:03 UTC"


def changed(before: Starts, after: Starts, day: int) -> Starts:
    """Starts by one plan until a day, and by another from it on."""
    change = int(BEGIN.timestamp()) + day * DAY
    return [*(start for start in before if start < change), *(start for start in after if start >= change)]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (every(HOUR, 90), daily([3], 90), "at 03:00 UTC"),
        (daily([3], 90), every(HOUR, 90), "every hour"),
        (daily([3], 90), daily([7], 90), "at 07:00 UTC"),
        (daily([20], 90), daily([6], 90), "at 06:00 UTC"),
    ],
)
def test_a_job_that_moves_is_told_twice_at_most(before: Starts, after: Starts, words: str) -> None:
    starts = changed(before, after, 65)
    assert len(told(starts)) <= 2
    *_, (rhythm, _) = observed(starts)
    found = timetable(rhythm)
    assert found
    assert found.words == words


def test_a_job_that_moves_is_told_neither_then_nor_when_clocks_change() -> None:
    """It moved to an earlier hour after clocks changed in Sydney, and before they did in Berlin."""
    assert told(changed(daily([9], 80, "Europe/Berlin"), daily([6], 80, "Europe/Berlin"), 37)) == []


@pytest.mark.parametrize(("days", "later", "most"), [(30, 4, 3), (28, 7, 1)])
def test_a_job_that_is_later_on_some_days_of_each_month_has_not_moved(days: int, later: int, most: int) -> None:
    """Without knowing that the times alternate, each change was told, and each change back."""
    begin = int(BEGIN.timestamp())
    assert len(told([begin + day * DAY + (12 if day % days < later else 3) * HOUR for day in range(365)])) <= most
