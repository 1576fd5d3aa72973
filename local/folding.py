"""Waits until the embedded stack has dealt with every event that it received."""

import time
from pathlib import Path

from local.deployment import Deployment
from local.failure import Failure
from local.metrics import Metrics, log_lines
from local.spark import complaint

SECONDS = 60


def wait_until_folded(deployment: Deployment, spark_logs: list[Path]) -> Metrics:
    """Return the functions' metrics once as many events were folded or quarantined as were received.

    Raises Failure if that takes over a minute, or if no event arrives in it.
    """
    deadline = time.monotonic() + SECONDS
    while True:
        metrics = read_metrics(deployment)
        if 0 < metrics.total("EventsReceived") <= settled(metrics):
            return metrics
        if time.monotonic() > deadline:
            raise not_folded(metrics, spark_logs)
        time.sleep(0.3)


def read_metrics(deployment: Deployment) -> Metrics:
    return Metrics(log_lines(deployment.account, deployment.resources["AWS::Logs::LogGroup"]))


def settled(metrics: Metrics) -> int:
    return metrics.total("EventsNormalised") + metrics.total("EventsQuarantined")


def not_folded(metrics: Metrics, spark_logs: list[Path]) -> Failure:
    received = metrics.total("EventsReceived")
    if received:
        reason = f"of {received} events received, {settled(metrics)} were folded within {SECONDS} s"
        return Failure(reason, f"see normalise.log in {spark_logs[0].parent}")
    reason = f"no event arrived within {SECONDS} s of the jobs' end. Spark's log says:\n{complaint(spark_logs[0])}"
    return Failure(reason, f"see what OpenLineage says in {spark_logs[0]}: was the listener loaded, was it answered?")
