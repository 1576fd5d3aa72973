"""Locks on files. The text of a locked file is the id of the process that holds the lock."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from headwater.cli.machine.failure import Failure


@contextmanager
def hold_lock(file: Path, next_step: str) -> Iterator[None]:
    """Hold the lock for the length of a `with` block. Raises Failure if another process holds it.

    The operating system releases the lock when its process ends, so a stale file with a process id locks nothing.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+", encoding="utf-8") as lock:
        if not try_lock(lock):
            lock.seek(0)
            raise Failure(f"process {lock.read()} runs already, with {file}", next_step)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        try:
            yield
        finally:
            lock.truncate(0)


def require_unlocked(file: Path, next_step: str) -> None:
    """Raise Failure if a process holds the lock."""
    if file.is_file():
        with hold_lock(file, next_step):
            pass


def try_lock(lock: TextIO) -> bool:
    """Take the lock if no process holds it, and return whether it was taken."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
