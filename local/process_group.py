"""Ends child processes together with whatever they started. Each was started in a group (session) of its own."""

import os
import signal
import subprocess
from contextlib import suppress

SECONDS = 5


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group that a child of ours leads."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
