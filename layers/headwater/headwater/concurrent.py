"""Concurrent calls: the reads of one request from many partitions take as long as the slowest read.

And threads that compute by turns: long work gives way to short work, where a process has both.
"""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = 16
"""Half of the connections of an AWS client (store/aws/client.py)."""

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_thread = threading.local()


def concurrent_map(function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
    """The results of one call for each argument, in the order of the arguments. A single call uses no thread.

    Nested concurrent calls are made one after the other: if every thread of the pool waited for nested calls, none
    would be left to run them.
    """
    calls = list(arguments)
    is_sequential = getattr(_thread, "is_sequential", False)
    return list((map if is_sequential or len(calls) < 2 else _POOL.map)(function, calls))


def make_sequential() -> None:
    """Makes the calls of this thread one after the other: a thread of the pool, or one whose calls never wait, such as
    reads of a local file."""
    _thread.is_sequential = True


def give_way() -> None:
    """The loops of long work call it at each step: the thread may wait here until shorter work has ended."""
    if pause := getattr(_thread, "pause", None):
        pause()


def give_way_by(pause: Callable[[], object] | None) -> None:
    """What this thread does where it gives way; None: nothing."""
    _thread.pause = pause


_POOL = ThreadPoolExecutor(max_workers=THREADS, initializer=make_sequential)
