"""What the items depend on beside the events: the settings of the functions, and the time."""

from collections.abc import Mapping
from dataclasses import dataclass

from headwater.graph.names.thresholds import Thresholds
from headwater.store.bulk import Retention


@dataclass(frozen=True)
class RebuildSettings:
    """The settings of the fold, as docs/environment.md has them. Items that have expired `now`, in epoch seconds, are
    not made."""

    namespace_aliases: Mapping[str, str]
    retention: Retention
    thresholds: Thresholds
    now: float
