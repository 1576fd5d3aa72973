"""A thread that does a piece of work again and again: after a pause, or as soon as it is woken."""

import threading
from collections.abc import Callable

from headwater.concurrent import make_sequential
from headwater.retry import backoff
from headwater.serve.log import ServeLog

MAX_PAUSE_SECONDS = 30.0

Step = Callable[[], float]
"""A piece of work. Returns the seconds until the next: 0 if there is more to do at once."""


class Worker:
    """A thread for a step. A step that fails is logged, and tried again after a pause that grows."""

    def __init__(self, name: str, step: Step, log: ServeLog, first_after: float = 0) -> None:
        self._name = name
        self._step = step
        self._log = log
        self._pause = first_after
        self._woken = threading.Event()
        self._is_stopped = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wake(self) -> None:
        """Ends the pause."""
        self._woken.set()

    def stop(self) -> None:
        """Returns once the step that is under way has ended."""
        self._is_stopped = True
        self.wake()
        self._thread.join()

    def _run(self) -> None:
        make_sequential()  # its reads are of a file, and its loops give way
        failures, pause = 0, self._pause
        while True:
            self._woken.wait(pause)
            self._woken.clear()
            if self._is_stopped:
                return
            try:
                pause = self._step()
                failures = 0
            except Exception as error:  # noqa: BLE001 - the process goes on, and so does the work
                self._log.failure(f"{self._name} failed, and is tried again", error)
                pause = backoff(failures, 0.1, most=MAX_PAUSE_SECONDS, least=0.5)
                failures += 1
