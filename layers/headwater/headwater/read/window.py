"""Windows of time, and the history of a time line in a window: runs of a job, writes or quality results of a
dataset."""

from itertools import islice
from typing import Generic, NamedTuple, TypeVar

from headwater.openlineage.instant import Instant
from headwater.store.ranges import TimeLine

MOST = 50
"""Entries of a time line that are read, newest first."""
BEFORE = 10
"""Entries before the window, with which those of the window are compared. One is too few: a failed run may have named
only some of its datasets, and does not show how much is usually written."""

Id = TypeVar("Id")


class Window(NamedTuple):
    """The time from `since` until `until`. `since` may be NEVER (from the beginning), `until` None (until now)."""

    since: Instant
    until: Instant | None

    def has(self, moment: Instant) -> bool:
        return moment >= self.since and not (self.until and moment > self.until)


class History(NamedTuple, Generic[Id]):
    """The entries of a time line in a window, newest first, then a few earlier entries. `is_cut` says that the window
    has more."""

    ids: list[Id]
    is_cut: bool


def history(line: TimeLine[Id], window: Window, *, with_earlier: bool = True) -> History[Id]:
    """The entries of a time line in a window; with `with_earlier`, also a few earlier entries."""
    within = list(islice(line.newest(since=window.since, until=window.until, limit=MOST + 1), MOST + 1))
    if len(within) > MOST or not with_earlier or not window.since:
        return History(within[:MOST], is_cut=len(within) > MOST)
    before = islice(line.newest(before=window.since, limit=BEFORE), BEFORE)
    return History([*within, *before], is_cut=False)
