"""Bodies in S3."""

from typing import Any

from headwater.store.aws.client import errors_as, translated_errors
from headwater.store.errors import StorageError, UnreadableBody

_MISSING = {"NoSuchKey", "AccessDenied"}
"""Without the right to list a bucket, a missing object is reported as denied."""


class Bucket:
    """`Bodies` in the archive bucket. A key that ends in a hash of its content may be written twice: the second write
    changes nothing."""

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def put(self, key: str, content: bytes) -> None:
        """Stores an object, durably once this returns."""
        with translated_errors():
            self._client.put_object(Bucket=self._name, Key=key, Body=content)

    def get(self, key: str) -> bytes:
        """An object's content. Raises UnreadableBody if the object is not there (yet)."""
        with errors_as(_error_of):
            content: bytes = self._client.get_object(Bucket=self._name, Key=key)["Body"].read()
        return content


def _error_of(code: str, message: str) -> StorageError:
    return UnreadableBody(message) if code in _MISSING else StorageError(message)
