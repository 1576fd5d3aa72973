"""The pause before a retry, and the deadline until which a call is tried again."""

import math
import random
import time
from collections.abc import Callable

FIRST_WAIT_SECONDS, LONGEST_WAIT_SECONDS = 0.1, 5.0


def backoff(attempt: int, first: float, *, most: float = math.inf, least: float = 0) -> float:
    """The seconds to wait after an attempt. The first attempt has number 0.

    The pause is `first`, doubles with each attempt, and is at most `most`. What is returned is a random share of it, at
    least `least`, so that callers do not all retry at once.
    """
    return random.uniform(least, 1) * min(most, first * 2.0**attempt)  # noqa: S311 - spreads callers, keeps no secret


class Deadline:
    """The end of an invocation: throttles are waited out until then, and work that takes longer ends in time.

    A function stopped by its timeout reports nothing, so its whole batch stays hidden for the queue's visibility
    timeout. A fold that stops by itself fails only its own messages. What it has written stays, and the next delivery
    continues from there.

    Without `begin`, nothing waits and nothing ends early: functions behind the API answer 503 instead.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._end = math.nan

    def begin(self, seconds: float) -> None:
        """An invocation begins, and has so many seconds."""
        self._end = self._clock() + seconds

    @property
    def seconds_left(self) -> float:
        """Not a number without `begin`."""
        return self._end - self._clock()

    def within(self, seconds: float) -> "Deadline":
        """Another deadline by the same clock, which begins now."""
        other = Deadline(self._clock, self._sleep)
        other.begin(seconds)
        return other

    @property
    def is_over(self) -> bool:
        return self._clock() >= self._end

    def waits(self, attempt: int) -> bool:
        """Waits before another attempt. False, at once, if there is no time for the pause."""
        pause = backoff(attempt, FIRST_WAIT_SECONDS, most=LONGEST_WAIT_SECONDS, least=0.5)
        has_time = self._clock() + pause < self._end
        if has_time:
            self._sleep(pause)
        return has_time
