"""The log of the process: a line for each fault, on stderr."""

import logging
import sys

from headwater import metrics
from headwater.log import MAX_REASON
from headwater.openlineage.redaction import redacted_text
from headwater.store.errors import CorruptItem

_log = logging.getLogger("headwater")


def write_to_stderr() -> None:
    """From here on, the log goes to stderr."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    _log.addHandler(handler)
    _log.setLevel(logging.INFO)


class ServeLog:
    """The log, as use cases write it: a fault is a warning, because the work is tried again."""

    def __call__(self, message: str, error: BaseException, /, *, run: str | None = None) -> None:
        of_run = f" (run {run})" if run else ""
        level = logging.ERROR if isinstance(error, CorruptItem) else logging.WARNING
        reason = f"{type(error).__name__}: {error}"[:MAX_REASON]
        _log.log(level, "%s", redacted_text(f"{message}{of_run}: {reason}"))

    def failure(self, message: str, error: BaseException) -> None:
        """Logs the error that a whole request or step fails for. A corrupt item is counted; any other error comes with
        its traceback."""
        if isinstance(error, CorruptItem):
            self(message, error)
            metrics.corrupt_items(1)
        else:
            _log.error(message, exc_info=error)

    def refused(self, status: int, reason: str) -> None:
        """Logs that a request with an event was refused."""
        _log.info("refused with status %d: %s", status, redacted_text(reason)[:MAX_REASON])
