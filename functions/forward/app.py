"""Forwards events from the queue of normalise to other systems."""

from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import ForwardSettings, from_environment
from headwater.forward.forwarder import Forwarder

root = Root(from_environment(ForwardSettings))
forwarder = Forwarder(root.targets(), root.bucket(), root.log())
headwater.start.end()


@root.log().handler
def handler(batch: dict[str, Any], context: Any) -> dict[str, Any]:
    """Forwards a batch of messages. SQS delivers the messages in `batchItemFailures` again."""
    result = forwarder.forward(batch["Records"], lambda: context.get_remaining_time_in_millis() / 1000)
    metrics.count(EventsForwarded=result.forwarded, EventsFiltered=result.filtered, EventsNotForwarded=result.rejected)
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in result.failed]}
