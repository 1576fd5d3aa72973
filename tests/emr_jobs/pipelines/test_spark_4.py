"""Spark 4.1 with the listener for Scala 2.13: one pipeline and one table, as on Spark 3.5."""

from pathlib import Path

import pytest

from headwater.cli.jvm.jars import SPARK_4_PINS, jar_files
from headwater.cli.jvm.java import java_home, users_java
from local.layout import Layout
from local.stack.lifecycle import Stack
from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing

pytestmark = [pytest.mark.spark, pytest.mark.emulator, pytest.mark.engine]

HEADER = "customer_id,months,support_calls,churned"


@pytest.fixture
def cluster_4(shared_stack: Stack, tmp_path: Path) -> Cluster:
    layout = Layout.here()
    homes = list((layout.state / "spark4").glob("lib/python*/site-packages/pyspark"))
    if not homes:
        pytest.skip("Spark 4 is not installed: `make test` does that")
    java = java_home(layout.state)
    if users_java() is None:
        pytest.skip("Spark 4 wants a Java with jdk.incubator.vector, which that of the wheel has not")
    return Cluster(java, jar_files(layout.state, SPARK_4_PINS), shared_stack, tmp_path, "spark-4", homes[0])


def test_spark_4_reports_the_same_of_an_iceberg_table_as_spark_3(cluster_4: Cluster) -> None:
    raw = cluster_4.make("raw", HEADER, "C1,2,6,1", "C2,9,0,0")
    lake = {"table": "lake.crm.customers", "warehouse": cluster_4.path("lake")}
    cluster_4.spark().run(PROGRAMS / "churn" / "load_customers.py", raw=raw, **lake)
    assert cluster_4.drawn("lake/crm/customers", rollup="parent") == drawing(
        "raw -> load_customers -> lake/crm/customers"
    )
    (run,) = cluster_4.runs("load_customers")
    assert (run["state"], run["facets"]["processing_engine"]["version"]) == ("COMPLETED", "4.1.4")
