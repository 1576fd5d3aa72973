"""Concurrent calls: the reads of one request from many partitions take as long as the slowest read."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = 16
"""Half of the connections of an AWS client (store/aws.py)."""

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_thread = threading.local()


def concurrent_map(function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
    """The results of one call for each argument, in the order of the arguments. A single call takes no thread.

    Nested concurrent calls are made one after the other: if all threads of the pool waited for nested calls, no thread
    would be left for the nested calls.
    """
    calls = list(arguments)
    is_nested = getattr(_thread, "is_of_pool", False)
    return list((map if is_nested or len(calls) < 2 else _POOL.map)(function, calls))


def _mark_thread() -> None:
    _thread.is_of_pool = True


_POOL = ThreadPoolExecutor(max_workers=THREADS, initializer=_mark_thread)
