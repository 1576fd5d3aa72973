"""The log of a function: each line has the function, the request id of the invocation and, if known, the run.

The line of a fault has a constant message and a `reason`. A CorruptItem is logged as an error, with the `key` of the
item and the `member` that cannot be read. Any other fault is a warning, because the work is retried.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol

from headwater import metrics
from headwater.store.errors import CorruptItem

MAX_REASON = 1_000

Handler = Callable[[dict[str, Any], Any], Any]


class FaultLog(Protocol):
    """Logs the faults that do not stop a use case."""

    def __call__(self, message: str, error: BaseException, /, *, run: str | None = None) -> None:
        """Logs a fault, with the run of the event or record."""


class FunctionLog:
    """The log of a function, by AWS Lambda Powertools."""

    def __init__(self) -> None:
        from aws_lambda_powertools import Logger

        self._logger = Logger()

    def __call__(self, message: str, error: BaseException, /, *, run: str | None = None) -> None:
        members = {"reason": f"{type(error).__name__}: {error}"[:MAX_REASON]} | ({"run": run} if run else {})
        if isinstance(error, CorruptItem):
            members |= {"key": "/".join(error.key), "member": error.member}
            self._logger.error(message, extra=members)
        else:
            self._logger.warning(message, extra=members)

    def failure(self, message: str, error: BaseException) -> None:
        """Logs the error that a whole invocation or request fails for. A corrupt item is counted; any other error comes
        with its traceback."""
        if isinstance(error, CorruptItem):
            self(message, error)
            metrics.corrupt_items(1)
        else:
            self._logger.error(message, exc_info=error)

    def info(self, message: str, **members: Any) -> None:
        self._logger.info(message, **members)

    def name_run(self, run: str) -> None:
        """From here on, each line of the invocation names this run."""
        self._logger.append_keys(run=run)

    def handler(self, handle: Handler) -> Handler:
        """A Lambda handler whose log lines have the request id. It logs a corrupt item before failing."""

        @wraps(handle)
        def logged(event: dict[str, Any], context: Any) -> Any:
            try:
                return handle(event, context)
            except CorruptItem as fault:
                self.failure("an item of the table cannot be read", fault)
                raise

        injected: Handler = self._logger.inject_lambda_context(logged, clear_state=True)
        return injected
