"""Each lookup of the command, from its words to its text."""

import json
import tomllib
from argparse import ArgumentTypeError
from datetime import UTC, datetime, timedelta

import pytest

from headwater.cli.__main__ import main as command
from headwater.cli.api import Api
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.parser import parser, time
from headwater.cli.lookups.questions import reply_to
from headwater.lookup.text.display import Display
from tests import factory
from tests.cli.lookups.conftest import Headwater
from tests.cli.lookups.server import KEY, api_over
from tests.cli.lookups.test_page import ROOT
from tests.lookup.requests import table_after

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
    assert "\n\ntotal ← orders_clean.price\n" in whole.out
    assert "\njob daily, of customers, orders_clean: orders_daily.day\n\nIt looked at " in whole.out
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
    assert all_jobs.err == ""
    assert headwater("runs", "--limit", "2", "--since", "2026-11-20").err == "the newest 2; --limit shows more\n"
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
        (["runs", "--since", "2026-11-20"], "runs"),
        (["show", "orders_daily"], "writers"),
        (["search", "orders"], "results"),
        (["runs", "clean", "--failed"], "runs"),
    ],
)
def test_json_is_the_answer_of_the_api(headwater: Headwater, arguments: list[str], member: str) -> None:
    printed = headwater(*arguments, "--json")
    assert printed.status == 0
    assert member in json.loads(printed.out)
    assert printed.err == ""


@pytest.mark.parametrize("command", ["lineage", "columns", "impact", "why", "runs", "show", "search"])
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
        ["lineage", "x", "--at", "someday"],
        ["runs", "--limit", "many"],
    ],
)
def test_a_wrong_command_line_is_refused_with_its_usage(headwater: Headwater, arguments: list[str]) -> None:
    printed = headwater(*arguments)
    assert printed.status == 2
    assert printed.err.startswith("usage: headwater")


def test_runs_since_a_time_are_those_that_ended_then_or_later(headwater: Headwater) -> None:
    def listed(*arguments: str) -> list[str]:
        return [line.split()[-1] for line in headwater("runs", *arguments).out.splitlines() if "2026" in line]

    assert listed("--since", "2026-11-20T08:04:30Z") == ["clean", "odd"]
    assert listed("--since", "2026-11-20T08:04:30Z", "--failed") == ["clean"]
    assert listed("--since", "2h") == []
    assert listed("clean", "--since", "2026-11-20T08:04:30Z") == ["00000000-0000-0000-0000-000000000009"]


def test_a_failure_is_listed_after_a_run_that_went_well() -> None:
    runs = [factory.run_event(kind, run=at, seconds=at, job="load") for at, kind in ((1, "FAIL"), (2, "COMPLETE"))]
    with api_over(table_after(*runs)) as url:
        reply = reply_to(Api(url, KEY), parser().parse_args(["runs", "--failed", "--since", "2026-11-20"]))
    assert [run["id"] for run in json.loads(reply.json)["runs"]] == [factory.run_id(1)]


def test_a_table_is_shown_with_its_columns_writers_last_write_and_alerts(headwater: Headwater) -> None:
    shown = headwater("show", "orders_daily")
    assert shown.out == (
        "orders_daily\n"
        "(DB_TABLE in s3://lake warehouse)\n"
        "\n"
        "owner       none is known\n"
        "writer      daily  COMPLETED 2026-11-20 08:02Z\n"
        "last write  2026-11-20 08:02Z  run 00000000-0000-0000-0000-000000000002\n"
        "alert       none open in the last 7 days\n"
        "\n"
        "2 columns\n"
        "total  decimal\n"
        "day    date\n"
    )
    assert headwater("show", "dataset:s3://lake warehouse:orders_daily").out == shown.out
    unwritten = headwater("show", "raw/orders").out
    assert "writer      none is known\nlast write  no run is known to have written it\n" in unwritten
    assert headwater("show", "job:demo:daily").status == 2


def test_what_producers_say_of_a_table_and_a_query_is_told() -> None:
    orders = factory.dataset(
        "orders",
        tags=factory.facet(tags=[{"key": "tier", "value": "one", "source": "USER"}, {"key": "gold"}]),
        hierarchy=factory.facet(hierarchy=[{"type": "DATABASE", "name": "shop"}]),
        dbt_exposures=factory.facet(exposures=[{"unique_id": "e", "name": "board", "url": "https://bi.example.com/1"}]),
    )
    query = factory.run_event("COMPLETE", job="load", outputs=[orders])
    query["run"]["facets"] = {"externalQuery": factory.facet(externalQueryId="20261122_1", source="trino")}
    with api_over(table_after(query)) as url:

        def said(*arguments: str) -> str:
            return reply_to(Api(url, KEY), parser().parse_args(arguments)).render(Display(100))

        table = said("show", "orders")
        assert "tag         gold\n            tier=one  (USER)\n" in table
        assert "belongs to  database shop\nused by     exposure board, https://bi.example.com/1\n" in table
        found = said("search", "20261122_1")
        assert found == f"job:demo:load  updated 2026-11-20 08:00Z  in externalQuery  run {factory.run_id(1)}\n"
        assert said("search", "one").endswith("  in tag tier=one\n")
        assert said("search", "board").endswith("  in exposure board\n")
        with pytest.raises(CommandFailure, match="called Board, but an exposure is; what it reads:") as failed:
            said("lineage", "Board")
        assert failed.value.nodes == ["dataset:s3://lake:orders"]


def test_a_search_lists_node_ids(headwater: Headwater) -> None:
    assert sorted(headwater("search", "DAILY").out.splitlines()) == [
        "dataset:s3://lake warehouse:orders_daily  updated 2026-11-20 08:02Z",
        "job:demo:daily  updated 2026-11-20 08:02Z",
    ]
    assert headwater("search", "DAILY", "--kind", "job").out == "job:demo:daily  updated 2026-11-20 08:02Z\n"
    assert headwater("search", "nowhere").out == "no dataset or job has nowhere in its name\n"


@pytest.mark.parametrize(
    ("words", "ago"),
    [("30m", timedelta(minutes=30)), ("2h", timedelta(hours=2)), ("7d", timedelta(days=7)), ("4w", timedelta(weeks=4))],
)
def test_a_time_may_be_so_long_ago(words: str, ago: timedelta) -> None:
    begun = datetime.now(UTC)
    assert begun - ago <= datetime.fromisoformat(time(words)) <= datetime.now(UTC) - ago


def test_today_and_yesterday_begin_at_midnight_in_utc() -> None:
    today = datetime.fromisoformat(time("today"))
    assert (today.hour, today.minute, today.utcoffset()) == (0, 0, timedelta(0))
    assert today - datetime.fromisoformat(time("yesterday")) == timedelta(days=1)


@pytest.mark.parametrize("words", ["2x", "h", "-2h", "9999999w", "999999w", "tomorrow", "\u0662h"])
def test_other_words_are_no_time(words: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a time such as"):
        time(words)


def test_an_unknown_command_is_told_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["headwater", "serach"])
    assert command() == 2
    assert capsys.readouterr().err.endswith("\nheadwater has no command 'serach'\nnext: `headwater search`\n")


def test_the_version_is_that_of_the_project(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["headwater", "--version"])
    assert command() == 0
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert capsys.readouterr().out == f"headwater {project['version']}\n"


def test_a_search_that_may_list_nothing_counts_what_there_is(headwater: Headwater) -> None:
    assert headwater("search", "orders", "--limit", "0").out == "and 4 more\n"
