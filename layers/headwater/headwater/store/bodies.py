"""The port for bodies: documents too long for a message or an item, and messages in quarantine."""

from typing import Protocol


class Bodies(Protocol):
    """A store of bodies by key. A failed call raises StorageError."""

    def put(self, key: str, content: bytes) -> None:
        """Stores an object, durably once this returns."""

    def get(self, key: str) -> bytes:
        """An object's content. Raises UnreadableBody, or StorageError."""
