"""Fakes of the ports to AWS, and of the log."""

from collections.abc import Sequence

from headwater.store.errors import StorageError, UnreadableBody
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.messages import Message, ReceivedMessage
from headwater.store.table import Item


class FakeBucket:
    """A bucket in memory; while it is `broken`, nothing gets in or out."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.broken = False

    def put(self, key: str, content: bytes) -> None:
        if self.broken:
            raise StorageError("the bucket is away")
        self.objects[key] = content

    def get(self, key: str) -> bytes:
        if self.broken:
            raise StorageError("the bucket is away")
        if key not in self.objects:
            raise UnreadableBody(key)
        return self.objects[key]


class FakeArchive:
    """An archive that keeps the texts of its events."""

    def __init__(self) -> None:
        self.archived: list[str] = []

    def put(self, events: Sequence[ReceivedMessage]) -> None:
        self.archived += [event.canonical for event in events]


class FakeQueue:
    """Takes messages, but for those of the groups that `refused` names; while it is `broken`, none."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.refused: set[str] = set()
        self.broken = False

    def send(self, messages: Sequence[Message]) -> list[bool]:
        safe = [not self.broken and message.group not in self.refused for message in messages]
        self.sent += [message for message, is_safe in zip(messages, safe, strict=True) if is_safe]
        return safe


class LambdaContext:
    """The members of Lambda's context that the functions and their log use."""

    function_name = "a-function"
    memory_limit_in_mb = 1024
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:a-function"
    aws_request_id = "52fdfc07-2182-454f-963f-5f0f9a621d72"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


def fail_test(message: str, error: BaseException, *, run: str | None = None) -> None:
    """The log of failures where there are none."""
    raise AssertionError(message) from error


def damage(table: MemoryTable, key: Key) -> None:
    item = table.items[key]
    table.items[key] = Item(key, item.labels, {**item.parts, "doc": b"damaged"}, item.expires_at)
