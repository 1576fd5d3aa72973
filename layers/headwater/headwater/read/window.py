"""A stretch of time, and what a partition has in it: the runs of a job, the versions of a dataset, or its checks."""

from itertools import islice
from typing import NamedTuple

from headwater.openlineage.instant import Instant
from headwater.store.keys import Key
from headwater.store.table import LOWEST, Table

MOST = 50
"""Runs of a job, versions of a dataset or checks of it that are looked at; of more, the newest."""
BEFORE = 5
"""Those from before the window, to compare its first with; several, since a run that failed may have said little."""

_END = ":"
"""Behind every time: each begins with a digit."""


class Window(NamedTuple):
    """From one moment to another; `since` may be NEVER, for all that is known, and `until` None, for now."""

    since: Instant
    until: Instant | None

    @property
    def end(self) -> str:
        """Behind the last place in the index by time that is within."""
        return f"{self.until}$" if self.until else _END

    def has(self, moment: Instant) -> bool:
        return moment >= self.since and not (self.until and moment > self.until)


class History(NamedTuple):
    """The keys of what a partition has in a window, newest first, then a few from before; `is_cut` if it has more."""

    keys: list[Key]
    is_cut: bool


def history(table: Table, pk: str, window: Window, prefix: str = "") -> History:
    """What a partition has whose place in the index by time begins so; of checks (`QUALITY`) nothing from before."""
    since = prefix + (window.since or LOWEST)
    newest = table.newest(pk, before=prefix + window.end, after=since, limit=MOST + 1)
    within = list(islice(newest, MOST + 1))
    if len(within) > MOST or prefix or not window.since:
        return History(within[:MOST], is_cut=len(within) > MOST)
    before = islice(table.newest(pk, before=since, limit=BEFORE), BEFORE)
    return History([*within, *before], is_cut=False)
