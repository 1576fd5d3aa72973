"""One stack a folder: `make down` finds the stack by a lock that ends with its process."""

import fcntl
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.cli.machine.failure import Failure
from local.layout import Layout
from local.stack.down import down
from local.stack.lock import hold_lock

HOLDER = """
import sys, time
from pathlib import Path
from local.stack.lock import hold_lock
with hold_lock(Path(sys.argv[1]), "wait"):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_down_without_a_stack_prints_a_message(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    down(layout)
    assert capsys.readouterr().out == "nothing is up\n"


def test_a_second_stack_is_refused(layout: Layout) -> None:
    refused = pytest.raises(Failure, match=f"process {os.getpid()} runs already")
    with hold_lock(layout.up_lock, "stop it"), refused, hold_lock(layout.up_lock, "stop it"):
        pass


def test_a_stale_process_id_stops_no_process(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    layout.state.mkdir()
    layout.up_lock.write_text("1")
    down(layout)
    assert capsys.readouterr().out == "nothing is up\n"
    with hold_lock(layout.up_lock, "stop it"):
        pass


def test_down_ends_the_holder_and_waits_for_it(layout: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    command = [sys.executable, "-c", HOLDER, str(layout.up_lock)]
    environment = {**os.environ, "PYTHONPATH": "layers/headwater"}
    with subprocess.Popen(  # noqa: S603
        command, stdout=subprocess.PIPE, text=True, cwd=Layout.here().root, env=environment
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        down(layout)
        assert holder.wait(10) == -signal.SIGTERM
    assert capsys.readouterr().out == "the stack is down\n"
    with layout.up_lock.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
