"""`make down`: stops the stack that `make up` runs."""

import os
import signal
import time

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import say
from local.layout import Layout
from local.stack.lock import try_lock

DOWN_SECONDS = 60


def down(layout: Layout) -> None:
    """Stop the stack that `make up` runs from this folder, and wait for its end. Raises Failure."""
    deadline = time.monotonic() + DOWN_SECONDS
    layout.state.mkdir(exist_ok=True)
    with layout.up_lock.open("a+", encoding="utf-8") as lock:
        if try_lock(lock):
            lock.truncate(0)
            say("nothing is up")
            return
        lock.seek(0)
        os.kill(int(lock.read()), signal.SIGTERM)
        while time.monotonic() < deadline:
            if try_lock(lock):
                say("the stack is down")
                return
            time.sleep(0.1)
    process = layout.up_lock.read_text(encoding="utf-8")
    raise Failure(f"the stack did not stop within {DOWN_SECONDS} s", f"end process {process} yourself")
