"""Threads for requests, of which each key has its share: no key keeps the others waiting.

    key a    1st request       answered at once
             2nd ...           answered at once while few are and no other key has asked of late, else one after the
                               other, in turn with other keys
    key b    1st request       answered at once, also while others of a wait; if its last one computed for long, in turn
                               with other such keys

The key is the text in the headers, valid or not. Without a key, the answer comes at once: an error, or a file.
"""

import asyncio
import math
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from headwater.concurrent import make_sequential
from headwater.serve.precedence import Precedence, Rank, Work, rank_after

Result = TypeVar("Result")

LONG_SECONDS = 0.25
"""The CPU time of a long request: a graph of some thousand nodes. Keys with long requests are answered one at a time,
since all threads compute in turns, and work gives way only now and then."""


class ShareUsed(Exception):
    """Too many requests of the key wait already."""


@dataclass
class Shares:
    """A pool of `threads`. A key's request is answered if it is its only one, or if fewer than `at_once` of all keys
    are and no other key has asked for `quiet` seconds: a client that waits for each answer before it asks anew has no
    request here in between. A key whose last request was long waits while another such key is answered. Up to
    `most_waiting` requests of a key wait for their turn, and the next is refused. Only the event loop uses
    it."""

    name: str
    threads: int
    at_once: int
    most_waiting: int
    quiet: float = 0
    precedence: Precedence = field(default_factory=Precedence)

    def __post_init__(self) -> None:
        self._pool = ThreadPoolExecutor(self.threads, self.name, make_sequential)
        self._newest: tuple[str, float] = ("", -math.inf)
        self._before = -math.inf  # when a key other than the newest one last asked
        self._took: dict[str, float] = {}  # by key: the CPU time of its last request, if that was not short
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def run(self, key: str | None, work: Callable[[], Result], least: Rank = Rank.SHORT) -> Result:
        """The result of a piece of work in a thread, once it is the key's turn. It begins with the rank `least`, or
        with that of work which has computed for as long as the key's last request did. Raises ShareUsed."""
        loop = asyncio.get_running_loop()
        if key is None:
            return await self._run("", work, least)
        self._note(key)
        if key not in self._waiting and self._has_place(key):
            self._running[key] += 1
        else:
            await self._turn(key, loop)
        try:
            return await self._run(key, work, least)
        finally:
            self._end(key)

    def close(self) -> None:
        self._pool.shutdown()

    async def _run(self, key: str, work: Callable[[], Result], least: Rank) -> Result:
        rank, pieces = max(least, rank_after(self._took.get(key, 0))), list[Work]()

        def answer() -> Result:  # while it waits for a thread, nobody waits for it
            pieces.append(piece := self.precedence.begin(rank))
            try:
                return piece.run(work)
            finally:
                piece.end()

        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, answer)
        finally:
            self._took.pop(key, None)
            for piece in pieces:
                piece.end()  # its client may have gone
                if key and rank_after(piece.computed):
                    self._took[key] = piece.computed

    def _is_long(self, key: str) -> bool:
        return self._took.get(key, 0) > LONG_SECONDS

    def _note(self, key: str) -> None:
        """Notes who asks, and when."""
        newest, asked = self._newest
        self._before = self._before if key == newest else asked
        self._newest = key, time.monotonic()

    def _has_place(self, key: str) -> bool:
        if not self._running[key]:
            return not self._is_long(key) or not any(map(self._is_long, self._running))
        return self._running.total() < self.at_once and self._is_alone(key)

    def _is_alone(self, key: str) -> bool:
        newest, asked = self._newest
        return time.monotonic() - (self._before if key == newest else asked) >= self.quiet

    async def _turn(self, key: str, loop: asyncio.AbstractEventLoop) -> None:
        waiting = self._waiting.setdefault(key, deque())
        if len(waiting) >= self.most_waiting:
            raise ShareUsed
        place: asyncio.Future[None] = loop.create_future()
        waiting.append(place)
        await place

    def _end(self, key: str) -> None:
        """Gives the place to those that wait, the keys in turn."""
        self._running[key] -= 1
        if not self._running[key]:
            del self._running[key]
        for other in list(self._waiting):
            while other in self._waiting and self._has_place(other):
                self._begin_next(other)

    def _begin_next(self, key: str) -> None:
        waiting = self._waiting.pop(key)
        while waiting and (first := waiting.popleft()):
            if not first.done():  # else its request was cancelled, and takes no place
                self._running[key] += 1
                first.set_result(None)
                break
        if waiting:
            self._waiting[key] = waiting
