"""Alerts reach every receiver, those of a namespace in their order; a receiver that is away holds up no other."""

import json
from collections.abc import Sequence
from typing import Any

import boto3
import pytest
from moto import mock_aws

from headwater.alerts.announce import AnnounceResult
from headwater.serve.alerting import POLL_SECONDS, RETRY_SECONDS, Announcing, Delivering, Message, message_of
from headwater.serve.log import ServeLog
from headwater.serve.receivers import Console, Topic
from headwater.store.errors import Rejected, StorageError
from headwater.store.sqlite import alert_log as alerts_of_file
from headwater.store.sqlite.alert_log import KEPT, SqliteAlertLog
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import LONG, SqliteOutbox
from tests.alerts.test_alert import _alert


class FakeReceiver:
    def __init__(self, name: str) -> None:
        self.name = name
        self.got: list[int] = []
        self.error: Exception | None = None

    def deliver(self, message: Message) -> None:
        if self.error:
            raise self.error
        self.got.append(message["number"])


@pytest.fixture
def alert_log(database: Database) -> SqliteAlertLog:
    return SqliteAlertLog(database)


def delivering(alert_log: SqliteAlertLog, *receivers: FakeReceiver) -> Sequence[Delivering]:
    for receiver in receivers:
        alert_log.join(receiver.name)
    return [Delivering(alert_log, receiver, ServeLog()) for receiver in receivers]


def add(alert_log: SqliteAlertLog, *numbers: int) -> None:
    alert_log.add([{"number": number} for number in numbers])


def deliver_all(delivery: Delivering) -> float:
    while not (pause := delivery.step()):
        pass
    return pause


def test_a_receiver_that_is_away_gets_its_alerts_later_and_holds_up_no_other(alert_log: SqliteAlertLog) -> None:
    away, there = FakeReceiver("away"), FakeReceiver("there")
    to_away, to_there = delivering(alert_log, away, there)
    add(alert_log, 1, 2)
    away.error = OSError("refused")
    assert deliver_all(to_away) == RETRY_SECONDS
    assert deliver_all(to_there) == POLL_SECONDS
    add(alert_log, 3)
    away.error = None
    assert [deliver_all(receiver) for receiver in (to_away, to_there)] == [POLL_SECONDS] * 2
    assert (away.got, there.got) == ([1, 2, 3], [1, 2, 3])


def test_events_wait_while_many_changes_do_unless_one_cannot_be_announced(database: Database) -> None:
    class Stuck:
        def announce(self, records: Sequence[Message]) -> AnnounceResult:
            return AnnounceResult(failed=records[0]["dynamodb"]["SequenceNumber"])

    outbox = SqliteOutbox(database)
    announcing = Announcing(outbox, Stuck())  # type: ignore[arg-type]
    assert not announcing.is_behind()
    record = json.dumps({"dynamodb": {}})
    with database.writing() as connection:
        connection.executemany("INSERT INTO outbox (record) VALUES (?)", [(record,)] * (LONG + 2))
    assert announcing.is_behind()
    assert announcing.step() == RETRY_SECONDS
    assert not announcing.is_behind()


def test_namespaces_take_turns(alert_log: SqliteAlertLog, database: Database) -> None:
    """Behind many alerts of one team, that of another is next; a new start repeats at most what was ahead."""
    receiver = FakeReceiver("slow")
    (delivery,) = delivering(alert_log, receiver)
    alert_log.add([{"number": number, "namespace": "loud"} for number in range(9)])
    assert [delivery.step() for _ in range(2)] == [0, 0]
    alert_log.add([{"number": number, "namespace": "quiet"} for number in (20, 21)])
    assert [delivery.step() for _ in range(4)] == [0] * 4
    assert receiver.got == [0, 1, 20, 2, 21, 3]
    (again,) = delivering(SqliteAlertLog(database), receiver)
    deliver_all(again)
    assert sorted(set(receiver.got)) == [*range(9), 20, 21]
    assert sorted(receiver.got) == [*range(9), 20, 20, 21, 21], "of the quiet ones, the file does not know"
    assert deliver_all(delivering(SqliteAlertLog(database), receiver)[0]) == POLL_SECONDS
    assert len(receiver.got) == 13


@pytest.mark.parametrize("change", ["DELETE FROM alerts", "UPDATE alerts SET alert = substr(alert, 2)"])
def test_an_alert_that_is_missing_or_damaged_is_passed_over(
    alert_log: SqliteAlertLog, database: Database, change: str
) -> None:
    receiver = FakeReceiver("any")
    (delivery,) = delivering(alert_log, receiver)
    add(alert_log, 1, 2, 3)
    with database.writing() as connection:
        connection.execute(f"{change} WHERE seq = 2")
    deliver_all(delivery)
    assert receiver.got == [1, 3]
    deliver_all(delivering(SqliteAlertLog(database), receiver)[0])
    assert receiver.got == [1, 3]


