"""The receivers of alerts: the console, a webhook, an SNS topic."""

import json
import sys
import urllib.error
from dataclasses import dataclass, field
from typing import TextIO

from headwater.rest import post
from headwater.serve.alerting import Message
from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors
from headwater.store.errors import Rejected

RETRIABLE = (408, 429)
"""Statuses below 500 after which another try may help."""


@dataclass(frozen=True)
class Console:
    """Prints alerts."""

    name: str = "console"
    stream: TextIO = field(default_factory=lambda: sys.stdout)

    def deliver(self, message: Message) -> None:
        lines = [f"{message['severity'].upper()}: {message['title']}"]
        lines += [f"  {line}" for line in message["explanation"]]
        lines += [f"  see {message['link']}"] if message["link"] else []
        print("\n" + "\n".join(lines), file=self.stream, flush=True)


@dataclass(frozen=True)
class Webhook:
    """Posts alerts to a URL, as JSON."""

    url: str

    @property
    def name(self) -> str:
        return f"webhook {self.url}"

    def deliver(self, message: Message) -> None:
        try:
            post(self.url, json.dumps(message).encode())
        except urllib.error.HTTPError as error:
            if error.code < 500 and error.code not in RETRIABLE:
                raise Rejected(f"status {error.code}") from error
            raise


class Topic:
    """Publishes alerts to an SNS topic. Region and credentials come from the environment."""

    def __init__(self, arn: str) -> None:
        from botocore.session import Session

        self.name = f"topic {arn}"
        self._arn = arn
        self._client = client(Session(), "sns", seconds=PATIENT_SECONDS)

    def deliver(self, message: Message) -> None:
        attributes = {
            name: {"DataType": "String", "StringValue": str(message[name])} for name in ("severity", "namespace")
        }
        with translated_errors(writing=True):
            self._client.publish(
                TopicArn=self._arn, Subject=message["title"], Message=json.dumps(message), MessageAttributes=attributes
            )
