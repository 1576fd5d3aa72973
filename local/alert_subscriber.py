"""Who is told of alerts by `make up ALERTS=...`: a URL that they are posted to, or a queue of the emulator."""

import re
from dataclasses import dataclass

from local.failure import Failure

QUEUE = re.compile(r"(?:arn:aws:sqs:[^:]+:[^:]+:|https?://[^/]+/[0-9]{12}/)([\w-]+)")
URL = re.compile(r"https?://\S+")
EXAMPLES = "try ALERTS=http://127.0.0.1:9000/hook or ALERTS=arn:aws:sqs:us-east-1:000000000000:mine"


@dataclass(frozen=True)
class AlertSubscriber:
    """The URL, or the queue's name, or neither if nobody was named."""

    hook: str | None = None
    queue: str | None = None

    @classmethod
    def named(cls, text: str | None) -> "AlertSubscriber":
        """Read what was given: a queue's ARN or URL, or any other URL. Raises Failure."""
        if not text:
            return cls()
        if queue := QUEUE.fullmatch(text):
            return cls(queue=queue[1])
        if URL.fullmatch(text):
            return cls(hook=text)
        raise Failure(f"ALERTS={text} is neither a URL nor a queue of the emulator", EXAMPLES)
