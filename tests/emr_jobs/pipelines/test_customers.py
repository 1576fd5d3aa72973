"""Customers in Iceberg, accounts in Delta: the runs that wrote each version of a table, and the runs that read it."""

from pathlib import Path

import pytest

from tests.emr_jobs.pipelines.cluster import PROGRAMS, Cluster, drawing, run_python

pytestmark = [pytest.mark.spark, pytest.mark.emulator]


def generated(cluster: Cluster) -> tuple[Path, Path]:
    raw, updates = cluster.path("raw"), cluster.path("updates")
    run_python(PROGRAMS / "customers" / "generate_customers.py", "--raw", raw, "--updates", updates)
    return raw, updates


def test_every_write_of_an_iceberg_table_is_a_version_with_its_snapshot(cluster: Cluster) -> None:
    raw, updates = generated(cluster)
    arguments = {
        "table": "lake.crm.customers",
        "warehouse": cluster.path("lake"),
        "first-report": cluster.path("first"),
    }
    in_step = Path(__file__).with_name("in_step.py")
    pipeline = PROGRAMS / "customers" / "customers_iceberg.py"
    cluster.spark().run(in_step, pipeline=pipeline, raw=raw, updates=updates, **arguments)

    assert cluster.drawn("first", direction="both", rollup="parent") == drawing(
        "raw -> customers_iceberg -> lake/crm/customers -> customers_iceberg -> first", "updates -> customers_iceberg"
    )
    table = cluster.answer("namespaces", "file", "datasets", str(cluster.path("lake/crm/customers")))
    columns = [field["name"] for field in table["fields"]]
    assert columns == ["customer_id", "name", "country", "spent", "tier"], "a table's, not its metadata's or its past's"
    snapshots = sorted(
        path.name.split("-")[1] for path in cluster.path("lake/crm/customers/metadata").glob("snap-*.avro")
    )
    assert len(snapshots) == 3
    versions = cluster.answer("namespaces", "file", "datasets", str(cluster.path("lake/crm/customers")), "versions")
    writers: dict[str, set[str]] = {}
    for version in reversed(versions["versions"]):
        if snapshot := version["facets"].get("version"):
            job = version["createdByRun"]["jobVersion"]["name"].split(".")[1]
            writers.setdefault(snapshot["datasetVersion"], set()).add(job)
    assert sorted(writers) == snapshots
    made, appended, merged = writers.values()
    named = {"append_data", "alter_table"}
    assert made | {"append_data"} == named, "an ALTER names the newest; the inner append names one, if it ends in time"
    assert appended == {"append_data"}
    assert merged == {"replace_data"}

    jobs = cluster.answer("namespaces", cluster.namespace, "jobs")["jobs"]
    (report,) = (job for job in jobs if [output["name"] for output in job["outputs"]] == [str(cluster.path("first"))])
    _, read = cluster.answer("runlineage", "upstream", runId=report["latestRun"]["id"], depth="1")["runs"]
    wrote = read["job"]["name"].split(".")[1]
    assert wrote in {"append_data", "atomic_create_table_as_select"}, "it travelled in time, to the first snapshot"


def test_a_delta_table_is_made_of_what_is_written_and_of_what_is_merged_into_it(cluster: Cluster) -> None:
    raw, updates = generated(cluster)
    program = PROGRAMS / "customers" / "accounts_delta.py"
    cluster.spark().run(program, raw=raw, updates=updates, table=cluster.path("accounts"))

    assert cluster.drawn("accounts", direction="upstream", rollup="parent") == drawing(
        "raw -> accounts_delta -> accounts -> accounts_delta", "updates -> accounts_delta"
    )
