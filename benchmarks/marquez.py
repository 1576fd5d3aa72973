"""Published figures of the same lookups in Marquez, which this benchmark did not measure.

CPU milliseconds a call of the Marquez server (0.51.2-SNAPSHOT, March 2025) and the PostgreSQL beside it, on 2 quiet
cores.
"""

from typing import NamedTuple

SOURCE = "Marquez 0.51.2-SNAPSHOT of March 2025: CPU ms a call, measured elsewhere on 2 cores"


class Published(NamedTuple):
    """CPU ms with 100 jobs, with 1,000 jobs, and for those 1,000 jobs in a database of 6,265."""

    jobs_100: int
    jobs_1_000: int
    jobs_6_265: int
    is_more: bool = False
    """Whether the last figure is a lower bound."""


PUBLISHED = {
    "lineage, depth 1": Published(74, 48, 700),
    "lineage, depth 5": Published(349, 436, 1_695),
    "lineage, depth 20": Published(432, 5_540, 19_910),
    "column lineage, both ways, depth 3": Published(32, 763, 4_230),
    "list 100 jobs": Published(2_240, 14_140, 30_000, is_more=True),
    "get job": Published(33, 149, 1_160),
}
