"""The emulator as a child process that ends with its parent: `python -m local.emulator.child`.

The parent holds the other end of standard input. The pipe closes when the parent closes it, or when the parent ends in
any way. Then the emulator stops as on SIGTERM, and saves its state.
"""

import os
import signal
import sys
import threading

from ministack.app import main as run_ministack  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import Worker  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import reset as end_lambda_processes

LOG_WAIT_SECONDS = (0.001, 0.005, 0.250)
"""Workaround: log-wait. The emulator waits for the log of a function after an invocation: for the first line, for each
further line, and in total. Its own default for the first line is 50 ms, twice a request."""


def stop_with_parent() -> None:
    """Stop the emulator when standard input closes.

    Workaround: open-connections. The Lambda processes end first, since their idle TLS connections delay the shutdown.
    """
    os.read(sys.stdin.fileno(), 1)
    end_lambda_processes()
    os.kill(os.getpid(), signal.SIGTERM)


def main() -> None:
    sys.argv = ["ministack"]
    Worker._drain_stderr_bounded.__defaults__ = LOG_WAIT_SECONDS  # noqa: SLF001 - MiniStack has no setting for it
    threading.Thread(target=stop_with_parent, daemon=True).start()
    run_ministack()


if __name__ == "__main__":
    main()
