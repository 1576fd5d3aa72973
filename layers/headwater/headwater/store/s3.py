"""Bodies in S3: what is too long for a message or an item, and what could not be folded."""

from typing import Any, Protocol

from headwater.store.aws import translated_errors


class Bodies(Protocol):
    """Where bodies are kept, by key. What fails raises StorageError."""

    def put(self, key: str, content: bytes) -> None:
        """Stores an object; once this returns, it is there to stay."""

    def get(self, key: str) -> bytes:
        """An object's content."""


class Bucket:
    """The archive bucket. Keys that end in a hash of the content may be written twice: the second changes nothing."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def put(self, key: str, content: bytes) -> None:
        """Stores an object; once this returns, it is there to stay."""
        with translated_errors():
            self._client.put_object(Bucket=self._name, Key=key, Body=content)

    def get(self, key: str) -> bytes:
        """An object's content. Raises StorageError if it is not there (yet)."""
        with translated_errors():
            content: bytes = self._client.get_object(Bucket=self._name, Key=key)["Body"].read()
        return content
