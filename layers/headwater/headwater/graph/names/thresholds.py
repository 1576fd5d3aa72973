"""Thresholds of namespaces: a default, and others for the namespaces that fit a pattern."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Thresholds:
    """If several patterns (as in a shell) match a namespace, the longest counts."""

    default: int
    by_namespace: Mapping[str, int]

    def own(self, namespace: str) -> int | None:
        """The threshold of the pattern that fits a namespace, if there is such a pattern."""
        fitting = [pattern for pattern in self.by_namespace if fnmatchcase(namespace, pattern)]
        return self.by_namespace[max(fitting, key=lambda pattern: (len(pattern), pattern))] if fitting else None

    def of(self, namespace: str) -> int:
        own = self.own(namespace)
        return self.default if own is None else own
