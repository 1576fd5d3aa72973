"""Messages between ingest and normalise: the canonical event, gzipped, with the time it was received.

A message too long for the queue travels as a pointer to a body in S3, which is stored first.
"""

import base64
import binascii
import gzip
import hashlib
import zlib
from dataclasses import dataclass, field

import simplejson

from headwater.graph.names.identity import dataset_id, job_id
from headwater.openlineage.event import AnyEvent, DatasetEvent, RunEvent
from headwater.openlineage.instant import Instant
from headwater.store.bodies import Bodies

MAX_MESSAGE_BYTES = 240 * 1024
"""SQS takes 1 MiB, and so does a batch of ten; messages of up to a quarter of that hardly ever split a batch."""


class UnreadableMessage(Exception):
    """A message that `write_message` did not write."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message to send. SQS keeps the order of a group, and drops a repeated `deduplication_id` for five minutes.
    `sender` is the id of the key that the event came with."""

    body: str
    group: str
    deduplication_id: str
    received: "ReceivedMessage"
    sender: str = ""


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message that was read: the canonical text of an event, and the time at which the event was received over HTTP.

    `event` is the event itself, in the process that received it.
    """

    canonical: str
    received_at: Instant
    event: AnyEvent | None = field(default=None, repr=False, compare=False)


def write_message(event: AnyEvent, canonical: str, received_at: Instant, bucket: Bodies, sender: str = "") -> Message:
    """The message for an event; a long body goes to S3 before this returns."""
    packed = gzip.compress(canonical.encode(), mtime=0)
    content = base64.b64encode(packed).decode()
    envelope = {"receivedAt": received_at, "gzip": content}
    if len(content) > MAX_MESSAGE_BYTES:
        envelope = {"receivedAt": received_at, "s3": store_body(packed, bucket)}
    group = group_of(event)
    # FIFO deduplication is per queue on some of SQS's stand-ins, so the group is part of the id.
    deduplication_id = hashlib.sha256(f"{group}{canonical}".encode()).hexdigest()
    received = ReceivedMessage(canonical, received_at, event)
    return Message(simplejson.dumps(envelope), group, deduplication_id, received, sender)


def message_for(target: str, group: str, body: str, received: ReceivedMessage) -> Message:
    """A message once more, for a target that events are forwarded to. Target and run are its group."""
    group = f"{target}/{group}"
    return Message(body, group, hashlib.sha256(f"{group}{received.canonical}".encode()).hexdigest(), received)


def target_of(group: str) -> tuple[str, str]:
    """The target and the run, job or dataset of a message that `message_for` made."""
    target, _, of_event = group.partition("/")
    return target, of_event


def read_message(body: str, bucket: Bodies) -> ReceivedMessage:
    """The event in a message's body. Raises UnreadableMessage, or StorageError if its body in S3 cannot be fetched."""
    try:
        envelope = simplejson.loads(body)
        received_at = Instant(envelope["receivedAt"])
        packed = bucket.get(envelope["s3"]) if "s3" in envelope else base64.b64decode(envelope["gzip"])
        return ReceivedMessage(gzip.decompress(packed).decode(), received_at)
    except (ValueError, TypeError, KeyError, OSError, EOFError, zlib.error, binascii.Error) as error:
        raise UnreadableMessage(f"{type(error).__name__}: {error}") from error


def archive_line(event: ReceivedMessage) -> bytes:
    return f'{{"receivedAt":{simplejson.dumps(event.received_at)},"event":{event.canonical}}}\n'.encode()


def store_body(packed: bytes, bucket: Bodies) -> str:
    """Stores a gzipped event in the bucket under its hash. Returns the key."""
    key = f"bodies/{hashlib.sha256(packed).hexdigest()}.json.gz"
    bucket.put(key, packed)
    return key


def group_of(event: AnyEvent) -> str:
    """The group of an event: its run, else its job or dataset. Events of one group keep their order."""
    if isinstance(event, RunEvent):
        return event.run_id
    return dataset_id(event.dataset.name) if isinstance(event, DatasetEvent) else job_id(event.job.name)
