"""A number for each namespace: one for all, and others for those that fit a pattern."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Of the patterns (as in a shell) that fit a namespace, the longest counts."""

    default: int
    by_namespace: Mapping[str, int]

    def own(self, namespace: str) -> int | None:
        """What is set for a namespace by a pattern."""
        fitting = [each for each in self.by_namespace if fnmatchcase(namespace, each)]
        return self.by_namespace[max(fitting, key=lambda each: (len(each), each))] if fitting else None

    def of(self, namespace: str) -> int:
        own = self.own(namespace)
        return self.default if own is None else own
