"""Retries of calls to Glue: Glue throttles a whole account, and a grant of Lake Formation takes a moment to work."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from headwater.catalog.glue import Busy, CallRejected
from headwater.retry import backoff

Result = TypeVar("Result")

BUSY_TRIES = 5
REJECTED_TRIES = 2


@dataclass(frozen=True, slots=True)
class GlueRetry:
    """Waits between tries: `sleep` takes seconds, and `has_time` says whether there is time for another try."""

    sleep: Callable[[float], None]
    has_time: Callable[[], bool] = lambda: True

    def __call__(self, call: Callable[[], Result]) -> Result:
        """The result of a call. Raises Busy or CallRejected after the last try, and other errors at once."""
        tries = 0
        while True:
            try:
                return call()
            except (Busy, CallRejected) as error:
                tries += 1
                most = BUSY_TRIES if isinstance(error, Busy) else REJECTED_TRIES
                if tries >= most or not self.has_time():
                    raise
            self.sleep(backoff(tries, 0.2, least=0.5))
