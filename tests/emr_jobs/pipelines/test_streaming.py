"""A stream from Kafka into Iceberg and the report on it are one path, while it runs and after it was stopped."""

import os
import signal

import pytest

from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python, started, wait_until

pytestmark = [pytest.mark.spark, pytest.mark.emulator, pytest.mark.engine]

STREAMING = PROGRAMS / "streaming"
STOP_SECONDS = 30
MICRO_BATCHES = "orders_stream.write_to_data_source_v2"


def test_a_stream_is_one_job_on_a_path_from_topic_to_report(cluster: Cluster, broker: str) -> None:
    topic = "shop-orders"
    node = f"dataset:kafka://{broker}:{topic}"
    lake: dict[str, object] = {"table": "lake.shop.orders", "warehouse": cluster.path("lake")}
    stream = {"bootstrap": broker, "topic": topic, "checkpoint": cluster.path("checkpoint"), "every": "1 second"}
    generate = STREAMING / "generate_orders.py"
    run_python(generate, "--bootstrap", broker, "--topic", topic, "--count", 20)
    with started(cluster.spark(), STREAMING / "orders_stream.py", **lake, **stream) as process:
        wait_until(lambda: len(micro_batches(cluster)) >= 2)
        run_python(generate, "--bootstrap", broker, "--topic", topic, "--count", 5, "--start", 21)
        wait_until(lambda: len(micro_batches(cluster)) >= 4)
        live = cluster.job("orders_stream")
        assert live["latestRun"]["state"] == "RUNNING"
        assert cluster.drawn(node) == drawing(f"{topic} -> orders_stream -> lake/shop/orders")
        os.kill(process.pid, signal.SIGTERM)
        process.wait(STOP_SECONDS)
    cluster.spark().run(STREAMING / "orders_report.py", **lake, report=cluster.path("by_product"))

    assert cluster.drawn(node, rollup="parent", direction="downstream") == drawing(
        f"{topic} -> orders_stream -> lake/shop/orders -> orders_report -> by_product"
    )
    drawn = cluster.drawn(node)
    assert {edge for edge in drawn if "orders_stream" in edge} == drawing(
        f"{topic} -> orders_stream -> lake/shop/orders"
    ), "without rollup=parent the graph has the job of the stream alone, not its queries"
    (report,) = (
        job
        for job in cluster.answer("namespaces", cluster.namespace, "jobs")["jobs"]
        if [output["name"] for output in job["outputs"]] == [str(cluster.path("by_product"))]
    )
    _, read = cluster.answer("runlineage", "upstream", runId=report["latestRun"]["id"])["runs"]
    assert read["job"]["name"] == "orders_stream", "which names no snapshot, but nobody else wrote that one"
    (run,) = cluster.runs("orders_stream")
    assert run["state"] == "COMPLETED"
    states = [run["state"] for run in micro_batches(cluster)]
    assert set(states[2:]) == {"COMPLETED"}, "each has two runs; those of the last may have been cut off"


def micro_batches(cluster: Cluster) -> list[dict[str, str]]:
    response = cluster.api.get("namespaces", cluster.namespace, "jobs", MICRO_BATCHES, "runs")
    return list(response.json["runs"]) if response.status == 200 else []
