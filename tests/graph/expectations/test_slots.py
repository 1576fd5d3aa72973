"""When each run of the past was due: a late run is late, an odd one has no due, and none makes itself usual."""

from datetime import date

import pytest

from headwater.graph.expectations.timetable import MINUTE, slot_of
from headwater.graph.states.rhythm import Moment, Observation, Rhythm, kept
from headwater.openlineage.event import Name
from tests.graph.expectations.schedules import HOUR, Starts, daily, every

PLANS = {
    "every hour": every(HOUR, 40),
    "at 07:00": daily([7], 40),
    "at 06:00 and 18:00": daily([6, 18], 40),
    "at 07:00 on weekdays": daily([7], 60, is_on=lambda day: date.weekday(day) < 5),
}


def rhythm_of(starts: Starts) -> Rhythm:
    seen = [Observation(start, f"{number:08x}", f"{number:08x}", 60, True) for number, start in enumerate(starts)]
    return Rhythm(Name("n", "job"), tuple(kept(seen)))


def lateness(starts: Starts) -> dict[Moment, int]:
    """The minutes by which the runs of known dues were late, by their starts."""
    rhythm = rhythm_of(starts)
    slots = {run.start: slot_of(rhythm, run) for run in rhythm.observations}
    return {start: (start - slot.due) // MINUTE for start, slot in slots.items() if slot}


@pytest.mark.parametrize("plan", PLANS)
def test_runs_that_come_in_time_are_not_late(plan: str) -> None:
    found = lateness(PLANS[plan])
    assert len(found) >= 15
    assert set(found.values()) == {0}


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("place", [-1, -2, -6])
def test_a_late_run_is_late_and_no_other_is(plan: str, place: int) -> None:
    starts = [*PLANS[plan]]
    starts[place] += 40 * MINUTE
    rhythm = rhythm_of(starts)
    slots = {run.start: slot_of(rhythm, run) for run in rhythm.observations}
    assert [start for start, slot in slots.items() if slot and start > slot.latest] == [starts[place]]
    assert lateness(starts)[starts[place]] == 40


@pytest.mark.parametrize("plan", PLANS)
def test_the_run_after_one_that_never_came_is_in_time(plan: str) -> None:
    assert set(lateness(PLANS[plan][:-4] + PLANS[plan][-3:]).values()) == {0}


def test_a_rerun_was_not_due() -> None:
    starts = [*PLANS["at 07:00"]]
    rerun = starts[-3] + 8 * HOUR
    found = lateness(sorted([*starts, rerun]))
    assert rerun not in found
    assert set(found.values()) == {0}


def test_too_few_runs_were_not_due() -> None:
    assert lateness(PLANS["at 07:00"][:3]) == {}
