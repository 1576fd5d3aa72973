"""Messages that could not be processed are listed by reason, and sent once more without a loss."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from headwater.cli.redrive.__main__ import main, replay, show
from headwater.cli.redrive.deployed import DeadLetters, Quarantine, QueueForReplay
from headwater.cli.redrive.held_message import HeldMessage, Wanted, age
from headwater.fold.normalise import Delivery, Normaliser
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.openlineage.wire import read_event
from headwater.store.graph_store import GraphStore
from headwater.store.messages import write_message
from headwater.store.sqlite.archive import SqliteArchive
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.inbox import SqliteInbox
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.fold.test_law import RETENTION
from tests.serve.process import ServeProcess, wait_for

AT = Instant("2026-11-20T08:00:01.000000000Z")


class World:
    """A file with an inbox and a fold, which fails while it is broken."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = Database(path)
        self.bodies = SqliteBodies(self.database)
        self.inbox = SqliteInbox(self.database, lambda: None, lambda *_: None)
        self.bug: Exception | None = LookupError("a bug in line 17")
        self.store = GraphStore(SqliteTable(self.database), RETENTION)
        self.normaliser = Normaliser(
            store=self.store,
            bucket=self.bodies,
            archive=SqliteArchive(self.database, self.bodies),
            naming=self,  # type: ignore[arg-type]
            thresholds=Thresholds(1, {}),
            now=lambda: AT,
            log=lambda *_, **__: None,
        )

    def identify(self, *arguments: Any, **options: Any) -> Any:
        """The naming of the fold, with a bug."""
        if self.bug:
            raise self.bug
        return Naming().identify(*arguments, **options)

    def send(self, *documents: factory.Document) -> None:
        texts = [exact_json.dumps(document) for document in documents]
        self.inbox.send([write_message(read_event(exact_json.loads(text)), text, AT, self.bodies) for text in texts])
        self.fold()

    def fold(self) -> None:
        messages = self.inbox.take(50)
        result = self.normaliser.normalise(
            [Delivery(str(number), group, body, received) for number, group, body, received in messages]
        )
        assert result.failed == []
        with self.database.writing() as connection:
            self.inbox.remove(connection, [message.number for message in messages])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    world = World(tmp_path / "lineage.db")
    world.send(*(factory.run_event(run=number, outputs=[factory.dataset("a" * number)]) for number in (1, 2, 3)))
    yield world
    world.database.close()


def redrive(world: World, *arguments: str) -> int:
    return main(["--data", str(world.path), *arguments])


