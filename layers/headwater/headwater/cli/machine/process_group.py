"""Child processes that lead a process group of their own. The group ends as a whole."""

import os
import signal
import subprocess
from contextlib import suppress

SECONDS = 5

EXIT_WITH_PARENT = 'exec 3<&0; { cat <&3 >/dev/null; kill -9 $$; } & exec "$@" </dev/null 3<&-'
"""A shell script that runs its arguments as a command, and kills the command when standard input closes. The parent
holds the other end of this pipe, so the command also ends if the parent is killed."""


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill the process group of a child."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(SECONDS)
