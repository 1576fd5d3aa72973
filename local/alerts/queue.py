"""The alerts of a stack, from an SQS queue that is subscribed to its topic."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.emulator.account import ACCOUNT_ID, REGION, Account

MAX_MESSAGES = 10  # of one ReceiveMessage


@dataclass(frozen=True)
class SentAlert:
    """A message of the topic: its text as sent, and the JSON object in the text."""

    body: str
    message: dict[str, Any]

    @property
    def detail(self) -> dict[str, Any]:
        detail: dict[str, Any] = self.message["detail"]
        return detail

    def lines(self) -> Iterator[str]:
        """Yield the alert for a terminal: severity and title, the explanation, the link."""
        yield f"{self.message['severity'].upper()}: {self.message['title']}"
        yield from (f"  {line}" for line in self.message["explanation"])
        if link := self.detail.get("link"):
            yield f"  see {link}"


@dataclass(frozen=True)
class AlertQueue:
    """The queue at `url`."""

    sqs: Any
    url: str

    def receive(self, seconds: int) -> list[SentAlert]:
        """Take alerts out of the queue. Returns when there is an alert, or an empty list after `seconds`."""
        answer = self.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=MAX_MESSAGES, WaitTimeSeconds=seconds)
        alerts = []
        for message in answer.get("Messages", []):
            self.sqs.delete_message(QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"])
            alerts.append(SentAlert(message["Body"], json.loads(message["Body"])))
        return alerts


def subscribe(account: Account, topic: str, queue: str, **attributes: str) -> AlertQueue:
    """Subscribe a queue to a topic. A missing queue is created. `attributes` are the attributes of the subscription."""
    arn = f"arn:aws:sqs:{REGION}:{ACCOUNT_ID}:{queue}"
    url = account.sqs.create_queue(QueueName=queue)["QueueUrl"]
    account.sqs.set_queue_attributes(QueueUrl=url, Attributes={"Policy": json.dumps(queue_policy(arn, topic))})
    attributes = {"RawMessageDelivery": "true"} | attributes
    account.sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint=arn, Attributes=attributes)
    return AlertQueue(account.sqs, url)


def queue_policy(queue: str, topic: str) -> dict[str, Any]:
    """Return the resource policy that allows only this topic to send to the queue."""
    allowed = {"Effect": "Allow", "Principal": {"Service": "sns.amazonaws.com"}, "Action": "sqs:SendMessage"}
    condition = {"ArnEquals": {"aws:SourceArn": topic}}
    return {"Version": "2012-10-17", "Statement": [allowed | {"Resource": queue, "Condition": condition}]}
