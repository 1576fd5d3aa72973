"""Spark is a child, and behaves as if it were in the foreground."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.spark_process import Signals, run
from tests.cli.submit.test_listener_log import DELIVERED
from tests.serve.process import ENVIRONMENT, SECONDS

RUN = """
import os, sys
from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.spark_process import run
sys.exit(run(sys.argv[1:], os.environ, ListenerLog()))
"""


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """SIGHUP and SIGINT are not ignored, as they are if the tests run under nohup, or in the background of a script: no
    shell can trap what it was started to ignore."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@contextmanager
def started(script: str, *prefix: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that runs a shell script as Spark would be run. It is killed at the end, if it has not ended."""
    command = [*prefix, sys.executable, "-c", RUN, "/bin/sh", "-c", script]
    process = subprocess.Popen(  # noqa: S603
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_the_output_is_unchanged_and_the_log_reads_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    log = ListenerLog()
    script = f"printf 'out\\0\\r\\n'; printf '\\377progress\\r' >&2; printf '{DELIVERED.strip()}' >&2"
    assert run(["/bin/sh", "-c", script], os.environ, log) == 0
    captured = capfdbinary.readouterr()
    assert captured.out == b"out\0\r\n"
    assert captured.err == b"\xffprogress\r" + DELIVERED.strip().encode()
    assert log.delivered == 1


def test_the_exit_status_is_that_of_the_child() -> None:
    assert run(["/bin/sh", "-c", "exit 7"], os.environ, ListenerLog()) == 7
    assert run(["/bin/sh", "-c", "kill -9 $$"], os.environ, ListenerLog()) == 128 + signal.SIGKILL


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_reach_the_child_and_its_last_words_are_read(number: signal.Signals) -> None:
    name = number.name.removeprefix("SIG")
    script = f"trap 'echo ended by {name} >&2; exit 5' {name}; echo ready; while :; do sleep 0.05; done"
    with started(script) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(number)
        assert process.wait(SECONDS) == 5
        assert process.stderr.read() == f"ended by {name}\n".encode()


def test_a_signal_that_nohup_ignores_stays_ignored() -> None:
    with started("echo ready; sleep 0.5; exit 4", "nohup") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGHUP)
        assert process.wait(SECONDS) == 4


def test_a_signal_before_the_child_is_there_is_not_lost(tmp_path: Path) -> None:
    signals = Signals()
    signals.receive(signal.SIGTERM, None)
    with subprocess.Popen(["/bin/sleep", "60"]) as child:
        signals.go_to(child)
        assert child.wait(SECONDS) == -signal.SIGTERM


def test_the_child_goes_on_if_nobody_reads_its_output() -> None:
    script = "for i in 1 2 3 4 5 6 7 8 9; do head -c 100000 /dev/zero >&2 || exit 9; sleep 0.01; done; exit 6"
    with started(script) as process:
        assert process.stderr is not None
        process.stderr.close()
        assert process.wait(SECONDS) == 6
