"""Ends child processes together with whatever they started. Each was started in a group (session) of its own."""

import os
import signal
import subprocess
from contextlib import suppress

SECONDS = 5

LEASH = 'exec 3<&0; { cat <&3 >/dev/null; kill -9 $$; } & exec "$@" </dev/null 3<&-'
"""Runs a command that cannot outlive us: standard input closes when we let go of it, or end in whatever way."""


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill what is left of the group that a child of ours leads."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
