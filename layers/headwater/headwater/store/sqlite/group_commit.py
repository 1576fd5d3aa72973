"""A group commit: what several threads write at the same time reaches the disk together.

One thread commits what has gathered; the others wait for it.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

Value = TypeVar("Value")


class _Call(Generic[Value]):
    """The values of one call; `is_safe` is None until they are committed, or could not be."""

    def __init__(self, values: Sequence[Value]) -> None:
        self.values = values
        self.is_safe: bool | None = None


class GroupCommit(Generic[Value]):
    """`commit` writes the values of several calls, all of them or none, and returns whether they are safe."""

    def __init__(self, commit: Callable[[list[Value]], bool]) -> None:
        self._commit = commit
        self.gathered: list[_Call[Value]] = []
        self._gathering, self._committing = threading.Lock(), threading.Lock()

    def write(self, values: Sequence[Value]) -> bool:
        """Whether the values are safe."""
        sent = _Call(values)
        with self._gathering:
            self.gathered.append(sent)
        with self._committing:
            if sent.is_safe is None:
                self._commit_gathered()
        return bool(sent.is_safe)

    def _commit_gathered(self) -> None:
        with self._gathering:
            gathered, self.gathered = self.gathered, []
        is_safe = False
        try:
            is_safe = self._commit([value for sent in gathered for value in sent.values])
        finally:
            for sent in gathered:
                sent.is_safe = is_safe
