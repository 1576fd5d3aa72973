"""One stack of a kind a folder: a lock on a file says whether it runs, and the file which process it is."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from local.failure import Failure


@contextmanager
def holding(file: Path, next_step: str) -> Iterator[None]:
    """Hold the lock, with this process's id in the file. Raises Failure if another process holds it.

    A lock ends with its process, so that neither a stale file nor another process of the same id is taken for it.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a+", encoding="utf-8") as lock:
        if not is_free(lock):
            lock.seek(0)
            raise Failure(f"process {lock.read()} runs already, with {file}", next_step)
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        try:
            yield
        finally:
            lock.truncate(0)


def require_free(file: Path, next_step: str) -> None:
    """Raise Failure if a process holds the lock."""
    if file.is_file():
        with holding(file, next_step):
            pass


def is_free(lock: TextIO) -> bool:
    """Take the lock if nobody has it, and tell whether that worked."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
