"""Metrics as lines in the log (CloudWatch's embedded metric format): no call, no cost while nothing runs."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from headwater.openlineage.event import Name

MOST = 1_000
"""Characters of a URL that are looked at, from its end."""
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
"""Who is told apart: the word in a producer's URL that says which tool it is (`great_expectations` has two)."""
STACK = "headwater"
"""The service that a metric of the whole stack has for its dimension."""
_WORD = re.compile(r"[a-z]+")


def count(**counts: int) -> None:
    """Emits counts by service; zeros are left out."""
    _emit({name: [number] for name, number in counts.items() if number}, MetricUnit.Count)


def corrupt_items(number: int) -> None:
    """Emits the metric CorruptItems, of the stack as a whole: one alarm hears of it; the log names the function."""
    _emit({"CorruptItems": [number]} if number else {}, MetricUnit.Count, service=STACK)


class Durations(NamedTuple):
    """How long an event took, in milliseconds: from its receipt to the table, and, if that counts, on its way here."""

    producer: str
    job: Name | None
    fold: int
    emission: int | None


def durations(events: Iterable[Durations]) -> None:
    """Emits a line for each event: metrics by service and by service and producer, of which there are few.

    The job stands beside them, as a member that is no dimension: a query of the log tells percentiles job by job, and
    no metric is billed for a job.
    """
    for each in events:
        values: dict[str, list[float]] = {"NormaliseLatency": [each.fold]}
        if each.emission is not None:
            values["EmissionLatency"] = [each.emission]
        job = {"jobNamespace": each.job.namespace, "job": each.job.name} if each.job else {}
        _emit(values, MetricUnit.Milliseconds, producer_name(each.producer), job)


def producer_name(producer: str) -> str:
    """The tool, out of a few: `.../tree/1.53.0/integration/spark` is `spark`, and what is not known is `other`.

    Whoever has a key for ingest chooses the URL, and each name is a metric that CloudWatch bills.
    """
    words = reversed(_WORD.findall(producer[-MOST:].lower()))
    return next((word for word in words if word in PRODUCERS), "other")


def _emit(
    metrics: Mapping[str, Iterable[float]],
    unit: MetricUnit,
    producer: str | None = None,
    beside: Mapping[str, str] | None = None,
    service: str | None = None,
) -> None:
    if not metrics:
        return
    # Namespace and service come from the environment. The provider's state would be shared, were it not given here.
    provider = AmazonCloudWatchEMFProvider(metric_set={}, dimension_set={}, metadata_set={}, service=service)
    if producer and provider.service:
        provider.add_dimensions(service=provider.service, producer=producer)
    for name, text in (beside or {}).items():
        provider.add_metadata(name, text)
    for name, values in metrics.items():
        for value in values:
            provider.add_metric(name=name, unit=unit, value=value)
    provider.flush_metrics()
