"""What is usual of an amount: a band around earlier amounts, which may grow, and differ by the day of the week."""

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from headwater.graph.expectations.usual import Amount, band
from headwater.graph.states.rhythm import DAY
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
