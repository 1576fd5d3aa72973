"""The example's tests pass in a real Spark, with the same snapshots on 3.5 and on 4. What else the plugin promises is
tried in the same session, by tests that are added to a copy of the example."""

import shutil
from pathlib import Path

import pytest

from headwater.cli.jvm.java import users_java
from tests.cli.testing.projects import Ran, run_pytest
from tests.serve.process import ROOT

SPARK_4 = [*(ROOT / ".local" / "spark4").glob("lib/python*/site-packages")]
MORE = '''\
"""Each of these ends in an assertion of the test that is run, or fails as the outer test expects."""

import time

import pytest

from shop.customers import pseudonymous_customers


def test_no_spark_job_and_less_than_two_seconds_are_added(lineage_spark, lineage, raw):
    tracker = lineage_spark.sparkContext.statusTracker()
    pseudonymous_customers(lineage_spark, f"{raw}/customers.csv", f"{raw}/customers")
    before, begin = tracker.getJobIdsForGroup(), time.process_time()
    lineage.column("customers.mail_hash").comes_from("customers.csv.mail")
    assert time.process_time() - begin < 2
    assert tracker.getJobIdsForGroup() == before


def test_only_the_events_of_the_test_are_seen(lineage_spark, lineage, raw):
    with pytest.raises(AssertionError, match="no event of this test names a table"):
        lineage.assert_matches_snapshot()


def test_each_write_is_there_at_once(lineage_spark, lineage, raw):
    for number in range(10):
        lineage_spark.range(5).write.parquet(f"{raw}/numbers/{number}/t")
        assert len(lineage.snapshot.tables) == number + 1


def test_a_table_of_the_catalog_is_found_by_its_name(lineage_spark, lineage):
    lineage_spark.range(5).write.saveAsTable("numbers")
    lineage_spark.table("numbers").withColumnRenamed("id", "n").write.saveAsTable("renamed")
    lineage.column("renamed.n").comes_from("numbers.id")
    assert sorted(lineage.snapshot.tables) == ["file:SESSION/warehouse0/numbers", "file:SESSION/warehouse0/renamed"]


def test_the_settings_for_a_session_of_ones_own_are_those_of_the_session(lineage_settings, lineage_spark):
    found = lineage_spark.sparkContext.getConf()
    assert [name for name, value in lineage_settings.items() if not found.get(name).endswith(value)] == []
    assert found.get("spark.sql.session.timeZone") == "UTC"


def test_a_change_fails(lineage_spark, lineage, raw):
    lineage_spark.read.csv(f"{raw}/orders.csv", header=True).select("order_id").write.parquet(f"{raw}/orders")
    lineage.column("orders.order_id").comes_from("orders.csv.status")
'''
CONFTEST = """\
import pytest

@pytest.fixture(scope="session")
def lineage_settings(lineage_settings):
    return {**lineage_settings, "spark.sql.session.timeZone": "UTC"}
"""

pytestmark = pytest.mark.spark


def ran(folder: Path, *python_path: Path) -> Ran:
    """The example's tests and those of `MORE`, by a developer whose own jobs report to a server."""
    project = folder / "project"
    shutil.copytree(ROOT / "examples" / "lineage_tests", project)
    (project / "tests" / "test_more.py").write_text(MORE)
    (project / "conftest.py").write_text(CONFTEST)
    return run_pytest(project, "-rA", python_path=python_path, OPENLINEAGE_URL="http://127.0.0.1:1")


@pytest.mark.parametrize(
    "python_path", [pytest.param([], id="Spark 3.5"), pytest.param(SPARK_4, id="Spark 4", marks=pytest.mark.engine)]
)
def test_the_example_holds_and_the_plugin_keeps_its_promises(tmp_path: Path, python_path: list[Path]) -> None:
    if python_path is SPARK_4 and not SPARK_4:
        pytest.skip("Spark 4 is not installed: `make test` does that")
    if python_path and users_java() is None:
        pytest.skip("Spark 4 wants a Java with jdk.incubator.vector, which that of the wheel has not")
    status, output = ran(tmp_path, *python_path)
    failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    assert [line.partition(" - ")[0] for line in failed] == ["FAILED tests/test_more.py::test_a_change_fails"], output
    assert status == 1
    assert "file:TMP/orders.order_id does not come from file:TMP/orders.csv.status" in output
    assert "known: it comes from file:TMP/orders.csv.order_id" in output
