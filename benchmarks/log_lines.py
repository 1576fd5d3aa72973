"""The bytes that an event leaves in CloudWatch's logs: lines of metrics, as ingest and normalise write them, and of the
API."""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stdout
from unittest.mock import patch

from headwater import metrics
from headwater.graph.producers import producer_name
from headwater.metrics import Durations
from headwater.openlineage.event import Name

OVERHEAD_BYTES = 26
"""CloudWatch bills this for each line beyond its text."""
REQUEST_BYTES = 420
"""Assumed, of the API's line for a request: the template's format with an IPv4 address and ids of AWS's lengths."""
JOB = "clean_orders.execute_insert_into_hadoop_fs_relation_command.data_orders_clean"
PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.53.0/integration/spark"


def log_bytes(batch: int) -> float:
    """The bytes of an event, if events are sent and folded in batches of a size and nothing goes wrong."""
    durations = Durations(PRODUCER, Name("spark://cluster", JOB), 1_234, 5_678)
    counted = _billed(lambda: metrics.count(EventsReceived=batch)) + _billed(
        lambda: metrics.count(EventsNormalised=batch)
    )
    latencies = _billed(lambda: metrics.durations([durations], producer_name))
    return latencies + (counted + REQUEST_BYTES + OVERHEAD_BYTES) / batch


def _billed(emit: Callable[[], None]) -> int:
    settings = {"POWERTOOLS_METRICS_NAMESPACE": "Headwater/headwater-prod", "POWERTOOLS_SERVICE_NAME": "normalise"}
    lines = io.StringIO()
    with patch.dict(os.environ, settings), redirect_stdout(lines):
        emit()
    return sum(len(line) + OVERHEAD_BYTES for line in lines.getvalue().splitlines())
