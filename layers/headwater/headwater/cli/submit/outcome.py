"""The last lines of `headwater submit`: how many events were taken, how many refused or lost, where to look, and what
of the events was set aside."""

from dataclasses import dataclass

from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.submission import ArrivedEvents

LOSS = 3
MAX_PATHS = 5
"""Members of events that a line names."""


@dataclass(frozen=True)
class Outcome:
    """What the listener's log and the server say of the events. `doctor` is the command to type if some are missing."""

    log: ListenerLog
    arrivals: ArrivedEvents
    doctor: str

    def line(self) -> str:
        return f"events taken: {self._taken()}; refused or lost: {self._lost()}; {self._where()}"

    def set_aside(self) -> str | None:
        """What the server left out of the events that it took, if there is something."""
        if not self.arrivals.set_aside:
            return None
        shown = ", ".join(self.arrivals.set_aside[:MAX_PATHS])
        more = len(self.arrivals.set_aside) - MAX_PATHS
        paths = f"{shown} and {more} more" if more > 0 else shown
        return f"set aside of the events: {paths}; docs/access.md has the rules"

    def status(self) -> int:
        return LOSS if self.log.refused or self.log.unsent else 0

    def _taken(self) -> str:
        delivered, arrivals = self.log.delivered, self.arrivals
        if arrivals.unknown:
            seen = f"; the listener logged {delivered:,} as delivered" if delivered else ""
            return f"not known ({arrivals.unknown}{seen})"
        if arrivals.is_cut or (arrivals.count and not delivered):
            return f"{arrivals.count:,} or more"
        if arrivals.count < delivered:
            return f"{arrivals.count:,} in the graph so far, of {delivered:,} that the listener logged as delivered"
        return f"{arrivals.count:,}"

    def _lost(self) -> str:
        refused, unsent = self.log.refused, self.log.unsent
        parts = [f"{why}: {count:,}" for why, count in refused.most_common()]
        if unsent:
            parts.append(f"unsent: up to {unsent:,}")
        shown = f"{refused.total():,}" + (" or more" if unsent else "")
        return f"{shown} ({', '.join(parts)})" if parts else shown

    def _where(self) -> str:
        arrivals = self.arrivals
        is_known = not (arrivals.unknown or arrivals.is_cut)
        is_short = is_known and arrivals.count < max(self.log.delivered, 1)
        if self.status() or is_short:
            return f"ask `{self.doctor}`"
        if arrivals.unknown:
            return f"see `{arrivals.see}` with a key that may read"
        return f"see `{arrivals.see}`"
