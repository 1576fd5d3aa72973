"""Spark as a child process: its output, its signals and its exit status are those of a program in the foreground."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import IO, TextIO

from headwater.cli.submit.listener_log import LineReader, ListenerLog

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DRAIN_SECONDS = 5
"""How long the outputs are read after the end, if a process that Spark started keeps them open."""
PIECE = 65_536


def run(command: list[str], environment: Mapping[str, str], log: ListenerLog) -> int:
    """Run Spark to its end, and return the exit status as a shell does. The log reads what Spark writes."""
    with forwarded_signals() as signals:
        process = subprocess.Popen(  # noqa: S603 - the user's own program
            command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        signals.go_to(process)
        outputs = ((process.stdout, sys.stdout, log.output), (process.stderr, sys.stderr, log.errors))
        copiers = [threading.Thread(target=copy, args=output, daemon=True) for output in outputs]
        for copier in copiers:
            copier.start()
        status = wait_for(process)
        deadline = time.monotonic() + DRAIN_SECONDS
        for copier in copiers:
            copier.join(max(0, deadline - time.monotonic()))
    return 128 - status if status < 0 else status


def wait_for(process: "subprocess.Popen[bytes]") -> int:
    """The exit status. A signal that comes just before Python blocks is heard when it no longer does: it never blocks
    for long."""
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.wait(timeout=1)


@dataclass
class Signals:
    """Passes signals on to a child; those that come before there is one, as soon as there is.

    A terminal sends Ctrl-C to the child, too. The second SIGINT does no harm: Java is already ending.
    """

    child: subprocess.Popen[bytes] | None = None
    early: list[int] = field(default_factory=list)

    def receive(self, number: int, _: FrameType | None) -> None:
        if self.child is None:
            self.early.append(number)
        else:
            self.child.send_signal(number)

    def go_to(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        for number in self.early:
            child.send_signal(number)


@contextmanager
def forwarded_signals() -> Iterator[Signals]:
    signals = Signals()
    heard = [number for number in FORWARDED if signal.getsignal(number) is not signal.SIG_IGN]  # nohup ignores SIGHUP
    before = {number: signal.signal(number, signals.receive) for number in heard}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def copy(source: IO[bytes] | None, to: TextIO, reader: LineReader) -> None:
    """Copy bytes as they come. If nobody takes them any more, Spark continues anyway."""
    assert source is not None  # noqa: S101 - it is a pipe
    target: int | None = to.fileno()
    while piece := os.read(source.fileno(), PIECE):
        reader.feed(piece)
        if target is not None:
            try:
                write_all(target, piece)
            except OSError:
                target = None
    reader.close()


def write_all(target: int, piece: bytes) -> None:
    while piece:
        piece = piece[os.write(target, piece) :]