def test_messages_are_listed_by_reason_with_an_example(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    assert redrive(world) == 0
    output = capsys.readouterr().out
    assert "3 x LookupError: a bug in line #" in output
    assert "such as: LookupError: a bug in line" in output
    assert "3 messages" in output
    assert world.bodies.count("quarantine/") == 3


def test_messages_are_folded_once_the_bug_is_mended(world: World) -> None:
    world.bug = None
    assert redrive(world, "--all") == 0
    assert world.bodies.count("quarantine/") == 0
    world.fold()
    assert world.store.runs_with_id(factory.run_id(3)) != []
    assert world.bodies.count("quarantine/") == 0


def test_a_server_of_the_file_folds_at_once_what_is_replayed(world: World) -> None:
    with ServeProcess(world.path, "--open") as server:
        server.wait_until_folded()
        assert redrive(world, "--all") == 0
        began = time.monotonic()
        wait_for(lambda: server.get("/api/v1/namespaces/demo/jobs")["totalCount"] == 1)
        assert time.monotonic() - began < 30  # a server that looked once a minute took 51 s


def test_what_fails_again_returns_with_its_new_reason(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.bug = KeyError("another bug")
    assert redrive(world, "--all") == 0
    world.fold()
    redrive(world)
    assert "3 x KeyError: 'another bug'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "left"),
    [
        (["--run", factory.run_id(2)], 2),
        (["--reason", "LookupError"], 0),
        (["--reason", "no such reason"], 3),
        (["--older-than", "1m"], 0),
        (["--older-than", "9000d"], 3),
        (["--all", "--dry-run"], 3),
    ],
)
def test_some_messages_are_replayed(world: World, arguments: list[str], left: int) -> None:
    assert redrive(world, *arguments) == 0
    assert world.bodies.count("quarantine/") == left
    assert world.inbox.depth() == 3 - left


def test_a_duration_has_a_unit() -> None:
    assert age("90m").total_seconds() == 5_400
    for text in ("", "5", "h", "-1d"):
        with pytest.raises(ValueError, match="not a duration"):
            age(text)


@pytest.fixture
def aws() -> Iterator[tuple[Any, Any, QueueForReplay, str, str]]:
    with mock_aws():
        s3, sqs = boto3.client("s3", region_name="us-east-1"), boto3.client("sqs", region_name="us-east-1")
        s3.create_bucket(Bucket="archive")
        urls = [
            sqs.create_queue(QueueName=f"{name}.fifo", Attributes={"FifoQueue": "true"})["QueueUrl"]
            for name in ("events", "dead")
        ]
        yield s3, sqs, QueueForReplay(sqs, urls[0]), urls[0], urls[1]


def test_the_quarantine_of_a_stack_is_replayed_without_a_loss(aws: Any, capsys: pytest.CaptureFixture[str]) -> None:
    s3, sqs, queue, url, _ = aws
    for number in range(3):
        kept = {
            "reason": f"KeyError: {number}",
            "messageId": "m",
            "group": f"run-{number}",
            "body": f'{{"n":{number}}}',
        }
        s3.put_object(Bucket="archive", Key=f"quarantine/{number}.json", Body=json.dumps(kept))
    s3.put_object(Bucket="archive", Key="quarantine/stream/1.json", Body=b'{"reason": "x", "record": {}}')
    quarantine = Quarantine(s3, "archive", queue)
    show([quarantine], Wanted())
    assert "3 x KeyError: #" in capsys.readouterr().out
    assert replay([quarantine], Wanted(run="run-1")) == 1
    (received,) = sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
    assert (json.loads(received["Body"]), received["Attributes"]["MessageGroupId"]) == ({"n": 1}, "run-1")
    left = [found["Key"] for found in s3.list_objects_v2(Bucket="archive")["Contents"]]
    assert left == ["quarantine/0.json", "quarantine/2.json", "quarantine/stream/1.json"]


def test_dead_letters_are_replayed_and_others_are_put_back(aws: Any) -> None:
    _, sqs, queue, url, dead = aws
    for number in range(25):
        group = f"run-{number % 5}"
        sqs.send_message(
            QueueUrl=dead, MessageBody=f'{{"n": {number}}}', MessageGroupId=group, MessageDeduplicationId=str(number)
        )
    letters = DeadLetters(sqs, dead, queue)
    assert list(letters.messages(Wanted(run="nobody"))) == []
    assert replay([letters], Wanted(run="run-2")) == 5
    assert replay([letters], Wanted()) == 20
    numbers = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert numbers["ApproximateNumberOfMessages"] == "25"


def test_a_message_without_a_time_has_no_age() -> None:
    message = HeldMessage("key", "reason", "group", "no JSON")
    assert not Wanted(before=Instant("9999")).has(message)
    assert Wanted().has(message)


def test_an_entry_that_cannot_be_read_is_told_and_left(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    for number, entry in enumerate((b"", b"[]", b'{"reason": "r"}', b"\xff")):
        world.bodies.put(f"quarantine/broken{number}", entry)
    assert redrive(world) == 0
    assert "4 x an entry of the quarantine that cannot be read" in capsys.readouterr().out
    assert redrive(world, "--all") == 0
    told = capsys.readouterr()
    assert "3 messages were sent again" in told.out
    assert told.err.count("left where it is: quarantine/broken") == 4
    assert world.bodies.count("quarantine/") == 4


def test_a_reason_does_not_move_the_cursor(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"reason": "no \x1b[2Jevent", "group": "\x1b]0;run\x07", "body": "{}"}
    world.bodies.put("quarantine/hostile", json.dumps(entry).encode())
    assert redrive(world) == 0
    told = capsys.readouterr().out
    assert "event" in told
    assert not set(told) & {"\x1b", "\x07"}


@pytest.mark.parametrize("text", ["9999999999d", "1000000d", "-1d", "3w", ""])
def test_an_age_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a duration"):
        age(text)


def test_a_stack_without_a_region_is_a_failure_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("AWS_DEFAULT_REGION", "AWS_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    assert main(["--stack", "headwater"]) == 1
    assert capsys.readouterr().err == "failed: You must specify a region.\n"
