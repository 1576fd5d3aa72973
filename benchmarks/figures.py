"""Repeated measurements, their statistics, and tables of them."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

Measurement = TypeVar("Measurement")

MOST_ROUNDS, LEAST_RESULTS = 20, 3


def repeated(measure: Sequence[Callable[[], Measurement]], seconds: float) -> list[Measurement]:
    """The results of rounds of measurements until the seconds are over, and at least three results."""
    deadline = time.monotonic() + seconds
    results: list[Measurement] = []
    for take in [*measure] * MOST_ROUNDS:
        if len(results) >= LEAST_RESULTS and time.monotonic() > deadline:
            break
        results.append(take())
    return results


def percentile(values: Sequence[float], percent: float) -> float:
    """The value that so many percent of the values do not exceed (nearest rank)."""
    ordered = sorted(values)
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]


def median(values: Sequence[float]) -> float:
    return percentile(values, 50)


def aligned(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """A table with its first column aligned left, and figures aligned right."""
    lines = list(rows)
    widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(lines[0]))]
    for first, *figures in lines:
        rest = (figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=False))
        yield "  ".join(["", first.ljust(widths[0]), *rest]).rstrip()
