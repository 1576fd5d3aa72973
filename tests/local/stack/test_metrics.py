"""The functions' metrics are read back from their log lines."""

import json
from typing import Any

from local.stack.metrics import Metrics


def emf(values: dict[str, Any], namespace: str = "Headwater/dev") -> str:
    directive = {"Namespace": namespace, "Dimensions": [["service"]], "Metrics": [{"Name": name} for name in values]}
    return json.dumps({"_aws": {"CloudWatchMetrics": [directive]}, "service": "ingest"} | values)


def test_counts_are_added_up() -> None:
    metrics = Metrics([emf({"EventsReceived": 1}), emf({"EventsReceived": [2.0, 3.0]}), emf({"EventsRefused": 1})])
    assert (metrics.total("EventsReceived"), metrics.total("EventsRefused"), metrics.total("Unseen")) == (6, 1, 0)


def test_percentiles_are_of_all_values() -> None:
    metrics = Metrics(
        [emf({"EmissionLatency": [30, 10]}), emf({"EmissionLatency": 20}), emf({"EmissionLatency": [40]})]
    )
    assert (metrics.percentile("EmissionLatency", 0.5), metrics.percentile("EmissionLatency", 0.95)) == (20, 40)
    assert metrics.percentile("Unseen", 0.5) is None


def test_other_lines_count_for_nothing() -> None:
    others = ["START RequestId: 1", "{broken", "{}", '{"level": "INFO"}', "[1]", emf({"EventsReceived": 1}, "Other")]
    assert Metrics(others).values == {}
