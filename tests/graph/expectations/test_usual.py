"""What is usual of an amount: a band around earlier amounts, which may grow, and differ by the day of the week."""

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from headwater.graph.expectations.usual import Amount, band, unusual
from headwater.graph.states.rhythm import DAY, Observation, kept
from tests.graph.expectations.schedules import BEGIN

DAYS = 90


def amounts(expected: Callable[[int, datetime], float], noise: float, seed: int, days: int = DAYS) -> list[Amount]:
    rng, begin = random.Random(seed), int(BEGIN.timestamp())
    starts = [begin + day * DAY for day in range(days)]
    return [
        (start, round(expected(day, datetime.fromtimestamp(start, UTC)) * math.exp(rng.gauss(0, noise))))
        for day, start in enumerate(starts)
    ]


KINDS: dict[str, tuple[Callable[[int, datetime], float], float]] = {
    "steady": (lambda *_: 10_000, 0.03),
    "noisy": (lambda *_: 10_000, 0.1),
    "growing by a percent a day": (lambda day, _: 10_000 * 1.01**day, 0.03),
    "less at weekends": (lambda _, time: 10_000 * (0.3 if time.weekday() > 4 else 1), 0.05),
}


@pytest.mark.parametrize("kind", KINDS)
def test_no_usual_amount_is_outside_the_band(kind: str) -> None:
    for seed in range(4):
        known = amounts(*KINDS[kind], seed)
        for number in range(1, DAYS):
            usual = band(known[max(0, number - 70) : number], known[number][0])
            assert usual is None or usual.side(known[number][1]) == 0, (seed, number, usual, known[number])


@pytest.mark.parametrize("kind", ["steady", "growing by a percent a day", "less at weekends"])
@pytest.mark.parametrize(("factor", "side"), [(0.0, -1), (0.6, -1), (2.0, 1)])
def test_an_amount_far_from_the_others_is_outside(kind: str, factor: float, side: int) -> None:
    known = amounts(*KINDS[kind], 1)
    for number in range(60, DAYS):
        usual = band(known[:number], known[number][0])
        assert usual
        assert usual.side(round(known[number][1] * factor)) == side


def test_one_wrong_amount_does_not_move_the_band() -> None:
    known = amounts(*KINDS["steady"], 1)
    wrong = [*known[:50], (known[50][0], 0), *known[51:]]
    before, after = band(known[:-1], known[-1][0]), band(wrong[:-1], known[-1][0])
    assert before
    assert after
    assert abs(before.low - after.low) < 100


def test_nothing_is_claimed_where_empty_writes_are_usual_or_little_was_seen() -> None:
    known = amounts(*KINDS["steady"], 1)
    often_empty = [(start, 0 if number % 4 == 0 else amount) for number, (start, amount) in enumerate(known)]
    assert band(often_empty, known[-1][0] + DAY) is None
    assert band(known[:5], known[5][0]) is None


def test_a_few_rows_vary_by_chance() -> None:
    rng = random.Random(1)
    begin = int(BEGIN.timestamp())
    known = [(begin + day * DAY, sum(rng.random() < 0.02 for _ in range(1_000))) for day in range(DAYS)]
    for number in range(10, DAYS):
        usual = band(known[:number], known[number][0])
        assert usual is None or usual.side(known[number][1]) == 0


def left_out(step: int, days: int, count: Callable[[int, datetime], int | None]) -> list[datetime]:
    """The runs, one each `step` seconds, that are told to have left out a dataset, by how many each of them wrote."""
    seen: list[Observation] = []
    told = []
    for number, start in enumerate(range(int(BEGIN.timestamp()), int(BEGIN.timestamp()) + days * DAY, step)):
        begun, run = datetime.fromtimestamp(start, UTC), f"{number:08x}"
        seen = kept([*seen, Observation(start, run, run, 60, True, 1_000, datasets=count(number, begun))])
        if (found := unusual(seen)) and found.unit == "datasets":
            told.append(begun)
    return told


def is_sunday(time: datetime) -> bool:
    return time.weekday() == 6


@pytest.mark.parametrize(
    ("hours", "count"),
    [
        (0.5, lambda _, time: 1 if 2 <= time.hour < 4 else 2),
        (1, lambda _, time: 1 if is_sunday(time) and time.hour == 3 else 2),
        (1, lambda _, time: 1 if time.weekday() > 4 and 8 <= time.hour < 20 else 2),
        (6, lambda _, time: 1 if is_sunday(time) and time.hour == 0 else 2),
        (12, lambda _, time: 1 if is_sunday(time) and time.hour == 0 else 2),
        (24, lambda number, _: random.Random(number).randint(20, 60)),
        (1, lambda number, _: random.Random(number).randint(20, 60)),
        (1, lambda number, time: (1 if 2 <= time.hour < 4 else 2) if number > 24 * 40 + 16 else None),
        (24, lambda number, time: (1 if is_sunday(time) else 2) if number > 43 else None),  # a Thursday
    ],
)
def test_a_dataset_that_is_left_out_at_some_times_is_not_told(
    hours: float, count: Callable[[int, datetime], int | None]
) -> None:
    """A rhythm keeps thirty runs of a frequent job, and the last of each day; older runs have no count."""
    assert left_out(round(hours * 3_600), 100, count) == []


@pytest.mark.parametrize("hours", [12, 24, 7 * 24])
def test_a_dataset_that_was_never_left_out_in_a_fortnight_or_more_is_told(hours: int) -> None:
    last = BEGIN + timedelta(days=98)
    assert left_out(hours * 3_600, 99, lambda _, time: 1 if time == last else 2) == [last]


def test_runs_that_failed_make_no_longer_time_known() -> None:
    """Of an hourly job most runs failed, so the thirty newest good ones that are kept go back for weeks."""
    seen = list[Observation]()
    for number in range(24 * 60):
        time, run = BEGIN + timedelta(hours=number), f"{number:08x}"
        count = 1 if is_sunday(time) and time.hour == 21 else 2
        seen = kept([*seen, Observation(int(time.timestamp()), run, run, 60, time.hour > 20, datasets=count)])
        assert unusual(seen) is None
