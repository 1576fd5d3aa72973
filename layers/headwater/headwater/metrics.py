"""Metrics as lines in the log (CloudWatch's embedded metric format): no call, no cost while nothing runs."""

import re
from collections.abc import Iterable, Mapping

from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

_INTEGRATION = re.compile(r"[^/?#]+(?=/*(?:[?#].*)?$)")


def count(**counts: int) -> None:
    """Emits counts by service; zeros are left out."""
    _emit({name: [number] for name, number in counts.items() if number}, MetricUnit.Count)


def durations(by_producer: Mapping[str, Mapping[str, Iterable[float]]]) -> None:
    """Emits durations in milliseconds, producer -> metric -> values, by service and by service and producer."""
    for producer, metrics in by_producer.items():
        _emit(metrics, MetricUnit.Milliseconds, producer)


def producer_name(producer: str) -> str:
    """A short name, of which there are few: `.../tree/1.53.0/integration/spark` is `spark`."""
    last = _INTEGRATION.search(producer)
    return re.sub(r"[^a-z0-9_.-]", "_", last.group().lower())[:40] if last else "unknown"


def _emit(metrics: Mapping[str, Iterable[float]], unit: MetricUnit, producer: str | None = None) -> None:
    if not metrics:
        return
    # Namespace and service come from the environment. The provider's state would be shared, were it not given here.
    provider = AmazonCloudWatchEMFProvider(metric_set={}, dimension_set={}, metadata_set={})
    if producer and provider.service:
        provider.add_dimensions(service=provider.service, producer=producer)
    for name, values in metrics.items():
        for value in values:
            provider.add_metric(name=name, unit=unit, value=value)
    provider.flush_metrics()
