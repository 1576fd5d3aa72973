"""The subscriber that `make up ALERTS=...` names: a webhook, or a queue of the emulator."""

import re
from dataclasses import dataclass

from headwater.cli.machine.failure import Failure

QUEUE = re.compile(r"(?:arn:aws:sqs:[^:]+:[^:]+:|https?://[^/]+/[0-9]{12}/)([\w-]+)")
URL = re.compile(r"https?://\S+")
EXAMPLES = "try ALERTS=http://127.0.0.1:9000/hook or ALERTS=arn:aws:sqs:us-east-1:000000000000:mine"


@dataclass(frozen=True)
class AlertSubscriber:
    """The subscriber: the URL of a webhook or the name of a queue; both are None without a subscriber."""

    webhook: str | None = None
    queue: str | None = None

    @classmethod
    def parse(cls, text: str | None) -> "AlertSubscriber":
        """Read the value of ALERTS: the ARN or URL of a queue, or another URL. Raises Failure."""
        if not text:
            return cls()
        if queue := QUEUE.fullmatch(text):
            return cls(queue=queue[1])
        if URL.fullmatch(text):
            return cls(webhook=text)
        raise Failure(f"ALERTS={text} is neither a URL nor a queue of the emulator", EXAMPLES)
