"""The kinds of items, each with its codec and encoder. docs/table.md lists the kinds."""

from collections.abc import Mapping
from typing import Any

from headwater.store.items import alerts, datasets, events, jobs, latency, names, runs, writes
from headwater.store.items.codec import Codec

CODECS: Mapping[str, Codec[Any]] = {
    codec.kind: codec
    for codec in (
        jobs.JOB,
        latency.LATENCY,
        runs.RUN,
        datasets.DATASET,
        datasets.NEIGHBOURS,
        datasets.SCHEMAS,
        datasets.COLUMN_LINEAGE,
        writes.WRITE,
        writes.QUALITY,
        events.EVENT,
        alerts.ALERT,
        names.ALIAS,
        names.NAMESPACE,
        names.CATALOG,
    )
}
"""The codecs by kind of item. A day has no document and no codec."""
