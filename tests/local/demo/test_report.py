"""The demo shows the upstream of a table and of its columns as the command does, with short names."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.cli.api import Api
from headwater.cli.machine.failure import Failure
from local.demo.report import curl_of_columns, print_upstream
from tests.cli.lookups.server import KEY, api_over
from tests.lookup.requests import table_after

EVENTS = Path(__file__).parents[2] / "fixtures" / "spark-3.5" / "orders.jsonl"
REVENUE, RAW = Path("/data/revenue_daily"), Path("/data/raw/orders")


@pytest.fixture(scope="module")
def api() -> Iterator[Api]:
    events = [json.loads(line) for line in EVENTS.read_text().splitlines()]
    with api_over(table_after(*events)) as url:
        yield Api(url, KEY)


def test_tables_with_the_jobs_that_make_them_and_columns_down_to_the_raw_ones(
    api: Api, capsys: pytest.CaptureFixture[str]
) -> None:
    print_upstream(api, REVENUE)
    printed = capsys.readouterr().out
    assert "$ headwater lineage dataset:file:/data/revenue_daily --up\nupstream of revenue_daily: " in printed
    assert "└─ job revenue_daily" in printed
    assert "total_revenue ← orders_clean.order_total (AGGREGATION)" in printed


def test_a_table_without_an_upstream_fails_the_demo(api: Api) -> None:
    with pytest.raises(Failure, match="shows no upstream of orders"):
        print_upstream(api, RAW)


def test_a_server_without_an_answer_fails_the_demo() -> None:
    with pytest.raises(Failure, match="cannot be reached"):
        print_upstream(Api("http://127.0.0.1:1", KEY), REVENUE)


def test_the_curl_command_asks_for_the_columns() -> None:
    assert curl_of_columns(Api("http://here", "k"), REVENUE) == (
        "curl -H 'Authorization: Bearer k' 'http://here/api/v1/column-lineage?"
        "nodeId=dataset%3Afile%3A%2Fdata%2Frevenue_daily&depth=20'"
    )
