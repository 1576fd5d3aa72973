"""Fakes at the ports: what AWS does, in a few lines."""

from headwater.store.table import StorageError


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
        if self.broken or key not in self.objects:
            raise StorageError("the bucket is away")
        return self.objects[key]
