"""Calls that do not wait for each other: what one request asks of many partitions takes as long as the slowest."""

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

THREADS = 16
"""Half of the connections that a client of AWS keeps (store/aws.py)."""

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_thread = threading.local()


def concurrent_map(function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
    """The results of one call for each argument, in the order of the arguments. A lone call takes no thread.

    A call that makes such calls itself makes them one after the other: if all threads waited for calls of their own,
    no thread would be left to make them.
    """
    each = list(arguments)
    is_nested = getattr(_thread, "is_of_pool", False)
    return list((map if is_nested or len(each) < 2 else _POOL.map)(function, each))


def _mark_thread() -> None:
    _thread.is_of_pool = True


_POOL = ThreadPoolExecutor(max_workers=THREADS, initializer=_mark_thread)
