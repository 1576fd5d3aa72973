"""The plugin in a pytest of its own, on a folder of dbt's events: no Spark is needed for that."""

import tomllib
from pathlib import Path

import pytest

from headwater.cli.testing import plugin
from headwater.cli.testing.plugin import _SnapshotNames
from tests.cli.testing.projects import run_pytest
from tests.producer_records import FOLDER
from tests.serve.process import ROOT

EXAMPLE = ROOT / "examples" / "lineage_tests"
EVENTS = FOLDER / "dbt" / "run.jsonl.gz"
TESTS = f"""\
import pytest

class TestShop:
    @pytest.mark.parametrize("mode", ["a/b", "a b"])
    def test_models(self, lineage, mode):
        lineage.load({str(EVENTS)!r})
        lineage.assert_matches_snapshot()
"""
CHEAP = """\
import sys

def test_nothing_was_imported():
    heavy = {"yaml", "pyspark", "headwater.fold", "headwater.cli.jvm", "headwater.cli.testing.lineage", "orjson"}
    assert heavy & sys.modules.keys() == set()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "checks").mkdir()
    (tmp_path / "checks" / "test_shop.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_a_snapshot_is_written_beside_its_test_and_then_compared(project: Path) -> None:
    missing = run_pytest(project, "checks")
    assert (missing.status, "there is no snapshot" in missing.output) == (1, True)
    assert run_pytest(project, "checks", "--lineage-update").status == 0
    folder = project / "checks" / "__lineage__" / "test_shop"
    files = sorted(path.name for path in folder.iterdir())
    assert files == ["TestShop.test_models[a b].yaml", "TestShop.test_models[a%2Fb].yaml"]
    assert run_pytest(project, "checks").status == 0

    file = folder / files[0]
    file.write_text(file.read_text().replace("stg_orders.price", "stg_orders.net_price"))
    other = run_pytest(project, "checks")
    assert (other.status, "1 failed, 1 passed" in other.output) == (1, True)
    lines = [line.removeprefix("E").strip() for line in other.output.splitlines() if line.startswith("E")]
    assert "-          duckdb:///srv/shop/shop.duckdb:shop.main.stg_orders.net_price: untold" in lines
    assert "+          duckdb:///srv/shop/shop.duckdb:shop.main.stg_orders.price: untold" in lines
    again = "pytest 'checks/test_shop.py::TestShop::test_models[a b]' --lineage-update"
    assert any(again in line for line in lines)
    assert ">       lineage.assert_matches_snapshot()" not in lines
    assert "cli/testing/lineage.py:" not in other.output  # the failure is at the line of the test


def test_a_test_that_asks_for_no_lineage_imports_nothing(project: Path) -> None:
    (project / "test_cheap.py").write_text(CHEAP)
    assert run_pytest(project, "test_cheap.py").status == 0


def test_the_wheel_registers_the_plugin() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"headwater": plugin.__name__}


def test_paths_have_names_that_are_the_same_on_every_machine() -> None:
    base = Path("/tmp/pytest-of-ada/pytest-7")  # noqa: S108
    names = _SnapshotNames({base / "test_a0": "TMP", base: "SESSION", Path("/home/ada/shop"): "ROOT"})
    assert names(f"file:{base}/test_a0/orders") == "file:TMP/orders"
    assert names(f"file:{base}/test_a0") == "file:TMP"
    assert names(f"file:{base}/test_a01/orders") == "file:SESSION/test_a01/orders"
    assert names(f"duckdb://{base}/test_a0/shop.duckdb:main.orders") == "duckdb://TMP/shop.duckdb:main.orders"
    assert names("file:/home/ada/shop/data/orders.csv") == "file:ROOT/data/orders.csv"
    assert names("file:/home/ada/shop2/orders") == "file:/home/ada/shop2/orders"
    assert names("s3://lake:orders") == "s3://lake:orders"
    assert _SnapshotNames({base: "SESSION", Path("/"): "ROOT"})("file:/orders/") == "file:/orders/"


def test_the_page_shows_the_example_as_it_is() -> None:
    page = (ROOT / "docs" / "testing-lineage.md").read_text()
    snapshot = EXAMPLE / "tests" / "__lineage__" / "test_shop" / "test_mails_do_not_leave_the_shop.yaml"
    assert f"```yaml\n{snapshot.read_text()}```" in page
    for line in (
        'lineage.column("revenue.revenue").comes_from("orders.csv.unit_price")',
        'table("revenue").reads("orders")',
    ):
        assert line in page
        assert line in (EXAMPLE / "tests" / "test_shop.py").read_text()
