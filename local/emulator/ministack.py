"""Starts and stops MiniStack, the emulator of AWS, as a child process on a port of the loopback interface."""

import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.process_group import end_group
from local.emulator.account import Account
from local.emulator.options import EmulatorOptions, environment
from local.layout import Layout

READY_SECONDS = 30
STOP_SECONDS = 40  # the emulator's own shutdown waits up to 30 s for TLS connections


@dataclass(frozen=True)
class Emulator:
    account: Account
    process: subprocess.Popen[bytes]

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def keep_saving(self) -> None:
        """Let the emulator save its state now, and every few seconds: a killed emulator saves nothing."""
        os.write(cast("IO[bytes]", self.process.stdin).fileno(), b"s")


@contextmanager
def run_emulator(options: EmulatorOptions) -> Iterator[Emulator]:
    """Run the emulator for the length of a `with` block. At its end the state is saved and every process ended."""
    options.scratch.mkdir(parents=True, exist_ok=True)
    running = Emulator(account_of(options), start(environment(options), options.log))
    try:
        wait_until_ready(running, options.log)
        yield running
    finally:
        running.account.close()
        stop(running.process)
        shutil.rmtree(options.scratch, ignore_errors=True)


def account_of(options: EmulatorOptions) -> Account:
    if options.iam:
        return Account(f"https://127.0.0.1:{options.port}", options.certificate)
    return Account(f"http://127.0.0.1:{options.port}")


def start(settings: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    """Start the emulator in its own process group, so that a Ctrl-C in the terminal does not interrupt its shutdown."""
    with log.open("wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "local.emulator.child"],
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=settings,
            cwd=Layout.here().root,
            start_new_session=True,
        )


def wait_until_ready(running: Emulator, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        if running.has_ended():
            raise Failure(f"the emulator ended at once with status {running.process.returncode}", f"read {log}")
        if is_ready(running.account):
            return
        time.sleep(0.05)
    raise Failure(f"the emulator was not ready within {READY_SECONDS} s", f"read {log}")


def is_ready(account: Account) -> bool:
    url = f"{account.endpoint}/_ministack/ready"
    try:
        with urllib.request.urlopen(url, timeout=2, context=account.trust) as answer:  # noqa: S310 - our own URL
            return bool(answer.status == 200)
    except OSError:
        return False


def stop(process: subprocess.Popen[bytes]) -> None:
    """Close standard input, wait until the emulator has saved its state, and kill the rest of its process group."""
    with suppress(subprocess.TimeoutExpired):
        process.communicate(timeout=STOP_SECONDS)
    end_group(process)
