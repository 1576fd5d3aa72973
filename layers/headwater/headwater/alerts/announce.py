"""Announces what the table's stream tells: the stream is the outbox, so what was stored is told, whoever dies.

Records are taken in their order. If the bus or the table cannot be used, the record is told as failed, and the stream
gives it and all behind it again; an alert that was put before is put again with the same id. What can never be read is
set aside, so that it does not hold up the shard.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from headwater.alerts.alert import Alert
from headwater.alerts.assertion_failed import assertion_failed
from headwater.alerts.emission_latency_breach import emission_latency_breach
from headwater.alerts.record import Record, read_record
from headwater.alerts.run_failed import run_failed
from headwater.alerts.schema_changed import schema_changed
from headwater.graph.naming import Naming
from headwater.read.reader import Reader
from headwater.store.request_cache import RequestCache
from headwater.store.s3 import Bodies
from headwater.store.table import StorageError, Table


class Bus(Protocol):
    """Where alerts go."""

    def put(self, alerts: Sequence[Alert]) -> None:
        """Puts alerts, or raises StorageError: then some may be there, and to put all again is right."""


Alerts = Callable[[Record, Reader], Iterator[Alert]]
BY_KIND: Mapping[str, Alerts] = {
    "dataset": schema_changed,
    "run": run_failed,
    "quality": assertion_failed,
    "latency": emission_latency_breach,
}
"""What a record of each kind of item may tell. template.yaml lets no other reach the function."""


@dataclass(slots=True)
class Announced:
    """What became of some records: how many alerts were put, how many records set aside, and where to begin again."""

    alerts: int = 0
    quarantined: int = 0
    failed: str | None = None


@dataclass(frozen=True)
class Announcer:
    """Turns records into alerts on the bus."""

    table: Table
    bucket: Bodies
    bus: Bus
    naming: Naming
    log: Callable[[str, BaseException], None]

    def announce(self, records: Iterable[dict[str, Any]]) -> Announced:
        """Announces records until one cannot be for now."""
        outcome = Announced()
        known = [*records]
        for number, each in enumerate(known):
            try:
                outcome.alerts += self._announce(each, known[number + 1 :])
            except StorageError as error:
                self.log("a record could not be announced for now", error)
                outcome.failed = each["dynamodb"]["SequenceNumber"]
                return outcome
            except Exception as error:  # noqa: BLE001 - a bug must not hold up the shard
                self.log("a record goes to quarantine", error)
                try:
                    self._quarantine(each, error)
                except StorageError:
                    outcome.failed = each["dynamodb"]["SequenceNumber"]
                    return outcome
                outcome.quarantined += 1
        return outcome

    def _announce(self, raw: dict[str, Any], rest: Sequence[dict[str, Any]]) -> int:
        record = read_record(raw, self.bucket, rest)
        told = BY_KIND.get(record.kind)
        reader = Reader(RequestCache(self.table), self.naming)
        alerts = list(told(record, reader)) if told else []
        if alerts:
            self.bus.put(alerts)
        return len(alerts)

    def _quarantine(self, raw: dict[str, Any], error: Exception) -> None:
        kept = {"reason": f"{type(error).__name__}: {error}", "record": raw}
        name = f"quarantine/stream/{raw.get('eventID', 'unknown')}.json"
        self.bucket.put(name, json.dumps(kept, default=str).encode())
