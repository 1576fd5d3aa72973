"""The emulator as a child process that ends with its parent: `python -m local.emulator.child`.

The parent holds the other end of standard input. The pipe closes when the parent closes it, or when the parent ends in
any way. Then the emulator stops as on SIGTERM, and saves its state. From the first byte in the pipe on, the emulator
also saves its state while it runs.
"""

import asyncio
import os
import select
import signal
import sys
import threading
import time
import zipfile
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

from ministack import app  # type: ignore[import-untyped]
from ministack.app import main as run_ministack  # type: ignore[import-untyped]
from ministack.core import lambda_runtime  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import Worker  # type: ignore[import-untyped]
from ministack.core.lambda_runtime import reset as end_lambda_processes
from ministack.services import apigateway  # type: ignore[import-untyped]

LOG_WAIT_SECONDS = (0.001, 0.005, 0.250)
"""Workaround: log-wait. The emulator waits for the log of a function after an invocation: for the first line, for each
further line, and in total. Its own default for the first line is 50 ms, twice a request."""

SAVE_SECONDS = 5.0
"""Workaround: saved-at-end. The pause between two saves of the state, at least."""
PAUSE_FACTOR = 10
"""A pause is this many times as long as the save before: no request is answered during a save."""


def follow_parent() -> None:
    """Save the state from the first byte in standard input on, and stop the emulator when standard input closes.

    Workaround: open-connections. The Lambda processes end first, since their idle TLS connections delay the shutdown.
    """
    parent, pause = sys.stdin.fileno(), None
    while not select.select([parent], [], [], pause)[0] or os.read(parent, 1):
        pause = max(SAVE_SECONDS, PAUSE_FACTOR * save())
    end_lambda_processes()
    os.kill(os.getpid(), signal.SIGTERM)


def save() -> float:
    """Save the state of all services, and return the seconds that it took.

    It is saved on the loop of the emulator: no request changes an item meanwhile. A file replaces the one before as a
    whole, and the table's comes before the queue's: if the emulator is killed between the two, a message of the queue
    is folded once more, which does no harm.
    """

    async def on_loop() -> None:
        app.save_all(app._build_persistence_save_dict())  # noqa: SLF001 - MiniStack has no call for it

    start = time.monotonic()
    asyncio.run_coroutine_threadsafe(on_loop(), app._MAIN_LOOP).result()  # noqa: SLF001
    return time.monotonic() - start


class BinaryHeaders(dict[str, str]):
    """The headers of a request whose body is not text: anyone who asks only for the content type learns so."""

    def get(self, name: str, default: Any = None) -> Any:
        return "application/octet-stream" if name == "content-type" else super().get(name, default)


def mark_binary_bodies() -> None:
    """Workaround: binary-bodies. The emulator asks for the content type to decide how a body reaches a function. A body
    that is not UTF-8, such as gzip, reaches the function in base64, with the headers that the client sent."""
    invoke = apigateway._invoke_lambda_proxy  # noqa: SLF001

    @wraps(invoke)
    async def with_intact_body(*request: Any, **context: Any) -> Any:
        place, (headers, body), more = request[:5], request[5:7], request[7:]
        sent = headers if not body or is_text(body) else BinaryHeaders(headers)
        return await invoke(*place, sent, body, *more, **context)

    apigateway._invoke_lambda_proxy = with_intact_body  # noqa: SLF001


class SharedPackage(zipfile.ZipFile):
    """Workaround: unpacked-packages. Each Lambda process unpacks its function and its layers, 20 MB, into a folder of
    its own, and compiles all modules anew. Here, processes with the same package have one folder with its files and
    their bytecode, and links to it."""

    folder = TemporaryDirectory(prefix="headwater-packages-")
    lock = threading.Lock()

    def extractall(self, path: Any = None, *_: Any) -> None:
        content = hash(tuple((file.filename, file.CRC) for file in self.infolist()))
        unpacked = Path(self.folder.name, f"{content:x}")
        with self.lock:
            if not unpacked.is_dir():
                super().extractall(unfinished := unpacked.with_suffix(".unfinished"))
                unfinished.rename(unpacked)
        for file in unpacked.iterdir():
            Path(path, file.name).symlink_to(file)


def is_text(body: bytes) -> bool:
    """Whether the body is UTF-8. Gzip never is: its second byte, 0x8b, cannot follow its first."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def main() -> None:
    mark_binary_bodies()
    lambda_runtime.zipfile = SimpleNamespace(**{**vars(zipfile), "ZipFile": SharedPackage})
    sys.argv = ["ministack"]
    Worker._drain_stderr_bounded.__defaults__ = LOG_WAIT_SECONDS  # noqa: SLF001 - MiniStack has no setting for it
    threading.Thread(target=follow_parent, daemon=True).start()
    run_ministack()


if __name__ == "__main__":
    main()
