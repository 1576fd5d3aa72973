"""The emission latency of jobs, as the fold has measured it: the only state that depends on the times of receipt.

    events      by run, in the order of receipt: which are repeated, and which count
    measures    by job and hour of receipt, in that order: how the hour changes a breach that is open, or none
    hours       by job, in their order: the last beginning or end of a breach

A job with a million runs is a task for each hour, and no task holds more than the outcome of the hours with a breach.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from pyspark import RDD
from pyspark.rdd import portable_hash

from headwater.graph.identity import JobId, job_id
from headwater.graph.latency import Latency, is_timely, measured, next_breach_state
from headwater.graph.normalised_event import NormalisedEvent
from headwater.graph.thresholds import Thresholds
from headwater.openlineage.event import Name, RunEvent
from headwater.openlineage.instant import NEVER, Instant, milliseconds_between


class Measure(NamedTuple):
    """An event of a run with its time, received `at`."""

    job: JobId
    run_id: str
    at: Instant
    time: Instant
    digest: str
    name: Name


class _Hour(NamedTuple):
    """A job's hour of receipt: the breach that is the last to begin or end in the hour, if no breach was open before
    it, and if one was."""

    hour: str
    if_closed: Latency | None
    if_open: Latency | None


def measures(events: Iterable[NormalisedEvent]) -> Iterator[Measure]:
    """The measures of those events that are of runs."""
    for normalised in events:
        event = normalised.event
        if isinstance(event, RunEvent):
            name = event.job.name
            yield Measure(job_id(name), event.run_id, normalised.at, event.time, event.digest, name)


def latencies(measured_events: RDD[Measure], thresholds: Thresholds, partitions: int) -> RDD[Latency]:
    """The latency of each job that ever had a breach."""
    counted = _sorted(measured_events.keyBy(_by_run), partitions).mapPartitions(_timely)
    hours = _sorted(counted.keyBy(_by_hour), partitions).mapPartitions(lambda measures: _hours(measures, thresholds))
    return hours.groupByKey(partitions).values().flatMap(_last)


def _sorted(keyed: "RDD[tuple[tuple[Any, ...], Measure]]", partitions: int) -> RDD[Measure]:
    """The measures in partitions by the first two members of their keys, sorted by their keys."""
    unsorted: Any = keyed  # the stubs of Spark know no order of tuples
    in_order: RDD[Any] = unsorted.repartitionAndSortWithinPartitions(partitions, lambda key: portable_hash(key[:2]))
    return in_order.values()


def _by_run(measure: Measure) -> tuple[Any, ...]:
    return measure.job, measure.run_id, measure.at, measure.time, measure.digest


def _by_hour(measure: Measure) -> tuple[Any, ...]:
    return measure.job, measure.at[:13], measure.at, measure.time, measure.digest


def _timely(sorted_measures: Iterable[Measure]) -> Iterator[Measure]:
    """The measures that count, of runs whose events are in the order of their receipt."""
    for _, of_run in groupby(sorted_measures, key=lambda measure: (measure.job, measure.run_id)):
        last = NEVER
        for measure in of_run:
            if is_timely(measure.time, measure.at, last):
                yield measure
            last = max(last, measure.time)


def _hours(sorted_measures: Iterable[Measure], thresholds: Thresholds) -> Iterator[tuple[JobId, _Hour]]:
    for (job, hour), of_hour in groupby(sorted_measures, key=lambda measure: (measure.job, measure.at[:13])):
        if_closed: Latency | None = None
        if_open: Latency | None = None
        for measure in of_hour:
            millis = milliseconds_between(measure.time, measure.at)
            threshold = thresholds.of(measure.name.namespace)
            now = measured(measure.name, measure.run_id, measure.at, millis, threshold)
            if_closed = next_breach_state(if_closed, now) or if_closed
            if_open = next_breach_state(if_open or _open_before(now), now) or if_open
        if if_closed or if_open:
            yield job, _Hour(hour, if_closed, if_open)


def _open_before(now: Latency) -> Latency:
    return Latency(now.job, now.run_id, NEVER, now.millis, now.threshold, is_exceeded=True)


def _last(hours: Iterable[_Hour]) -> Iterator[Latency]:
    """The breach of a job that is the last to begin or end, if there is any."""
    last: Latency | None = None
    for hour in sorted(hours, key=lambda hour: hour.hour):
        last = (hour.if_open if last and last.is_exceeded else hour.if_closed) or last
    if last:
        yield last
