"""Metrics as lines in the log, in CloudWatch's embedded metric format: no call, and no cost while nothing runs.

`headwater serve` has no CloudWatch: it takes the metrics itself (`send_to`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from headwater.openlineage.event import Name

STACK = "headwater"
"""The value of the dimension service for a metric of the whole stack."""

COUNT, MILLISECONDS = "Count", "Milliseconds"
"""The units of metrics."""


class Measurement(NamedTuple):
    """Values of metrics by name. `metadata` are members of the log line, not dimensions."""

    values: Mapping[str, Sequence[float]]
    unit: str
    producer: str | None = None
    metadata: Mapping[str, str] = {}
    service: str | None = None


def count(**counts: int) -> None:
    """Emits counts with the dimension service; zeros are left out."""
    _emit(Measurement({name: [number] for name, number in counts.items() if number}, COUNT))


def corrupt_items(number: int) -> None:
    """Emits the metric CorruptItems for the whole stack, which has one alarm. The log names the function."""
    _emit(Measurement({"CorruptItems": [number]} if number else {}, COUNT, service=STACK))


def lost_audit_entry() -> None:
    """Emits the metric AuditEntriesLost for the whole stack, which has one alarm. The log names the request."""
    _emit(Measurement({"AuditEntriesLost": [1]}, COUNT, service=STACK))


class Durations(NamedTuple):
    """The latencies of an event in milliseconds: from ingest to the table, and the emission latency, if it counts.
    `producer` is the URL in the event."""

    producer: str
    job: Name | None
    fold: int
    emission: int | None


def durations(events: Iterable[Durations], name_of: Callable[[str], str]) -> None:
    """Emits a line for each event: its latencies with the dimensions service and producer, which have few values.
    `name_of` turns the URL of a producer into its name.

    The job is a member of the line, not a dimension: a log query can still compute percentiles for each job, and
    CloudWatch does not bill a metric for it.
    """
    for event in events:
        values: dict[str, list[float]] = {"NormaliseLatency": [event.fold]}
        if event.emission is not None:
            values["EmissionLatency"] = [event.emission]
        job = {"jobNamespace": event.job.namespace, "job": event.job.name} if event.job else {}
        _emit(Measurement(values, MILLISECONDS, name_of(event.producer), job))


def send_to(sink: Callable[[Measurement], None]) -> None:
    """From here on, `sink` takes the metrics of this process."""
    _SINKS[:] = [sink]


def _emit(measurement: Measurement) -> None:
    if measurement.values:
        for sink in _SINKS:
            sink(measurement)


def to_log(measurement: Measurement) -> None:
    """Writes a line in CloudWatch's embedded metric format."""
    from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

    # Namespace and service come from the environment. Without these arguments, all providers would share one state.
    provider = AmazonCloudWatchEMFProvider(
        metric_set={}, dimension_set={}, metadata_set={}, service=measurement.service
    )
    if measurement.producer and provider.service:
        provider.add_dimensions(service=provider.service, producer=measurement.producer)
    for name, text in measurement.metadata.items():
        provider.add_metadata(name, text)
    for name, values in measurement.values.items():
        for value in values:
            provider.add_metric(name=name, unit=measurement.unit, value=value)
    provider.flush_metrics()


_SINKS: list[Callable[[Measurement], None]] = [to_log]
