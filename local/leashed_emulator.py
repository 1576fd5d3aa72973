"""The emulator as a child process that cannot outlive its parent: `python -m local.leashed_emulator`.

Standard input is the leash. It closes when the parent lets go of it, or ends in whatever way, and the emulator then
stops as it would on SIGTERM, saving its state. Its Lambda processes are ended first: their idle TLS connections would
hold up the shutdown for half a minute.
"""

import os
import signal
import sys
import threading

from ministack.app import main as run_emulator  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import Worker  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import reset as end_lambda_processes

FIRST_LOG_LINE_SECONDS = 0.001
"""How long the emulator waits, after each invocation, for what a function that logged nothing may log yet: 50 ms as it
comes, twice in each request, of which AWS has none."""


def stop_when_let_go() -> None:
    os.read(sys.stdin.fileno(), 1)
    end_lambda_processes()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    sys.argv = ["ministack"]
    Worker._drain_stderr_bounded.__defaults__ = (FIRST_LOG_LINE_SECONDS, 0.005, 0.250)  # noqa: SLF001 - it has no setting
    threading.Thread(target=stop_when_let_go, daemon=True).start()
    run_emulator()


if __name__ == "__main__":
    main()
