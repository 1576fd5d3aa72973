"""The audit of the process. The entry of a change is on disk before its answer. That of a lookup, and of a change that
was refused, is a moment later: so no lookup waits for a commit of thousands of items, or for the disk, and clients
without a key do not hold the threads of others so long."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator

from headwater.graph.states.audit import AuditEntry
from headwater.store.home import EntryWriter

STEP_SECONDS = 0.2
"""How often the entries that wait are written. A process that is killed loses those that wait."""
MOST_WAITING = 1_000
"""While the file cannot be written, so many entries wait in memory: 1 MB, 50 at most. Those that follow are lost."""
AT_ONCE = 500
MOST_STRANGERS, STRANGERS_A_SECOND = 1_000.0, 1.0
"""How many requests without a valid key become entries at once, and on end: 36 MB a day."""


class Strangers:
    """Counts the requests without a valid key that become entries: anybody can send them, and they must not fill the
    disk."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._left, self._counted = MOST_STRANGERS, clock()
        self._counting = threading.Lock()

    def may_be_recorded(self) -> bool:
        """Whether one more becomes an entry."""
        with self._counting:
            now = self._clock()
            left = min(MOST_STRANGERS, self._left + (now - self._counted) * STRANGERS_A_SECOND)
            may = left >= 1
            self._left, self._counted = left - may, now
        return may


class Auditing:
    """Writes entries into the audit log of a home."""

    def __init__(self, log: EntryWriter) -> None:
        self._log = log
        self._waiting: deque[AuditEntry] = deque()
        self._writing = threading.Lock()

    def write(self, entry: AuditEntry) -> None:
        """Writes the entry of a change, and keeps any other for the next step. Raises StorageError."""
        is_refused = 400 <= entry.status < 500  # after a 503, a part of a deletion may be done
        if (entry.is_change and not is_refused) or len(self._waiting) >= MOST_WAITING:
            self._log.write(entry)
        else:
            self._waiting.append(entry)

    def step(self) -> float:
        """Writes the entries that wait as it begins. Raises StorageError; they wait on."""
        with self._writing:
            for _ in range(0, len(self._waiting), AT_ONCE):
                entries = [self._waiting.popleft() for _ in range(min(AT_ONCE, len(self._waiting)))]
                try:
                    self._log.write(*entries)
                except BaseException:
                    self._waiting.extendleft(reversed(entries))
                    raise
        return STEP_SECONDS

    def lost(self) -> Iterator[AuditEntry]:
        """The entries that still wait once there is no next step."""
        while self._waiting:
            yield self._waiting.popleft()
