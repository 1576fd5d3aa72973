"""The errors of storage.

StorageError            a call did not take place; another try may help
+-- UnreadableBody      the bucket does not have a body, or denies it
+-- Throttled           the service takes no more calls for now
+-- DeadlinePassed           the invocation ends before the work does; the next delivery goes on
+-- Conflict            an item is no longer as it was read: read again, fold again
+-- CorruptItem         an item of the table cannot be read; no event is to blame, and a repaired item or release helps
Rejected                the service will never accept the request; another try is in vain
"""

from collections.abc import Sequence


class StorageError(Exception):
    """A call to the table, the queue or the bucket failed."""


class UnreadableBody(StorageError):
    """The bucket does not have a body. S3 calls that a denied access if the role may not list the bucket."""


class Throttled(StorageError):
    """A service takes no more calls for now, or had an internal error: waiting helps."""


class DeadlinePassed(StorageError):
    """The invocation ends before the work does. What is stored stays, and the next delivery continues from there."""


class Conflict(StorageError):
    """A conditional put found a different version of the item than the one read."""


class CorruptItem(StorageError):
    """An item of the table that this release cannot read: damaged, or written by a newer release.

    `key` is the item's primary key; `member` is the wrong member of its document, or empty if the item as a whole is.
    """

    def __init__(self, key: Sequence[str], member: str, reason: str) -> None:
        at = f", member {member!r}" if member else ""
        super().__init__(f"item {'/'.join(key)}{at}: {reason}")
        self.key = tuple(key)
        self.member = member


class Rejected(Exception):
    """The service refuses a request, and always will."""
