"""The Kafka broker accepts connections, and ends with its parent process."""

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headwater.cli.jvm.kafka import settings
from tests.serve.process import ENVIRONMENT

RUNNER = """
import sys, time
from pathlib import Path
from headwater.cli.jvm.kafka import run_broker
from headwater.cli.machine.state import state_folder
with run_broker(state_folder(), Path(sys.argv[1])) as bootstrap:
    print(bootstrap, flush=True)
    time.sleep(60)
"""
GONE_SECONDS = 10


def test_a_broker_listens_on_loopback_alone(tmp_path: Path) -> None:
    listeners = next(line for line in settings(9092, 9093, tmp_path).splitlines() if line.startswith("listeners="))
    assert listeners == "listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093"


@pytest.mark.spark
def test_a_broker_ends_with_its_parent_process_however_that_ends(tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNNER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as runner:  # noqa: S603
        assert runner.stdout
        host, _, port = runner.stdout.readline().strip().partition(":")
        socket.create_connection((host, int(port))).close()
        os.kill(runner.pid, signal.SIGKILL)
    deadline = time.monotonic() + GONE_SECONDS
    while listens(host, int(port)):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port)).close()
    except OSError:
        return False
    return True
