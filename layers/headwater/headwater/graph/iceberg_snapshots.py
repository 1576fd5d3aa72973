"""Which snapshot of an Iceberg table a run read or wrote.

A read names the table's present snapshot as its version, also when it travelled in time; what it really scanned is in
the scan report, as a float that lost the last digits of the id. So ids are compared as floats: of one table's
snapshots, whose ids are random, no two come out the same.
"""

from decimal import Decimal
from typing import Any

from headwater.graph.dataset_reference import DatasetUse
from headwater.graph.register import values

_OF_THE_TABLE = {"CREATE", "ALTER", "RENAME", "DROP"}
"""Changes of a table that are none of its data (lifecycleStateChange facet)."""


def scanned_snapshot(use: DatasetUse) -> float | None:
    """The snapshot that a run says it scanned."""
    match values(use.io_facets).get("icebergScanReport"):
        case {"snapshotId": int() | float() | Decimal() as snapshot}:
            return _id(snapshot)
    return None


def written_snapshot(use: DatasetUse) -> float | None:
    """The snapshot that a run says it made."""
    match values(use.facets).get("version"):
        case {"datasetVersion": str(version)} if version.isdecimal():
            return _id(version)
    return None


def writes_data(use: DatasetUse) -> bool:
    """Whether a run wrote rows: who creates a table if there is none, or alters it, names the snapshot there is."""
    change = values(use.facets).get("lifecycleStateChange")
    kind = change.get("lifecycleStateChange") if isinstance(change, dict) else None
    return kind not in _OF_THE_TABLE or "outputStatistics" in use.io_facets


def _id(snapshot: Any) -> float | None:
    """A table without data has none: its scans say -1."""
    found = float(snapshot)
    return found if found > 0 else None
