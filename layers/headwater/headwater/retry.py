"""How long to wait before another try."""

import math
import random


def backoff(attempt: int, first: float, *, most: float = math.inf, least: float = 0) -> float:
    """Seconds to wait after a try, of which the first is number 0: `first`, twice as long after each further try, but
    not longer than `most`. A random part of that, of at least `least`, keeps callers from trying again together.
    """
    return random.uniform(least, 1) * min(most, first * 2.0**attempt)  # noqa: S311 - spreads callers, keeps no secret
