"""The servers of `headwater serve` that run here: each leaves a file with its URL for the commands of the same user.

Its process holds a lock on the file, which the system releases when the process ends, however it ends. So the file of a
killed process is known to be stale. The file has no key. Its name has that of the host, since a home folder may be
shared by several.
"""

import fcntl
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TextIO

from headwater.cli.failure import reason_of
from headwater.cli.refusal import BY_OPTIONS


def folder() -> Path:
    """Of the files. Raises RuntimeError if the user has no home."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "headwater" / "serve"


@contextmanager
def announced(url: str) -> Iterator[None]:
    """Let the commands of this user find the server at a URL, for the length of a `with` block."""
    with ExitStack() as held:
        try:
            held.enter_context(_file_with(url))
        except (OSError, RuntimeError) as error:  # no home, or one that cannot be written
            told = f"other commands do not find this server, and need {BY_OPTIONS.url}: {reason_of(error)}"
            print(told, file=sys.stderr)
        yield


def running() -> list[str]:
    """The URLs of the servers that run, the newest first."""
    found = []
    with suppress(OSError, RuntimeError):
        for path in folder().glob(f"{socket.gethostname()}-*.url"):
            with suppress(OSError):
                found += _server_of(path)
    return [url for _, url in sorted(found, reverse=True)]


@contextmanager
def _file_with(url: str) -> Iterator[None]:
    """The file of a server, locked before it has the name that is looked for. Raises OSError or RuntimeError."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    with NamedTemporaryFile("w", dir=folder(), prefix=f"{socket.gethostname()}-", suffix=".new", delete=False) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(url)
        file.flush()
        path = Path(file.name).rename(Path(file.name).with_suffix(".url"))
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def _server_of(path: Path) -> list[tuple[int, str]]:
    """When the server of a file started, and its URL. A stale file is removed. Raises OSError."""
    with path.open(encoding="utf-8") as file:
        if is_locked(file):
            return [(os.fstat(file.fileno()).st_mtime_ns, file.read())]
        path.unlink(missing_ok=True)
        return []


def is_locked(file: TextIO) -> bool:
    """Whether a process holds the lock on a file."""
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(file, fcntl.LOCK_UN)
    return False
