"""The pause before a retry doubles, within bounds, and has a random part."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.retry import backoff


@given(st.integers(0, 20), st.floats(0.001, 10), st.floats(0.001, 100), st.floats(0, 1))
def test_a_wait_is_within_its_bounds(attempt: int, first: float, most: float, least: float) -> None:
    longest = min(most, first * 2**attempt)
    assert least * longest <= backoff(attempt, first, most=most, least=least) <= longest


def test_without_chance_a_wait_doubles_with_each_try_up_to_the_longest() -> None:
    assert [backoff(attempt, 0.5, most=3, least=1) for attempt in range(5)] == [0.5, 1, 2, 3, 3]


def test_waits_after_the_same_try_are_spread() -> None:
    assert len({backoff(3, 1) for _ in range(10)}) > 1
