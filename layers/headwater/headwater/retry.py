"""The pause before a retry."""

import math
import random


def backoff(attempt: int, first: float, *, most: float = math.inf, least: float = 0) -> float:
    """The seconds to wait after an attempt. The first attempt has number 0.

    The pause is `first`, doubles with each attempt, and is at most `most`. A random share of the pause, at least
    `least`, is returned, because several callers must not retry at the same time.
    """
    return random.uniform(least, 1) * min(most, first * 2.0**attempt)  # noqa: S311 - spreads callers, keeps no secret
