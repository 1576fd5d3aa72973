"""Waits until an embedded stack has processed every event that it received."""

import time
from pathlib import Path

from headwater.cli.jvm.spark_submit import error_lines
from headwater.cli.machine.failure import Failure
from local.deploy.deployment import Deployment
from local.stack.function_logs import log_lines
from local.stack.metrics import Metrics

SECONDS = 60


def wait_for_ingestion(deployment: Deployment, spark_logs: list[Path]) -> Metrics:
    """Return the functions' metrics once as many events were normalised or quarantined as were received.

    Raises Failure if that takes over a minute, or if no event arrives in that time.
    """
    deadline = time.monotonic() + SECONDS
    while True:
        metrics = read_metrics(deployment)
        if 0 < metrics.total("EventsReceived") <= processed(metrics):
            return metrics
        if time.monotonic() > deadline:
            raise timeout(metrics, spark_logs)
        time.sleep(0.3)


def read_metrics(deployment: Deployment) -> Metrics:
    return Metrics(log_lines(deployment.account, deployment.resources["AWS::Logs::LogGroup"]))


def processed(metrics: Metrics) -> int:
    return metrics.total("EventsNormalised") + metrics.total("EventsQuarantined")


def timeout(metrics: Metrics, spark_logs: list[Path]) -> Failure:
    received = metrics.total("EventsReceived")
    if received:
        reason = f"of {received} events received, {processed(metrics)} were folded within {SECONDS} s"
        return Failure(reason, f"see normalise.log in {spark_logs[0].parent}")
    reason = f"no event arrived within {SECONDS} s of the jobs' end. Spark's log says:\n{error_lines(spark_logs[0])}"
    return Failure(reason, f"see what OpenLineage says in {spark_logs[0]}: was the listener loaded, was it answered?")
