"""The alerts of a stack, as its topic sends them: received from a queue of our own, and written out for a person."""

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from local.account import ACCOUNT_ID, REGION, Account

POLL_SECONDS = 1
HOOK_SECONDS = 5
MOST = 10


@dataclass(frozen=True)
class Alert:
    """A message of the topic, and its text as it was sent."""

    body: str
    message: dict[str, Any]

    @property
    def detail(self) -> dict[str, Any]:
        detail: dict[str, Any] = self.message["detail"]
        return detail

    def lines(self) -> Iterator[str]:
        """Yield what a person wants to read: what it is, what happened, and where to look."""
        yield f"{self.message['severity'].upper()}: {self.message['title']}"
        yield from (f"  {line}" for line in self.message["explanation"])
        if link := self.detail.get("link"):
            yield f"  see {link}"


@dataclass(frozen=True)
class AlertQueue:
    """A queue that is subscribed to the topic."""

    sqs: Any
    url: str

    def receive(self, seconds: int) -> list[Alert]:
        """Return the alerts that come within so many seconds, as soon as there are any."""
        messages = self.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=MOST, WaitTimeSeconds=seconds)
        alerts = []
        for message in messages.get("Messages", []):
            self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
            alerts.append(Alert(message["Body"], json.loads(message["Body"])))
        return alerts


def subscribe(account: Account, topic: str, queue: str, **attributes: str) -> AlertQueue:
    """Subscribe a queue to a topic, made if it is not there yet; attributes are those of the subscription."""
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{queue}"
    url = account.sqs.create_queue(QueueName=queue)["QueueUrl"]
    account.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(policy(arn, topic))})
    asked = {"RawMessageDelivery": "true"} | attributes
    account.sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, Attributes=asked)
    return AlertQueue(account.sqs, url)


def policy(queue: str, topic: str) -> dict[str, Any]:
    allowed = {"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage"}
    only = {"ArnEquals": {"aws:SourceArn": topic}}
    return {"Version": "2012-10-17", "Statement": [allowed | {"Resource": queue, "Condition": only}]}


@contextmanager
def telling(queue: AlertQueue, say: Callable[[str], None], hook: str | None = None) -> Iterator[None]:
    """Tell each alert as it comes, and post it to a hook if there is one, for the length of a `with` block."""
    over = threading.Event()

    def listen() -> None:
        while not over.is_set():
            try:
                alerts = queue.receive(POLL_SECONDS)
            except (BotoCoreError, ClientError):
                return  # the emulator is going down, or gone
            for alert in alerts:
                say("\n" + "\n".join(alert.lines()))
                if hook:
                    post(hook, alert, say)

    thread = threading.Thread(target=listen)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def post(hook: str, alert: Alert, say: Callable[[str], None]) -> None:
    """Post an alert as a topic does to a subscriber with raw delivery, who was not asked to confirm here."""
    headers = {"Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification"}
    headers["x-amz-sns-rawdelivery"] = "true"
    request = urllib.request.Request(hook, alert.body.encode(), headers)  # noqa: S310 - the user's own URL
    try:
        with urllib.request.urlopen(request, timeout=HOOK_SECONDS):  # noqa: S310
            pass
    except OSError as error:
        say(f"  {hook} did not take it: {error}")
