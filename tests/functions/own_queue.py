"""A queue like the stack's, which no function reads."""

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from headwater.store.aws.s3 import Bucket
from headwater.store.messages import read_message
from tests.embedded import Deployed

LIKE_THE_STACKS = {
    "FifoQueue": "true",
    "DeduplicationScope": "messageGroup",
    "FifoThroughputLimit": "perMessageGroupId",
    "MaximumMessageSize": "1048576",
}


@dataclass(frozen=True)
class OwnQueue:
    """What was sent stays in it until it is gone."""

    deployed: Deployed
    url: str

    def events(self) -> list[Any]:
        """The events in its messages, in their order, read as normalise reads them."""
        bucket = Bucket(self.deployed.account.s3, self.deployed.outputs["ArchiveBucketName"])
        return [json.loads(read_message(body, bucket).canonical) for body in self.bodies()]

    def bodies(self) -> list[str]:
        answer = self.deployed.sqs.receive_message(QueueUrl=self.url, MaxNumberOfMessages=10, VisibilityTimeout=0)
        return [message["Body"] for message in answer.get("Messages", [])]


@contextmanager
def own_queue(deployed: Deployed) -> Iterator[OwnQueue]:
    url = deployed.sqs.create_queue(QueueName=f"test-{uuid.uuid4().hex}.fifo", Attributes=LIKE_THE_STACKS)["QueueUrl"]
    yield OwnQueue(deployed, url)
    deployed.sqs.delete_queue(QueueUrl=url)
