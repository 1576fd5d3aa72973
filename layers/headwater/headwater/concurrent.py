"""Calls that do not wait for each other: what one question asks of many partitions takes as long as the slowest."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Argument = TypeVar("Argument")
Result = TypeVar("Result")

_THREADS = ThreadPoolExecutor(max_workers=16)


def concurrent_map(function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
    """One call for each argument, in their order; a lone one without a thread. No call may make such calls itself:
    all threads could be waiting for one."""
    each = list(arguments)
    return list((_THREADS.map if len(each) > 1 else map)(function, each))
