"""The emission latency of jobs, as the fold has measured it: the only state that depends on the times of receipt.

    events      by run, in the order of receipt: which are repeated, and which count
    measures    by job and day of receipt, in that order: how the day changes a breach that is open, or none
    days        by job, in their order: the last latency to store

A job with a million runs is a task for each of its days, and no task holds more than a day's outcome.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any, NamedTuple

from pyspark import RDD
from pyspark.rdd import portable_hash

from headwater.graph.facets.curation import is_curation
from headwater.graph.names.identity import JobId, job_id
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.states.latency import Latency, is_timely, next_breach_state
from headwater.graph.states.normalised_event import NormalisedEvent
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


class _Day(NamedTuple):
    """A job's day of receipt: the latency to store after it, if no breach was open before it, and if one was. A late
    event of an earlier day says nothing of a breach."""

    day: str
    if_closed: Latency | None
    if_open: Latency | None


def measures(events: Iterable[NormalisedEvent]) -> Iterator[Measure]:
    """The measures of those events that are of runs, and no judgement of a person."""
    for normalised in events:
        event = normalised.event
        if isinstance(event, RunEvent) and not is_curation(event):
            name = event.job.name
            yield Measure(job_id(name), event.run_id, normalised.at, event.time, event.digest, name)


def latencies(measured_events: RDD[Measure], thresholds: Thresholds, partitions: int) -> RDD[Latency]:
    """The latency of each job that ever had a late event."""
    counted = _sorted(measured_events.keyBy(_by_run), partitions).mapPartitions(_timely)
    days = _sorted(counted.keyBy(_by_day), partitions).mapPartitions(lambda measures: _days(measures, thresholds))
    return days.groupByKey(partitions).values().flatMap(_last)


def _sorted(keyed: "RDD[tuple[tuple[Any, ...], Measure]]", partitions: int) -> RDD[Measure]:
    """The measures in partitions by the first two members of their keys, sorted by their keys."""
    unsorted: Any = keyed  # the stubs of Spark know no order of tuples
    in_order: RDD[Any] = unsorted.repartitionAndSortWithinPartitions(partitions, lambda key: portable_hash(key[:2]))
    return in_order.values()


def _by_run(measure: Measure) -> tuple[Any, ...]:
    return measure.job, measure.run_id, measure.at, measure.time, measure.digest


def _by_day(measure: Measure) -> tuple[Any, ...]:
    return measure.job, measure.at[:10], measure.at, measure.time, measure.digest


def _timely(sorted_measures: Iterable[Measure]) -> Iterator[Measure]:
    """The measures that count, of runs whose events are in the order of their receipt."""
    for _, of_run in groupby(sorted_measures, key=lambda measure: (measure.job, measure.run_id)):
        last = NEVER
        for measure in of_run:
            if is_timely(measure.time, measure.at, last):
                yield measure
            last = max(last, measure.time)


def _days(sorted_measures: Iterable[Measure], thresholds: Thresholds) -> Iterator[tuple[JobId, _Day]]:
    for (job, day), of_day in groupby(sorted_measures, key=lambda measure: (measure.job, measure.at[:10])):
        if_closed: Latency | None = None
        if_open: Latency | None = None
        for measure in of_day:
            millis = milliseconds_between(measure.time, measure.at)
            threshold = thresholds.of(measure.name.namespace)
            now = Latency(measure.name, measure.run_id, measure.at, millis, threshold)
            if_closed = next_breach_state(if_closed, now) or if_closed
            if_open = next_breach_state(if_open or _open_before(now), now) or if_open
        yield job, _Day(day, if_closed, if_open)


def _open_before(now: Latency) -> Latency:
    return Latency(now.job, now.run_id, NEVER, now.millis, now.threshold, is_exceeded=True)


def _last(days: Iterable[_Day]) -> Iterator[Latency]:
    """The last latency to store of a job, if there is any."""
    last: Latency | None = None
    for day in sorted(days, key=lambda day: day.day):
        last = (day.if_open if last and last.is_exceeded else day.if_closed) or last
    if last:
        yield last
