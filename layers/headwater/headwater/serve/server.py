"""Runs the process: one file, one port, until SIGTERM or Ctrl-C."""

import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import uvicorn

from headwater.process_settings import read_settings
from headwater.serve.alerting import Receiver
from headwater.serve.application import Application, Options
from headwater.serve.connection import Connection
from headwater.serve.log import write_to_stderr
from headwater.serve.receivers import Console, Topic, Webhook
from headwater.store.errors import StorageError
from headwater.store.home import Home
from headwater.store.sqlite.database import Database, RefusedDatabase, held, sole_use
from headwater.store.sqlite.home import SqliteHome

BACKLOG = 2_048
DRAIN_SECONDS = 10
"""How long requests that are under way may take after SIGTERM."""


class NoAddress(Exception):
    """The host and port cannot be listened at."""


@dataclass(frozen=True)
class Start:
    """The options of the command."""

    data: Path
    host: str
    port: int
    is_open: bool = False
    public_url: str | None = None
    webhook: str | None = None
    topic: str | None = None

    @property
    def receivers(self) -> Sequence[Receiver]:
        webhooks: list[Receiver] = [Webhook(self.webhook)] if self.webhook else []
        topics: list[Receiver] = [Topic(self.topic)] if self.topic else []
        return [Console(), *webhooks, *topics]


class Served(NamedTuple):
    """A server in the background: where it is, and how many of the events it took are not folded yet."""

    url: str
    events_to_fold: Callable[[], int]


def run(start: Start, say: Callable[[str], None], announced: Callable[[str], AbstractContextManager[None]]) -> None:
    """Runs until SIGTERM or Ctrl-C, with its URL announced. Raises RefusedDatabase, BadEnvironment or NoAddress."""
    with _opened(start, start.receivers) as (application, home, listener, url), announced(url):
        gc.freeze()  # imported modules stay: the collector need not look at them
        # Lookups wait for the collector: beside large graphs 1 and 25 ms each time, with
        # (50_000, 10, 10) 20 and 105 ms, and as long in all.
        gc.set_threshold(5_000, 20, 50)
        # A lookup waits for the interpreter after each read of the file: by default 5 ms each time if others compute.
        sys.setswitchinterval(0.0005)
        server = _server_of(application)
        _end_on_signals(server)
        say(_greeting(start, url, home))
        application.start()
        server.run(sockets=[listener])
        application.stop()


@contextmanager
def in_background(start: Start, *receivers: Receiver) -> Iterator[Served]:
    """Serves in a thread while a `with` block runs; `receivers` get the alerts. Raises what `run` raises."""
    with _opened(start, receivers) as (application, _, listener, url):
        server = _server_of(application)
        thread = threading.Thread(target=server.run, args=([listener],), name="server")
        application.start()
        thread.start()
        try:
            yield Served(url, application.events_to_fold)
        finally:
            server.should_exit = True
            thread.join()
            application.stop()


@contextmanager
def _opened(start: Start, receivers: Sequence[Receiver]) -> Iterator[tuple[Application, Home, socket.socket, str]]:
    """The parts of the process over the file, and where it listens."""
    settings = read_settings()
    write_to_stderr()
    with ExitStack() as stack:
        stack.enter_context(sole_use(start.data))
        was_cut_off = Path(f"{start.data}-wal").exists()
        home = stack.enter_context(closing(SqliteHome(start.data)))
        stack.enter_context(held(start.data))
        listener = stack.enter_context(closing(_listen(start)))
        _require_writable(start.data, home.database)
        if was_cut_off and (found := home.database.faults("quick_check")):
            raise RefusedDatabase(f"{start.data} is damaged: {found[0]}; restore a copy (headwater check says more)")
        port = listener.getsockname()[1]
        url = f"http://{f'[{start.host}]' if ':' in start.host else start.host}:{port}"
        options = Options(
            (start.public_url or url).rstrip("/"), start.is_open, receivers, start.data.parent / "headwater.yml"
        )
        yield Application(home, settings, options), home, listener, url


def _require_writable(data: Path, database: Database) -> None:
    """Raises RefusedDatabase for a file that can only be read."""
    try:
        database.write_forms(database.forms)
    except StorageError as error:
        raise RefusedDatabase(f"{data} cannot be written: {error}; allow it, or name another file") from error


def _server_of(application: Application) -> uvicorn.Server:
    config = uvicorn.Config(
        application.app,
        lifespan="off",
        interface="asgi3",
        http=Connection,
        ws="none",
        access_log=False,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=DRAIN_SECONDS,
    )
    return uvicorn.Server(config)


def _end_on_signals(server: uvicorn.Server) -> None:
    """Handles signals before uvicorn does, and after uvicorn has ended: then it raises the signal once more."""

    def end(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


def _listen(start: Start) -> socket.socket:
    family = socket.AF_INET6 if ":" in start.host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((start.host, start.port))
        listener.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = error.strerror if isinstance(error, OSError) else "a port is 0 to 65535"
        raise NoAddress(f"{start.host}:{start.port} cannot be listened at: {reason}; pass another --port") from error
    return listener


def _greeting(start: Start, url: str, home: Home) -> str:
    lines = [f"Headwater serves {start.data} at {url}"]
    if start.is_open:
        lines.append("  open: every request of this machine is permitted")
    elif keys := len(home.api_keys.entries()):
        lines.append(f"  {keys} {'key' if keys == 1 else 'keys'}")
    else:
        lines.append(f"  no key yet, so no request is permitted: headwater key add NAME --data {start.data}")
    if home.has_former_forms:
        lines.append(
            "  items are written as by the release before, so that you can go back to it; once you will not, stop this "
            f"server and run: headwater upgrade {start.data}"
        )
    return "\n".join(lines)
