"""The figures as a table, and as a JSON document."""

import os
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.inside import Inside
from benchmarks.marquez import PUBLISHED, SOURCE
from benchmarks.wall import Wall

MEASURED = ("lookup", "p50 ms", "p95 ms", "nodes", "KB", "sent KB", "DB calls", "items", "DB KB", "CPU ms")
COMPARED = ("wall x", "CPU x", "nodes x")
LEGEND = """\
p50, p95   wall time over HTTP, through the whole embedded stack, one request at a time
KB, sent   size of the response, inflated and as sent
DB         calls to DynamoDB of one lookup, with the items and the size of their responses
CPU ms     median CPU time of the handler alone, without the emulator and DynamoDB
x          factor to the same lookup on the smallest graph"""

Row = tuple[str, ...]


@dataclass(frozen=True)
class Measured:
    """The figures of one lookup: over HTTP, and in the handler."""

    wall: Wall
    inside: Inside


@dataclass(frozen=True)
class Size:
    """A size of the graph: the seconds to fold its events, and the figures of each lookup by name."""

    jobs: int
    runs: int
    events: int
    fold_seconds: float
    lookups: dict[str, Measured]


def report(sizes: Sequence[Size]) -> str:
    """A table for each size, the smallest first, and the published figures of Marquez."""
    parts = [part for size in sizes for part in (_title(size), *aligned(_rows(size, sizes[0])), "")]
    return "\n".join([*parts, LEGEND, "", *_published(sizes[0])])


def document(sizes: Sequence[Size], seed: int) -> dict[str, Any]:
    """The figures as a document for programs."""
    published = {name: figures._asdict() for name, figures in PUBLISHED.items()}
    machine = {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    return {
        "seed": seed,
        "machine": machine,
        "sizes": [asdict(size) for size in sizes],
        "marquezPublishedElsewhere": {"source": SOURCE, "cpuMilliseconds": published},
    }


def _title(size: Size) -> str:
    a_second = size.events / size.fold_seconds
    return f"{size.jobs:,} jobs, {size.runs} runs each ({size.events:,} events, folded at {a_second:,.0f} a second)"


def _rows(size: Size, smallest: Size) -> Iterator[Row]:
    compared = size is not smallest
    yield MEASURED + (COMPARED if compared else ())
    for name, measured in size.lookups.items():
        yield _row(name, measured) + (_ratios(measured, smallest.lookups.get(name)) if compared else ())


def _row(name: str, measured: Measured) -> Row:
    wall, inside = measured.wall, measured.inside
    shown = name if wall.status == 200 else f"{name} ({wall.status})"
    times = (f"{wall.p50:,.0f}", f"{wall.p95:,.0f}")
    answer = (f"{wall.nodes:,.0f}", f"{wall.kilobytes:,.0f}", f"{wall.sent_kilobytes:,.0f}")
    inner = (f"{inside.calls:,.1f}", f"{inside.items:,.0f}", f"{inside.kilobytes:,.0f}", f"{inside.cpu:,.1f}")
    return (shown, *times, *answer, *inner)


def _ratios(measured: Measured, smallest: Measured | None) -> Row:
    if smallest is None:
        return ()
    wall, inside = (measured.wall, smallest.wall), (measured.inside, smallest.inside)
    pairs = [
        [measurement.p50 for measurement in wall],
        [measurement.cpu for measurement in inside],
        [measurement.nodes for measurement in wall],
    ]
    return tuple(f"{larger / smaller:.1f}" if smaller else "-" for larger, smaller in pairs)


def _published(smallest: Size) -> Iterator[str]:
    yield "Not measured here: CPU ms a call that were published of Marquez with PostgreSQL, for its own graphs"
    yield f"({SOURCE})"
    rows = [("lookup", "100 jobs", "1,000 jobs", "those 1,000 in a database of 6,265 jobs", "1,000 / 100")]
    for name, figures in PUBLISHED.items():
        if name in smallest.lookups:
            largest = f"{'over ' if figures.is_more else ''}{figures.jobs_6_265:,}"
            ratio = f"{figures.jobs_1_000 / figures.jobs_100:.1f}"
            rows.append((name, f"{figures.jobs_100:,}", f"{figures.jobs_1_000:,}", largest, ratio))
    yield from aligned(rows)


def aligned(rows: Iterable[Row]) -> Iterator[str]:
    """A table with its first column aligned left, and figures aligned right."""
    lines = list(rows)
    widths = [max(len(line[at]) for line in lines if at < len(line)) for at in range(len(lines[0]))]
    for first, *figures in lines:
        rest = (figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=False))
        yield "  ".join(["", first.ljust(widths[0]), *rest]).rstrip()
