"""Threads for requests, of which each key has its share: no key keeps the others waiting.

    key a    1st request       answered at once
             2nd ...           answered at once while few are, else one after the other, in turn with other keys
    key b    1st request       answered at once, also while others of a wait

The key is the text in the headers, valid or not. Without a key, the answer comes at once: an error, or a file.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")


class ShareUsed(Exception):
    """Too many requests of the key wait already."""


class Shares:
    """A pool of `threads`. A key's request is answered if it is its only one, or if fewer than `at_once` of all keys
    are. Up to `most_waiting` requests of a key wait for their turn, and the next is refused. Only the event loop uses
    it."""

    def __init__(
        self, name: str, threads: int, at_once: int, most_waiting: int, initializer: Callable[[], None] | None = None
    ) -> None:
        self._pool = ThreadPoolExecutor(threads, name, initializer)
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def run(self, key: str | None, work: Callable[[], Result]) -> Result:
        """The result of a piece of work in a thread, once it is the key's turn. Raises ShareUsed."""
        loop = asyncio.get_running_loop()
        if key is None:
            return await loop.run_in_executor(self._pool, work)
        if self._has_place(key):
            self._running[key] += 1
        else:
            await self._turn(key, loop)
        try:
            return await loop.run_in_executor(self._pool, work)
        finally:
            self._end(key)

    def close(self) -> None:
        self._pool.shutdown()

    def _has_place(self, key: str) -> bool:
        return not self._running[key] or self._running.total() < self._at_once

    async def _turn(self, key: str, loop: asyncio.AbstractEventLoop) -> None:
        waiting = self._waiting.setdefault(key, deque())
        if len(waiting) >= self._most_waiting:
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
            if self._has_place(other):
                waiting = self._waiting.pop(other)
                while waiting and (first := waiting.popleft()):
                    if not first.done():  # else its request was cancelled, and takes no place
                        self._running[other] += 1
                        first.set_result(None)
                        break
                if waiting:
                    self._waiting[other] = waiting
