"""The snapshot of an Iceberg table that a run read or wrote.

The `version` facet of an input names the table's present snapshot, even if the run read an older snapshot. The snapshot
that the run scanned is in the scan report, as a float that lost the last digits of the id. Hence ids are compared as
floats: the ids of a table's snapshots are random, and no two are the same float.
"""

from decimal import Decimal
from typing import Any

from headwater.graph.facets.dataset_reference import IoDataset
from headwater.graph.facets.register import Register, values

_OF_THE_TABLE = {"CREATE", "ALTER", "RENAME", "DROP"}
"""Changes of a table that do not change its data (lifecycleStateChange facet)."""


def scanned_snapshot(io_dataset: IoDataset) -> float | None:
    """The snapshot that a run scanned, by the scan report of its input."""
    match io_dataset.io_facets.get("icebergScanReport"):
        case Register(value={"snapshotId": int() | float() | Decimal() as snapshot}):
            return _id(snapshot)
    return None


def written_snapshot(io_dataset: IoDataset) -> float | None:
    """The snapshot that a run made, by the version facet of its output."""
    match values(io_dataset.facets).get("version"):
        case {"datasetVersion": str(version)} if version.isdecimal():
            return _id(version)
    return None


def writes_data(io_dataset: IoDataset) -> bool:
    """Whether a run wrote rows. A run that only creates or alters the table names the snapshot that was there
    before."""
    change = values(io_dataset.facets).get("lifecycleStateChange")
    kind = change.get("lifecycleStateChange") if isinstance(change, dict) else None
    return kind not in _OF_THE_TABLE or "outputStatistics" in io_dataset.io_facets


def _id(snapshot: Any) -> float | None:
    """The id of a snapshot as a float; None for a table without data, whose scans have -1."""
    number = float(snapshot)
    return number if number > 0 else None
