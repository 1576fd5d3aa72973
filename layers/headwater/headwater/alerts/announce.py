"""Turns the table's stream into alerts on the bus.

The stream is the outbox: a change in the table raises its alerts, even if a function dies in between. Records are
processed in order. A record fails if the bus or the table is unavailable, or if an item cannot be read. The stream then
delivers the batch again from that record on, and alerts may be put again with the same ids. If the code itself fails on
a record, the record goes to quarantine, so that it does not hold up the shard.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from headwater.alerts.alert import Alert, Record
from headwater.alerts.assertion_failed import assertion_failed
from headwater.alerts.emission_latency_breach import emission_latency_breach
from headwater.alerts.run_failed import run_failed
from headwater.alerts.schema_changed import schema_changed
from headwater.alerts.volume_anomaly import volume_anomaly
from headwater.graph.names.naming import Naming
from headwater.log import FaultLog
from headwater.read.reader import Reader
from headwater.store.errors import CorruptItem, StorageError
from headwater.store.graph_store import GraphReader
from headwater.store.stream_records import (
    StreamRecord,
    is_rebuilt,
    later_changes,
    read_change,
    run_of,
    sequence_of,
    written,
)

if TYPE_CHECKING:
    from headwater.store.bodies import Bodies


class Bus(Protocol):
    def put(self, alerts: Sequence[Alert]) -> None:
        """Puts alerts. After a StorageError some alerts may be on the bus; the caller puts all alerts again."""


BY_KIND: Mapping[str, Callable[[Record, Reader], Iterator[Alert]]] = {
    "dataset": schema_changed,
    "run": run_failed,
    "quality": assertion_failed,
    "latency": emission_latency_breach,
    "rhythm": volume_anomaly,
}
"""The alerts for a record, by the kind of the item. template.yaml filters the stream by these kinds."""


@dataclass(slots=True)
class AnnounceResult:
    """The outcome of a batch of records.

    alerts        alerts that were put on the bus
    quarantined   records that went to quarantine
    corrupt       items that cannot be read: a record was not announced, or its alert is without what is downstream of
                  an output
    failed        the sequence number of the first record that must be delivered again
    """

    alerts: int = 0
    quarantined: int = 0
    corrupt: int = 0
    failed: str | None = None


@dataclass(frozen=True)
class Announcer:
    """Puts the alerts for records on the bus."""

    store: GraphReader
    bucket: "Bodies"
    bus: Bus
    naming: Naming
    log: FaultLog

    def announce(self, records: Iterable[StreamRecord]) -> AnnounceResult:
        """Announces records in order, and stops at a record that cannot be announced at the moment."""
        result, batch = AnnounceResult(), [*records]
        for number, record in enumerate(batch):
            try:
                self._announce(record, batch[number + 1 :], result)
            except StorageError as error:
                self.log("a record could not be announced for now", error, run=run_of(record))
                result.corrupt += isinstance(error, CorruptItem)
                result.failed = sequence_of(record)
                break
        return result

    def _announce(self, record: StreamRecord, rest: Iterable[StreamRecord], result: AnnounceResult) -> None:
        """Announces a record, or quarantines it. Raises StorageError if neither is possible at the moment."""
        try:
            alerts = self._alerts_of(record, rest, result)
            if alerts:
                self.bus.put(alerts)
            result.alerts += len(alerts)
        except StorageError:
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not hold up the shard
            self.log("a record goes to quarantine", error, run=run_of(record))
            self._quarantine(record, error)
            result.quarantined += 1

    def _alerts_of(self, record: StreamRecord, rest: Iterable[StreamRecord], result: AnnounceResult) -> list[Alert]:
        if is_rebuilt(record):
            return []
        change, cache = read_change(record, self.bucket, self.store.cache), self.store.cache
        alerts_of = BY_KIND.get(change.kind)
        if alerts_of is None or change.is_rewrite:
            return []

        def skip(error: CorruptItem) -> None:
            self.log("an alert is without what is downstream of an output", error, run=run_of(record))
            result.corrupt += 1

        reader = Reader(self.store.for_one_request(), self.naming)
        later = later_changes(record, rest, self.bucket, cache)
        return list(alerts_of(Record(change, later, written(record), skip), reader))

    def _quarantine(self, record: StreamRecord, error: Exception) -> None:
        document = {"reason": f"{type(error).__name__}: {error}", "record": record}
        key = f"quarantine/stream/{record.get('eventID', 'unknown')}.json"
        self.bucket.put(key, json.dumps(document, default=str).encode())
