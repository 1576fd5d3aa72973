"""The event bus of alerts, on EventBridge."""

import json
from collections.abc import Sequence
from typing import Any

from headwater.alerts.alert import Alert
from headwater.openlineage.instant import to_datetime
from headwater.store.aws.client import translated_errors
from headwater.store.errors import StorageError

SOURCE = "headwater.lineage"
ENTRIES = 10
"""Entries of one PutEvents. An entry is far below its bound of 256 KB: an alert has few names, and cuts long ones."""


class EventBus:
    """A bus by its name. Links in alerts lead to `api_url`."""

    def __init__(self, client: Any, name: str, api_url: str) -> None:
        self._client = client
        self._name = name
        self._api_url = api_url.rstrip("/")

    def put(self, alerts: Sequence[Alert]) -> None:
        """Puts alerts. Raises Rejected for alerts that the bus will never take.

        After a StorageError some alerts may be on the bus; the caller puts all alerts again.
        """
        entries = [self._entry(alert) for alert in alerts]
        for start in range(0, len(entries), ENTRIES):
            with translated_errors(writing=True):
                answer = self._client.put_events(Entries=entries[start : start + ENTRIES])
            if answer.get("FailedEntryCount"):
                reasons = {entry.get("ErrorCode") for entry in answer["Entries"]} - {None}
                raise StorageError(f"the bus did not take all alerts: {', '.join(sorted(map(str, reasons)))}")

    def _entry(self, alert: Alert) -> dict[str, Any]:
        return {
            "EventBusName": self._name,
            "Source": SOURCE,
            "DetailType": alert.type.value,
            "Time": to_datetime(alert.time),
            "Resources": [],
            "Detail": json.dumps(alert.detail(self._api_url), default=str),
        }
