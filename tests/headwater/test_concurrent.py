"""Concurrent calls: their order, their threads, and calls within calls."""

import threading
import time

import pytest

from headwater.concurrent import THREADS, concurrent_map


def test_results_are_in_the_order_of_the_arguments() -> None:
    def slower_first(number: int) -> int:
        time.sleep((3 - number) / 100)
        return number * number

    assert concurrent_map(slower_first, range(4)) == [0, 1, 4, 9]


def test_calls_do_not_wait_for_each_other() -> None:
    together = threading.Barrier(4, timeout=5)
    assert sorted(concurrent_map(lambda _: together.wait(), range(4))) == [0, 1, 2, 3]


def test_a_lone_call_takes_no_thread() -> None:
    assert concurrent_map(lambda _: threading.get_ident(), ["lone"]) == [threading.get_ident()]
    assert concurrent_map(lambda _: threading.get_ident(), []) == []


def test_a_call_within_a_call_stays_in_its_thread() -> None:
    def within(_: int) -> tuple[int, list[int]]:
        return threading.get_ident(), concurrent_map(lambda _: threading.get_ident(), range(3))

    for outer, inner in concurrent_map(within, range(2)):
        assert outer != threading.get_ident()
        assert inner == [outer] * 3


def test_more_calls_within_calls_than_there_are_threads_come_to_an_end() -> None:
    def within(number: int) -> int:
        return sum(concurrent_map(lambda factor: factor * number, range(4)))

    assert concurrent_map(within, range(4 * THREADS)) == [6 * number for number in range(4 * THREADS)]


def test_an_error_in_a_call_is_raised() -> None:
    def fails(number: int) -> int:
        if number == 1:
            raise LookupError("of call 1")
        return number

    with pytest.raises(LookupError, match="of call 1"):
        concurrent_map(fails, range(3))
