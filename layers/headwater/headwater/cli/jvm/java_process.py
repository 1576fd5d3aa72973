"""A server in Java as a child process: it ends with its parent, and is ready when it answers."""

import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headwater.cli.jvm.jars import tail
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.process_group import EXIT_WITH_PARENT, end_group

READY_SECONDS = 90
QUICK = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Options of a JVM that starts fast on a small machine."""


@dataclass
class JavaProcess:
    """A server. `name` is what a failure calls it; `log` gets its output; `ask` raises OSError until it is ready."""

    name: str
    log: Path
    ask: Callable[[], object]
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def start(self, command: Sequence[str]) -> None:
        """Start the server. Returns when it is ready. Raises Failure."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", EXIT_WITH_PARENT, "sh", *command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        deadline = time.monotonic() + READY_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                self.ask()
            except OSError:
                time.sleep(0.1)
            else:
                return
        self.kill()
        text = self.log.read_text(encoding="utf-8", errors="replace")
        reason = f"{self.name} was not ready within {READY_SECONDS} s, or ended:\n{tail(text)}"
        raise Failure(reason, f"read {self.log}")

    def kill(self) -> None:
        """End the server as `kill -9` does."""
        if self._process:
            end_group(self._process)
            self._process = None
