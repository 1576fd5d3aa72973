"""The programs of the orders pipeline, as far as no Spark is needed."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from local.layout import Layout

ORDERS = Layout.here().root / "emr_jobs" / "pipelines" / "orders"


def run(program: str, *arguments: str) -> str:
    command = [sys.executable, str(ORDERS / program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout  # noqa: S603


@pytest.mark.parametrize("program", ["generate_orders.py", "clean_orders.py", "revenue_daily.py"])
def test_each_program_tells_its_arguments(program: str) -> None:
    assert "usage:" in run(program, "--help")


def test_the_same_arguments_make_the_same_orders(tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        run("generate_orders.py", "--output", str(tmp_path / folder), "--seed", "1" if folder == "c" else "2")
    first, again, other = ((tmp_path / folder / "orders.csv").read_bytes() for folder in ("a", "b", "c"))
    assert first == again != other


def test_one_order_in_forty_is_no_good(tmp_path: Path) -> None:
    run("generate_orders.py", "--output", str(tmp_path), "--count", "80")
    with (tmp_path / "orders.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 80
    assert {number for number, row in enumerate(rows, start=1) if not is_good(row)} == {40, 80}


def test_a_drifted_feed_has_the_same_orders_in_cents_and_without_a_status(tmp_path: Path) -> None:
    before, after = exported(tmp_path / "a"), exported(tmp_path / "b", "--drift")
    assert before[0].keys() - after[0].keys() == {"status"}
    for old, new in zip(before, after, strict=True):
        assert new == {name: old[name] for name in new} | {"unit_price": old["unit_price"].replace(".", "")}


@pytest.mark.parametrize(("feed", "price"), [([], "decimal(8,2)"), (["--drift"], "int")])
def test_a_feed_has_a_file_with_its_columns(tmp_path: Path, feed: list[str], price: str) -> None:
    rows = exported(tmp_path, *feed)
    columns = [column.split(" ") for column in (tmp_path / "_columns.ddl").read_text().strip().split(", ")]
    assert [name for name, _ in columns] == list(rows[0])
    assert ["unit_price", price] in columns


def exported(folder: Path, *arguments: str) -> list[dict[str, str]]:
    run("generate_orders.py", "--output", str(folder), "--count", "200", *arguments)
    with (folder / "orders.csv").open() as file:
        return list(csv.DictReader(file))


def is_good(row: dict[str, str]) -> bool:
    return row["quantity"] not in ("", "-1") and row["unit_price"] != "n/a" and row["ordered_at"] != "2026-02-31"
