"""Each lookup of the command, from its words to its text."""

import json
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta

import pytest

from headwater.cli.lookups.parser import time_ago
from tests.cli.lookups.conftest import Headwater

DAILY = "dataset:s3://lake warehouse:orders_daily"


def test_lineage_upstream_is_a_tree(headwater: Headwater) -> None:
    assert headwater("lineage", "orders_daily", "--up") == (
        0,
        (
            "upstream of orders_daily: 3 jobs, 4 datasets\n"
            "(datasets in s3://lake warehouse, jobs in demo)\n"
            "\n"
            "orders_daily\n"
            "└─ job daily  COMPLETED 2026-11-20 08:02Z\n"
            "   ├─ crm/customers\n"
            "   │  └─ job load_customers  COMPLETED 2026-11-20 08:03Z\n"
            "   │     └─ public.customers  postgres://db:5432\n"
            "   └─ orders_clean\n"
            "      └─ job clean  FAILED 2026-11-20 08:15Z\n"
            "         └─ raw/orders\n"
        ),
        "",
    )


def test_lineage_has_both_directions_a_depth_and_a_time(headwater: Headwater) -> None:
    both = headwater("lineage", "job:demo:daily", "--depth", "0").out
    assert both.index("upstream of daily") < both.index("downstream of daily")
    assert "job clean" not in both
    down = headwater("lineage", "raw/orders", "--down").out
    assert down.startswith("downstream of raw/orders: 2 jobs, 2 datasets\n")
    assert "no job that writes it" in headwater("lineage", "orders_daily", "--up", "--at", "2026-11-20T08:01:30Z").out
    assert "orders_clean" in headwater("lineage", "orders_daily", "--up", "--at", "2026-11-20T09:03+01:00").out


def test_columns_of_a_table_and_one_column(headwater: Headwater) -> None:
    whole = headwater("columns", "orders_daily")
    assert "\n\ntotal ← orders_clean.price\n\nIt looked at " in whole.out
    assert headwater("columns", "orders_daily", "total").out.startswith("what orders_daily.total is made of: 1 column")
    assert "\nprice → orders_daily.total\n" in headwater("columns", "orders_clean", "price", "--down").out


def test_impact_of_a_table_and_of_a_column(headwater: Headwater) -> None:
    whole = headwater("impact", "raw/orders")
    assert whole.out.startswith("what a change of raw/orders would break: 2 datasets, 2 jobs, by table lineage\n")
    assert "  2 hops  orders_daily\n          via job clean → orders_clean → job daily\n" in whole.out
    assert "  1 hop   orders_daily.total" in headwater("impact", "orders_clean", "price").out


def test_why_names_what_failed(headwater: Headwater) -> None:
    printed = headwater("why", "orders_daily")
    assert "RUN_FAILED  2 hops upstream\n    clean failed: no space left on device\n" in printed.out


TIMES = ("--since", "2026-11-20T08:01:30Z", "--at", "2026-11-20T09:00Z")


def test_diff_of_a_table_of_a_namespace_and_of_all(headwater: Headwater) -> None:
    table = headwater("diff", "orders_daily", "--up", *TIMES).out
    assert table.startswith(
        "what changed around orders_daily: 7 added\n(from 2026-11-20 08:01Z to 2026-11-20 09:00Z)\n"
    )
    assert "\n  orders_clean  known before\n" in table
    everything = headwater("diff", *TIMES).out
    assert everything.startswith("what changed: ")
    assert "  job daily\n" in everything
    assert "  job daily\n" in headwater("diff", "--namespace", "demo", *TIMES).out
    assert "  job daily\n" not in headwater("diff", "--namespace", "s3://lake warehouse", *TIMES).out


def test_a_diff_of_a_name_in_a_namespace_is_no_question(headwater: Headwater) -> None:
    assert headwater("diff", "orders_daily", "--namespace", "demo", *TIMES).status == 2
    assert headwater("diff", "--namespace", "nowhere", *TIMES).status == 1


