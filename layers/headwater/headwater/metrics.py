"""Metrics as lines in the log, in CloudWatch's embedded metric format: no call, and no cost while nothing runs."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from headwater.openlineage.event import Name

MOST = 1_000
"""Characters of a producer's URL that are searched, from its end."""
PRODUCERS = frozenset(
    {
        "airflow",
        "dagster",
        "dbt",
        "debezium",
        "expectations",
        "flink",
        "headwater",
        "hive",
        "kafka",
        "snowflake",
        "spark",
    }
    | {"sqlmesh", "trino"}
)
"""The values of the dimension producer: words in the URLs of tools (of `great_expectations`, the second word)."""
STACK = "headwater"
"""The value of the dimension service for a metric of the whole stack."""
_WORD = re.compile(r"[a-z]+")


def count(**counts: int) -> None:
    """Emits counts with the dimension service; zeros are left out."""
    _emit({name: [number] for name, number in counts.items() if number}, MetricUnit.Count)


def corrupt_items(number: int) -> None:
    """Emits the metric CorruptItems for the whole stack, which has one alarm. The log names the function."""
    _emit({"CorruptItems": [number]} if number else {}, MetricUnit.Count, service=STACK)


class Durations(NamedTuple):
    """The latencies of an event in milliseconds: from ingest to the table, and the emission latency, if it counts."""

    producer: str
    job: Name | None
    fold: int
    emission: int | None


def durations(events: Iterable[Durations]) -> None:
    """Emits a line for each event: its latencies with the dimensions service and producer, which have few values.

    The job is a member of the line and no dimension: a query of the log computes percentiles for each job, and
    CloudWatch bills no metric for a job.
    """
    for event in events:
        values: dict[str, list[float]] = {"NormaliseLatency": [event.fold]}
        if event.emission is not None:
            values["EmissionLatency"] = [event.emission]
        job = {"jobNamespace": event.job.namespace, "job": event.job.name} if event.job else {}
        _emit(values, MetricUnit.Milliseconds, producer_name(event.producer), job)


def producer_name(producer: str) -> str:
    """The tool in a producer's URL: `spark` for `.../tree/1.53.0/integration/spark`, `other` for an unknown tool.

    Unknown tools have no name of their own: CloudWatch bills each name as a metric, and any client with the scope
    ingest can send new URLs.
    """
    words = reversed(_WORD.findall(producer[-MOST:].lower()))
    return next((word for word in words if word in PRODUCERS), "other")


def _emit(
    metrics: Mapping[str, Iterable[float]],
    unit: MetricUnit,
    producer: str | None = None,
    metadata: Mapping[str, str] | None = None,
    service: str | None = None,
) -> None:
    if not metrics:
        return
    # Namespace and service come from the environment. Without these arguments, all providers would share one state.
    provider = AmazonCloudWatchEMFProvider(metric_set={}, dimension_set={}, metadata_set={}, service=service)
    if producer and provider.service:
        provider.add_dimensions(service=provider.service, producer=producer)
    for name, text in (metadata or {}).items():
        provider.add_metadata(name, text)
    for name, values in metrics.items():
        for value in values:
            provider.add_metric(name=name, unit=unit, value=value)
    provider.flush_metrics()
