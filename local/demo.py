"""`make demo`: a real Spark pipeline reports its lineage to the embedded stack, and the lookup API shows it.

In a second act the raw orders change without notice, the same jobs run again without an error, and an alert tells.
"""

import shutil
import time

from local.alerts import subscribe
from local.api import Api
from local.drift import SCHEMA_CHANGED, check_datadog, print_alerts, wait_for
from local.folding import wait_until_folded
from local.jars import jar_files
from local.java import java_home
from local.layout import Layout
from local.lock import holding, require_free
from local.orders_pipeline import Lake, run_pipeline
from local.report import check_counts, curl_of_columns, print_counts, print_upstream
from local.spark import Spark
from local.stack import IN_USE, Say, StackOptions, listening, stack

QUEUE = "demo-alerts"


def demo(layout: Layout, port: int) -> None:
    """Run the demo from nothing, print what came of it, and leave nothing running. Raises Failure."""
    with listening(port):
        pass  # sooner told than after all that comes before the port is needed
    with holding(layout.demo_lock, "wait until it has ended"):
        require_free(layout.run("demo") / "data" / IN_USE, "`make down` if that is the stack that `make up` runs")
        shutil.rmtree(layout.run("demo"))
        run(layout, port, stopwatch())


def run(layout: Layout, port: int, say: Say) -> None:
    folder = layout.run("demo")
    lake, data = Lake(folder / "lake"), folder / "data"
    say("looking for Java and the OpenLineage listener")
    home = java_home(layout)
    say(f"Java: {home}")
    jars = jar_files(layout, home / "bin" / "java")
    with stack(StackOptions(layout, "demo", port, data), say) as running:
        spark, programs = Spark(home, jars, running.url, running.key, folder), layout.root / "emr_jobs" / "orders"
        alerts = subscribe(running.deployment.account, running.deployment.outputs["AlertTopicArn"], QUEUE)
        logs = run_pipeline(programs, spark, lake, say)
        say("waiting until every event is folded into the graph")
        metrics = wait_until_folded(running.deployment, logs)
        say("done")
        print_counts(metrics)
        print_upstream(Api(running.url, running.key, folder), lake.revenue)
        check_counts(metrics)
        print("\nSecond act: the shop exports prices in cents, and no status any more.\n")
        run_pipeline(programs, spark, lake, say, "--drift")
        say("both jobs ended well; waiting for what the topic has to say of it")
        told = wait_for(alerts, SCHEMA_CHANGED)
        print_alerts(told)
        check_datadog(running.datadog, told)
        curl = curl_of_columns(Api(running.url, running.key, folder), lake.revenue)
    print("\nThe stack is down again. To ask it yourself:")
    print(f"  make up DATA={data.relative_to(layout.root)} PORT={port}     # with what the demo saw")
    print(f"  {curl} | python3 -m json.tool     # in another shell")


def stopwatch() -> Say:
    """Return a way to tell a step with the seconds since now."""
    start = time.monotonic()

    def say(step: str) -> None:
        print(f"[{time.monotonic() - start:5.1f} s] {step}", flush=True)

    return say