def test_several_nodes_of_a_name_are_asked_for_with_the_times(headwater: Headwater) -> None:
    assert "--since 2026-11-20T08:01:30Z" in headwater("diff", "customers", *TIMES).err


@pytest.mark.parametrize(("word", "ago"), [("30m", 30 * 60), ("2h", 2 * 3_600), ("7d", 7 * 86_400), ("1W", 7 * 86_400)])
def test_a_time_may_be_so_long_ago(word: str, ago: int) -> None:
    before = datetime.now(UTC)
    since = datetime.fromisoformat(time_ago(word))
    assert before <= since + timedelta(seconds=ago) <= datetime.now(UTC)


def test_today_and_yesterday_begin_at_midnight() -> None:
    today, yesterday = (datetime.fromisoformat(time_ago(word)) for word in ("today", "yesterday"))
    assert (today - yesterday, today.hour, today.tzinfo) == (timedelta(days=1), 0, UTC)
    assert time_ago("2026-11-20T09:03+01:00") == "2026-11-20T08:03:00Z"


@pytest.mark.parametrize("word", ["", "soon", "-2h", "2y", "999999w", "30", "m"])
def test_another_word_is_no_time(word: str) -> None:
    with pytest.raises(ArgumentTypeError):
        time_ago(word)


def test_runs_of_all_jobs_and_of_one(headwater: Headwater) -> None:
    newest = headwater("runs", "--limit", "2")
    assert newest.out.splitlines()[1] == "STATE      STARTED            TOOK  JOB"
    assert newest.out.endswith("\n\nand 3 more\n")
    one = headwater("runs", "clean").out
    assert one.startswith("runs of job clean\n(in demo)\n")
    assert (
        "FAILED     2026-11-20 08:15Z  0 ms  00000000-0000-0000-0000-000000000009\n    no space left on device\n" in one
    )
    assert headwater("runs", "job:demo:clean").out == one


def test_failed_runs_say_what_they_cover(headwater: Headwater) -> None:
    all_jobs = headwater("runs", "--failed")
    assert [line.split()[-1] for line in all_jobs.out.splitlines() if line.startswith("FAILED")] == ["clean"]
    assert "listed are failed runs of all jobs whose newest run failed" in all_jobs.err
    of_job = headwater("runs", "clean", "--failed")
    assert of_job.out.count("FAILED") == 1
    assert of_job.err == "covers the newest 2 of the job's 2 runs\n"
    assert headwater("runs", "daily", "--failed").out.endswith("\n\nno run\n")


@pytest.mark.parametrize(
    ("arguments", "member"),
    [
        (["lineage", "orders_daily"], "graph"),
        (["columns", "orders_daily"], "indirect"),
        (["impact", "raw/orders"], "owners"),
        (["why", "orders_daily"], "findings"),
        (["runs"], "jobs"),
        (["runs", "clean"], "runs"),
        (["runs", "--failed"], "runs"),
        (["runs", "clean", "--failed"], "runs"),
    ],
)
def test_json_is_the_answer_of_the_api(headwater: Headwater, arguments: list[str], member: str) -> None:
    printed = headwater(*arguments, "--json")
    assert printed.status == 0
    assert member in json.loads(printed.out)
    assert printed.err == ""


@pytest.mark.parametrize("command", ["lineage", "columns", "impact", "why", "runs"])
def test_every_lookup_has_a_help_with_an_example(headwater: Headwater, command: str) -> None:
    printed = headwater(command, "--help")
    assert printed.status == 0
    assert f"example:\n  headwater {command} " in printed.out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["sideways"],
        ["lineage"],
        ["lineage", "x", "--up", "--down"],
        ["lineage", "x", "--depth", "-1"],
        ["lineage", "x", "--at", "yesterday"],
        ["runs", "--limit", "many"],
    ],
)
def test_a_wrong_command_line_is_refused_with_its_usage(headwater: Headwater, arguments: list[str]) -> None:
    printed = headwater(*arguments)
    assert printed.status == 2
    assert printed.err.startswith("usage: headwater")
