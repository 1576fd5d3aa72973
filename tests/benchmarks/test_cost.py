"""The price in the README is what `make cost` computes from the template, samconfig.toml and the price file."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from benchmarks.cost import PER_DAY, PRICES, alarm_metrics, archive_days, idle_month, of_a_million, retention

README = (Path(__file__).parents[2] / "README.md").read_text()
FIGURES = {name: figure["amount"] for name, figure in json.loads(PRICES.read_text())["figures"].items()}


def row(beginning: str) -> str:
    (found,) = [line for line in README.splitlines() if line.startswith(f"| {beginning}")]
    return found


def test_what_prod_keeps_is_read_from_its_deployment_and_what_dev_keeps_from_its_own() -> None:
    assert (retention("prod").runs, retention("prod").events) == (timedelta(days=90), timedelta(days=30))
    assert (retention("dev").runs, retention("dev").events) == (timedelta(days=30), timedelta(days=14))


def test_an_event_moves_through_the_classes_of_the_archive_until_it_expires() -> None:
    assert archive_days("prod") == {"STANDARD": 30, "STANDARD_IA": 60, "GLACIER_IR": 640}
    assert archive_days("dev") == {"STANDARD": 30, "STANDARD_IA": 60, "GLACIER_IR": 1}


def test_an_idle_month_is_of_the_metrics_of_all_alarms_that_a_stack_always_has() -> None:
    said = row("the AWS stack, idle")
    assert f"${idle_month(FIGURES):.2f} a month" in said
    assert f"each of {alarm_metrics()} metrics" in said


@pytest.mark.parametrize(("size", "named", "place"), [(1, "one at a time", 0), (7, "in batches of 7", 1)])
def test_the_price_of_a_million_events_and_of_a_month_is_as_computed(size: int, named: str, place: int) -> None:
    dollars = of_a_million(size, FIGURES, retention("prod"), archive_days("prod"))
    million = sum(dollars.values())
    assert f"${million:.2f}" in row(f"the AWS stack, a million Spark events {named}")
    months = [round(idle_month(FIGURES) + million * events * 30 / 1e6) for events in PER_DAY]
    said = row("a month of").split(named)[1].split(";")[0].split("|")[0]
    assert [int(figure.replace(",", "")) for figure in re.findall(r"\$([\d,]+\d)", said)] == months
    assert any("authorise" in name for name in dollars)


def test_more_days_cost_more() -> None:
    prod, shorter = (of_a_million(7, FIGURES, retention(of), archive_days(of)) for of in ("prod", "dev"))
    assert sum(shorter.values()) < sum(prod.values())
