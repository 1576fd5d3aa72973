"""What is usual of an amount, such as the rows of a job's writes: a band, by what earlier runs had.

Amounts are compared by their logarithms: 30 % more is as unusual for a hundred rows as for a million. The band is
around a line through the earlier amounts, so that a table may grow; a weekday seen three times has its own distance
from the line. All estimates are medians, so one wrong run moves none of them.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from operator import attrgetter
from typing import NamedTuple

from headwater.graph.states.rhythm import DAY, GENERATIONS, MOST, Moment, Observation, median

LEAST_AMOUNTS, LEAST_OF_WEEKDAY = 8, 3
LEAST_WIDTH = 0.25
"""The smallest half width of a band: from 22 % less to 28 % more."""
UNKNOWN_WEEKDAY = 0.8
"""The smallest half width on a weekday not seen three times, which may have other amounts: from 55 % less on."""
WIDTH = 5.0
"""Standard deviations within a band."""
MOST_ZEROS = 0.1
"""From this share of empty writes on, an empty write is usual, and nothing is claimed."""
LEAST_DAYS = 3
COUNTED_DAYS = 14
"""Days of which all runs have to be known, so that a dataset that is left out each Sunday, or at night, is known: a job
that runs more than twice a day has too many to be kept."""
LEAST_SAID = 3
"""From this many amounts on, a share of the usual amount is known."""
MIDNIGHT = 3_600
"""Seconds around midnight in which a run may be of either day, if others were on the other side."""
MOST_LOG = 100.0
"""Logarithms of amounts beyond this are nonsense, such as growth until the year 9999."""
MOST_POINTS = 40
"""Amounts by which growth is estimated."""
TREND_DAYS = 21
"""Growth is claimed once this many days were seen."""

ROWS, BYTES, SECONDS = attrgetter("rows"), attrgetter("size"), attrgetter("seconds")
"""Amounts of a run."""
Amount = tuple[Moment, int]
"""When a run began, and an amount of it."""


class Band(NamedTuple):
    """The amounts that are usual at a time."""

    low: int
    usual: int
    high: int

    def side(self, amount: int) -> int:
        """-1 for an amount below the band, 1 for one above, else 0."""
        return (amount > self.high) - (amount < self.low)


class Unusual(NamedTuple):
    """What a run wrote, beside what is usual."""

    run: Observation
    unit: str
    amount: int
    usual: Band

    @property
    def side(self) -> int:
        return self.usual.side(self.amount)

    @property
    def way(self) -> tuple[bool, int]:
        """In which way it is unusual: a run may leave a dataset out, or write too little, and the next one both."""
        return self.unit == "datasets", self.side


def unusual(
    observations: Sequence[Observation], share: float | None = None, *, is_never_empty: bool = False
) -> Unusual | None:
    """What the newest of these runs wrote, if it is unusual: by what was learnt, by a share of the usual amount that
    people set, or empty although people said that it never is. Or if it left out a dataset that each run before wrote,
    as far as they are kept, or left it empty."""
    newest = observations[-1]
    others = [seen for seen in observations if seen.generation != newest.generation]
    return _amount(others, newest, share, is_never_empty=is_never_empty) or _left_out(others, newest)


def _left_out(others: Sequence[Observation], newest: Observation) -> Unusual | None:
    """A run that wrote to fewer datasets than any before, if the least number was seen often. One that wrote to none
    says too little: it may be a branch that was not taken."""
    counted = [(seen.start, seen.datasets) for seen in others if seen.is_good and seen.datasets is not None]
    if not newest.is_good or not newest.datasets or not counted:
        return None
    counts = [count for _, count in counted]
    least, since = min(counts), max(counted[0][0], others[-GENERATIONS:][0].start)  # since then, all runs are kept
    if newest.datasets >= least or counts.count(least) < LEAST_AMOUNTS or newest.start - since < COUNTED_DAYS * DAY:
        return None
    return Unusual(newest, "datasets", newest.datasets, Band(least, int(median(counts)), max(counts)))


def _amount(
    others: Sequence[Observation], newest: Observation, share: float | None, *, is_never_empty: bool
) -> Unusual | None:
    unit, written = rows_or_bytes([*others, newest])
    if not written or written[-1][0] != newest.start or not newest.is_good:
        return None
    usual = band(written[:-1], newest.start)
    if share or (is_never_empty and not usual):
        usual = _said_band(written[:-1], usual, share)
    found = Unusual(newest, unit, written[-1][1], usual) if usual else None
    return found if found and found.side else None


def _said_band(earlier: Sequence[Amount], learnt: Band | None, share: float | None) -> Band | None:
    """The band around what is usual, or else around the median of three amounts or more."""
    newest = [amount for _, amount in earlier[-LEAST_AMOUNTS:]]
    if share is None:
        return Band(1, int(median(newest)) if newest else 1, MOST)
    if learnt is None and len(newest) < LEAST_SAID:
        return None
    usual = learnt.usual if learnt else int(median(newest))
    return Band(math.ceil(usual * (1 - share)), usual, int(usual * (1 + share)))


def rows_or_bytes(observations: Sequence[Observation]) -> tuple[str, list[Amount]]:
    """The amounts that good runs wrote: rows if the newest run reports them, else bytes."""
    if observations and observations[-1].rows is not None:
        return "rows", amounts(observations, ROWS)
    return "bytes", amounts(observations, BYTES)


def amounts(observations: Sequence[Observation], of: Callable[[Observation], int | None]) -> list[Amount]:
    """An amount of good runs, as far as it is known."""
    return [(seen.start, amount) for seen in observations if seen.is_good and (amount := of(seen)) is not None]


def band(earlier: Sequence[Amount], time: Moment) -> Band | None:
    """The band of an amount at a time; None if too little was seen, or no band is known."""
    if len(earlier) < LEAST_AMOUNTS or sum(not amount for _, amount in earlier) > MOST_ZEROS * len(earlier):
        return None
    if (time - earlier[0][0]) < LEAST_DAYS * DAY:
        return None
    points = [((start - time) / DAY, math.log1p(amount)) for start, amount in earlier]
    slope = _slope(points)
    level = median(log - slope * day for day, log in points)
    residuals = [
        (start // DAY % 7, log - level - slope * day) for (start, _), (day, log) in zip(earlier, points, strict=True)
    ]
    shifts, weekday = _shifts(residuals), time // DAY % 7
    is_known = sum(of == weekday for of, _ in residuals) >= LEAST_OF_WEEKDAY
    around = {off for start, _ in earlier for off in (-MIDNIGHT, MIDNIGHT) if (start + off) // DAY != start // DAY}
    beside = [shifts.get((time - off) // DAY % 7, 0.0) - shifts.get(weekday, 0.0) for off in (0, *around)]
    center = level + shifts.get(weekday, 0.0)
    off = sorted(abs(residual - shifts.get(weekday, 0.0)) for weekday, residual in residuals)
    if abs(center) > MOST_LOG:
        return None
    by_chance = 1 / math.sqrt(max(1.0, math.expm1(center)))
    least = LEAST_WIDTH if is_known else UNKNOWN_WEEKDAY
    width = max(least, WIDTH * _deviation(off), WIDTH * by_chance, 2.5 * off[len(off) * 9 // 10])
    width = min(width, MOST_LOG)
    edges = (center + min(beside) - width, center, center + max(beside) + width)
    low, usual, high = (round(math.expm1(min(edge, MOST_LOG))) for edge in edges)
    return Band(max(low, 1), usual, high)


def _shifts(residuals: Sequence[tuple[int, float]]) -> dict[int, float]:
    """How far some days of the week are from the others, if it is far."""
    usual = _deviation([abs(residual) for _, residual in residuals])
    of_weekday = {day: [residual for weekday, residual in residuals if weekday == day] for day in range(7)}
    shifts = {day: median(of) for day, of in of_weekday.items() if len(of) >= LEAST_OF_WEEKDAY}
    return {day: shift for day, shift in shifts.items() if abs(shift) > 3 * usual}


def _deviation(sizes: Sequence[float]) -> float:
    """The standard deviation, estimated by the median size of deviations."""
    return 1.4826 * median(sizes)


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """The median growth a day between pairs of amounts that are a week apart or more."""
    if points[-1][0] - points[0][0] < TREND_DAYS:
        return 0.0
    step = -(-len(points) // MOST_POINTS)
    pairs = combinations(points[::-step][::-1], 2)
    slopes = [
        (later[1] - earlier[1]) / (later[0] - earlier[0]) for earlier, later in pairs if later[0] - earlier[0] >= 7
    ]
    return median(slopes) if slopes else 0.0
