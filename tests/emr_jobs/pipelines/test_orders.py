"""Raw orders -> orders_clean -> revenue_daily, as an Airflow DAG would run them."""

import pytest

from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python

pytestmark = [pytest.mark.spark, pytest.mark.emulator]

DAG_RUN = "01890000-0000-7000-8000-0000000000d1"
TASK_RUN = "01890000-0000-7000-8000-0000000000a1"


def airflow(namespace: str, task: str, run_id: str) -> dict[str, str]:
    """The settings by which Airflow's Spark operators name the task and its DAG."""
    return {
        "parentRunId": run_id,
        "parentJobNamespace": namespace,
        "parentJobName": f"shop.{task}",
        "rootParentRunId": DAG_RUN,
        "rootParentJobNamespace": namespace,
        "rootParentJobName": "shop",
    }


def test_orders_flow_into_revenue_as_a_person_would_draw_it(cluster: Cluster) -> None:
    run_python(PROGRAMS / "orders" / "generate_orders.py", "--output", cluster.path("raw/orders"), "--count", 80)
    paths = {name: cluster.path(name) for name in ("raw", "clean", "revenue")} | {"raw": cluster.path("raw/orders")}
    dags = f"{cluster.namespace}-airflow"
    clean = cluster.spark(**airflow(dags, "clean", TASK_RUN))
    clean.run(PROGRAMS / "orders" / "clean_orders.py", raw=paths["raw"], clean=paths["clean"])
    revenue = cluster.spark(**airflow(dags, "revenue", TASK_RUN.replace("a1", "a2")))
    revenue.run(PROGRAMS / "orders" / "revenue_daily.py", clean=paths["clean"], revenue=paths["revenue"])

    assert cluster.drawn("revenue", rollup="parent") == drawing(
        "raw/orders -> clean_orders -> clean -> revenue_daily -> revenue"
    )
    (application,) = cluster.runs("clean_orders")
    parent = application["facets"]["parent"]
    assert (parent["run"]["runId"], parent["job"]["name"]) == (TASK_RUN, "shop.clean")
    children = cluster.answer("jobs", "runs", TASK_RUN, "children")["runs"]
    assert [(run["job"]["name"], run["state"]) for run in children] == [("clean_orders", "COMPLETED")]
    known = cluster.answer("namespaces", dags, "jobs")["jobs"]
    assert {namespace["name"] for namespace in known} == {"shop", "shop.clean", "shop.revenue"}
