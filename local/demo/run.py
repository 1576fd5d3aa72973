"""`make demo`: a Spark pipeline reports its lineage to a fresh embedded stack, and the lookup API shows it.

Then the schema of the raw orders changes, the same jobs run again without an error, and an alert comes.
"""

import shutil
import time
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.jvm.jars import LISTENER_PINS, jar_files
from headwater.cli.jvm.java import java_home
from headwater.cli.jvm.spark_submit import SparkSubmit, error_lines
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import Say
from local.alerts.queue import AlertQueue, subscribe
from local.demo.orders_pipeline import Lake, OrdersPipeline
from local.demo.report import check_counts, curl_of_columns, page_of, print_counts, print_upstream
from local.demo.schema_drift import SCHEMA_CHANGED, check_datadog, print_alerts, wait_for_alert
from local.deploy.deployment import Deployment
from local.layout import Layout
from local.stack.function_logs import log_lines
from local.stack.lifecycle import IN_USE, Stack, StackOptions, listening, run_stack
from local.stack.lock import hold_lock, require_unlocked
from local.stack.metrics import Metrics

QUEUE = "demo-alerts"
SECONDS = 60


def demo(layout: Layout, port: int) -> None:
    """Run the demo on an empty stack, print its results, and stop the stack. Raises Failure."""
    with listening(port):
        pass  # a taken port is reported now, and not after the minutes before the port is needed
    with hold_lock(layout.demo_lock, "wait until it has ended"):
        require_unlocked(layout.run("demo") / "data" / IN_USE, "`make down` if that is the stack that `make up` runs")
        shutil.rmtree(layout.run("demo"))
        run(layout, port, stopwatch())


def run(layout: Layout, port: int, say: Say) -> None:
    folder = layout.run("demo")
    lake, data = Lake(folder / "lake"), folder / "data"
    say("looking for Java and the OpenLineage listener")
    home = java_home(layout.state)
    say(f"Java: {home}")
    jars = jar_files(layout.state, LISTENER_PINS)
    with run_stack(StackOptions(layout, "demo", port, data), say) as stack:
        spark, api = SparkSubmit(home, jars, stack.url, stack.key, folder), stack.api
        pipeline = OrdersPipeline(layout.root / "emr_jobs" / "pipelines" / "orders", spark, lake, say)
        alerts = subscribe(stack.deployment.account, stack.deployment.outputs["AlertTopicArn"], QUEUE)
        show_lineage(stack, api, pipeline, say)
        show_alerts(stack, alerts, pipeline, say)
        curl, page = curl_of_columns(api, lake.revenue), page_of(api, lake.revenue)
    print("\nThe stack is stopped, and so is its web page. To look around in the demo's data:")
    print(f"  make up DATA={data.relative_to(layout.root)} PORT={port}     # then, while it runs:")
    print(f"  {page}     # in a browser, with the key {api.key}")
    print(f"  {curl} | python3 -m json.tool     # in another shell")


def show_lineage(stack: Stack, api: Api, pipeline: OrdersPipeline, say: Say) -> None:
    """Run the pipeline, and print its events and its lineage."""
    logs = pipeline.run()
    say("waiting until every event is folded into the graph")
    metrics = wait_for_ingestion(stack.deployment, logs)
    say("every event is folded")
    print_counts(metrics)
    print_upstream(api, pipeline.lake.revenue)
    check_counts(metrics)


def show_alerts(stack: Stack, queue: AlertQueue, pipeline: OrdersPipeline, say: Say) -> None:
    """Run the pipeline on raw orders of another schema, and print the alert."""
    print("\nNow the schema of the raw orders changes: prices are in cents, and the column status is missing.")
    print("The same two jobs run again on the changed data.\n")
    pipeline.run("--drift")
    say("both jobs completed without an error; waiting for the alerts of the SNS topic")
    alerts = wait_for_alert(queue, SCHEMA_CHANGED)
    print_alerts(alerts)
    check_datadog(stack.datadog, alerts)


def stopwatch() -> Say:
    """Return a function that prints a step with the seconds since now."""
    start = time.monotonic()

    def say(step: str) -> None:
        print(f"[{time.monotonic() - start:5.1f} s] {step}", flush=True)

    return say


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
