"""An emulator that is killed loses what it has not saved yet, and nothing else: the next one starts with the rest."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from headwater.cli.machine.ports import free_port
from local.deploy.deployment import Uploads
from local.emulator.ministack import Emulator, run_emulator
from local.emulator.options import EmulatorOptions
from local.layout import Layout

pytestmark = pytest.mark.emulator

SECONDS = 60


@contextmanager
def running(folder: Path) -> Iterator[Emulator]:
    with run_emulator(EmulatorOptions(folder, free_port(), folder / "data")) as emulator:
        yield emulator


def kill(emulator: Emulator) -> None:
    emulator.process.kill()
    emulator.process.wait()


def send(emulator: Emulator, text: str) -> None:
    sqs = emulator.account.sqs
    sqs.send_message(QueueUrl=sqs.create_queue(QueueName="events")["QueueUrl"], MessageBody=text)


def wait_until_saved(folder: Path, text: str) -> None:
    file, end = folder / "data" / "state" / "sqs.json", time.monotonic() + SECONDS
    while not (file.is_file() and json.dumps(text) in file.read_text()):
        assert time.monotonic() < end, "it was not saved in time"
        time.sleep(0.05)


def received(emulator: Emulator) -> set[str]:
    sqs = emulator.account.sqs
    url = sqs.get_queue_url(QueueName="events")["QueueUrl"]
    messages = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
    return {message["Body"] for message in messages}


def test_what_was_saved_is_there_after_kill_9(tmp_path: Path) -> None:
    with running(tmp_path) as emulator:
        send(emulator, "first")
        emulator.keep_saving()
        wait_until_saved(tmp_path, "first")
        send(emulator, "second")
        wait_until_saved(tmp_path, "second")
        kill(emulator)
    with running(tmp_path) as emulator:
        assert received(emulator) == {"first", "second"}


def test_a_deployment_that_was_killed_begins_anew(tmp_path: Path) -> None:
    """The bucket of the code is on disk at once, and the rest of the state is not."""
    with running(tmp_path) as emulator:
        Uploads(Layout.here(), emulator.account).put_template("{}")
        kill(emulator)
    with running(tmp_path) as emulator:
        assert Uploads(Layout.here(), emulator.account).put_template("{}")
