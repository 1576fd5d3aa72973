"""Which work of the process goes first: its threads compute in turns, and short work should not wait for long work.

    SHORT    a lookup, until it has computed for 25 ms
    MIDDLE   one that has computed for longer
    LONG     one that has computed for 100 ms; events, as they are read and as they are folded; the sweep

Where its loops `give_way`, work waits while work of a lower rank is under way: for three times as long as it computes,
at most. So it always has a quarter of the time.
"""

import threading
import time
from collections.abc import Callable
from enum import IntEnum
from functools import partial
from typing import TypeVar

from headwater.concurrent import give_way_by

Result = TypeVar("Result")


class Rank(IntEnum):
    SHORT = 0
    MIDDLE = 1
    LONG = 2


SECONDS = (0.025, 0.1)
"""The CPU time after which work has the next rank. A graph of a thousand nodes is long."""
STEP_SECONDS = 0.001
"""How often work looks whether other work is under way."""
FIRST_WAIT_SECONDS, WAIT_FOR_COMPUTED = 0.05, 3
"""How long work waits at most: at first, and for the CPU time that it has taken."""


def rank_after(seconds: float) -> Rank:
    """The rank of work that has computed for so long."""
    return Rank(sum(seconds > limit for limit in SECONDS))


class Precedence:
    """Counts the work that is under way, by its rank."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way = [0] * len(Rank)

    def begin(self, rank: Rank) -> "Work":
        """Work of a rank, for which others wait until its `end`."""
        with self._changed:
            self._under_way[rank] += 1
        return Work(self, rank)

    def behind(self, step: Callable[[], Result]) -> Callable[[], Result]:
        """A step of a worker that gives way to all requests but long ones."""

        def run() -> Result:
            work = self.begin(Rank.LONG)
            try:
                return work.run(step)
            finally:
                work.end()

        return run

    def move(self, work: "Work", rank: Rank | None) -> None:
        """Gives work another rank; None: it has ended, though its thread may go on if its client has gone."""
        with self._changed:
            if work.rank is not None:
                self._under_way[work.rank] -= 1
                work.rank = rank
                if rank is not None:
                    self._under_way[rank] += 1
                self._changed.notify_all()

    def is_first(self, rank: Rank) -> bool:
        """Whether no work of a lower rank is under way."""
        return not any(self._under_way[:rank])

    def wait(self, rank: Rank, seconds: float) -> None:
        """Waits until no work of a lower rank is under way, or for some seconds."""
        with self._changed:
            self._changed.wait_for(partial(self.is_first, rank), seconds)


class Work:
    """A piece of work that a thread runs. `computed` is the CPU time that it has taken, in seconds."""

    def __init__(self, precedence: Precedence, rank: Rank) -> None:
        self._precedence = precedence
        self.rank: Rank | None = rank
        self._first = rank
        self._began = self._looked = self._waited = 0.0
        self.computed = 0.0

    def run(self, work: Callable[[], Result]) -> Result:
        """The result of the work, whose loops give way."""
        self._began = time.thread_time()
        give_way_by(self._give_way)
        try:
            self._give_way()
            return work()
        finally:
            give_way_by(None)
            self.computed = time.thread_time() - self._began

    def end(self) -> None:
        self._precedence.move(self, None)

    def _give_way(self) -> None:
        if time.monotonic() - self._looked < STEP_SECONDS:
            return
        self.computed = time.thread_time() - self._began
        rank = max(self._first, rank_after(self.computed))
        if rank != self.rank:
            self._precedence.move(self, rank)
        left = FIRST_WAIT_SECONDS + WAIT_FOR_COMPUTED * self.computed - self._waited
        if left > 0 and not self._precedence.is_first(rank):
            began = time.monotonic()
            self._precedence.wait(rank, left)
            self._waited += time.monotonic() - began
        self._looked = time.monotonic()