def test_an_alert_that_a_receiver_refuses_is_left_out(alert_log: SqliteAlertLog) -> None:
    receiver = FakeReceiver("strict")
    (delivery,) = delivering(alert_log, receiver)
    add(alert_log, 1)
    receiver.error = Rejected("status 400")
    assert deliver_all(delivery) == POLL_SECONDS
    receiver.error = None
    add(alert_log, 2)
    deliver_all(delivery)
    assert receiver.got == [2]


def test_a_receiver_is_known_again_after_a_new_start_and_a_new_one_gets_what_comes(alert_log: SqliteAlertLog) -> None:
    add(alert_log, 1)
    known = FakeReceiver("known")
    delivering(alert_log, known)
    add(alert_log, 2)
    for receiver, expected in ((known, [2]), (FakeReceiver("new"), [])):
        (delivery,) = delivering(alert_log, receiver)
        deliver_all(delivery)
        assert receiver.got == expected


def test_the_log_keeps_the_newest_alerts(alert_log: SqliteAlertLog) -> None:
    receiver = FakeReceiver("away for long")
    (delivery,) = delivering(alert_log, receiver)
    add(alert_log, *range(KEPT + 5))
    delivery.step()
    assert receiver.got == [5]


@pytest.fixture
def twenty_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alerts_of_file, "KEPT", 20)


@pytest.mark.usefixtures("twenty_kept")
def test_a_flood_drops_no_alert_of_another_namespace(alert_log: SqliteAlertLog, database: Database) -> None:
    """What all receivers got goes first, then the oldest of whoever has the most."""
    receiver = FakeReceiver("away for long")
    (delivery,) = delivering(alert_log, receiver)
    add(alert_log, 1, 2, 3)
    deliver_all(delivery)
    for namespace, numbers in (("quiet", [4, 5]), ("loud", range(10, 30)), ("other", [6])):
        alert_log.add([{"number": number, "namespace": namespace} for number in numbers])
    deliver_all(delivery)
    assert sorted(receiver.got) == [1, 2, 3, 4, 5, 6, *range(13, 30)]
    (again,) = delivering(SqliteAlertLog(database), receiver)
    assert again.step() == POLL_SECONDS, "the file knows that it has got all"


@pytest.mark.usefixtures("twenty_kept")
def test_what_was_left_out_does_not_hold_up_how_far_a_receiver_has_got(
    alert_log: SqliteAlertLog, database: Database
) -> None:
    receiver = FakeReceiver("slow")
    (delivery,) = delivering(alert_log, receiver)
    alert_log.add([{"number": 0, "namespace": "a"}])
    alert_log.add([{"number": number, "namespace": "loud"} for number in range(1, 25)])
    assert [delivery.step() for _ in range(3)] == [0, 0, 0]
    (again,) = delivering(SqliteAlertLog(database), receiver)
    assert again.step() == 0
    assert receiver.got == [0, 6, 7, 8], "1 to 5 were left out"


def test_the_console_shows_an_alert_as_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    shown = _alert()
    Console().deliver(message_of(shown, "http://localhost:5000"))
    printed = capsys.readouterr().out
    assert f"{shown.severity.upper()}: {shown.title}" in printed
    assert all(line in printed for line in shown.lines)


def test_a_topic_gets_an_alert_as_the_topic_of_a_stack_sends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        sns: Any = boto3.client("sns")
        sqs = boto3.client("sqs")
        topic, queue = sns.create_topic(Name="alerts")["TopicArn"], sqs.create_queue(QueueName="mine")["QueueUrl"]
        sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:mine")
        message = message_of(_alert(), "http://localhost:5000")
        Topic(topic).deliver(message)
        (received,) = sqs.receive_message(QueueUrl=queue)["Messages"]
        assert json.loads(json.loads(received["Body"])["Message"]) == message
        with pytest.raises(StorageError):
            Topic(f"{topic}-missing").deliver(message)


@pytest.mark.parametrize("path", ["hook?token=Zq7hunter2Xw9", "//hooks.slack.com/services/T00/B00/Zq7hunter2Xw9Zq7h"])
def test_the_log_does_not_have_the_secret_of_a_webhook(path: str, caplog: pytest.LogCaptureFixture) -> None:
    ServeLog()(f"webhook https://host/{path} refused an alert", ValueError("status 302"))
    assert "refused an alert: ValueError: status 302" in caplog.text
    assert "hunter2" not in caplog.text
