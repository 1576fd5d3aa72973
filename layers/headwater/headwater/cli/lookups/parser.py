"""The command lines of the lookups."""

import argparse
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.cli.command_line import Paragraphs
from headwater.cli.endpoint import add_server_options

DEPTH = 20
RUNS = 20
FOUND = 50
ALERTS = 20
_NAME = (
    "a name, or the end of one where it is unique (orders_daily for s3://lake/sales/orders_daily), or a nodeId "
    "(dataset:NAMESPACE:NAME, job:NAMESPACE:NAME)"
)
_EPILOG = "example:\n  {example}\n\ndocs/command-line.md has more."

_TIME = "a time (UTC unless it has a zone), today, yesterday, or 30m, 2h, 7d, 4w ago"
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}

Commands = Any
"""What argparse's add_subparsers returns, which has no public type."""


def parser() -> argparse.ArgumentParser:
    """Of all lookups: `headwater COMMAND ...`."""
    parser = argparse.ArgumentParser(prog="headwater", description="Ask the lineage graph.")
    add_commands(parser.add_subparsers(dest="command", required=True, metavar="COMMAND"))
    return parser


def add_commands(commands: Commands) -> None:
    """Adds the parser of each lookup."""
    _add_lineage(commands)
    _add_columns(commands)
    _add_impact(commands)
    _add_why(commands)
    _add_diff(commands)
    _add_runs(commands)
    _add_show(commands)
    _add_search(commands)
    _add_alerts(commands)
    _add_expect(commands)


def time(text: str) -> str:
    """A time as the API takes it, of a time or of words such as `yesterday` and `2h`: two hours ago. Days begin in UTC,
    and a time without a zone is UTC. Raises ArgumentTypeError."""
    try:
        read = _ago(text) or datetime.fromisoformat(text)
        at = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        what = f"{text!r} is not a time such as 2026-11-20, 2026-11-20T08:00:00Z, today, yesterday, 30m, 2h, 7d or 4w"
        raise argparse.ArgumentTypeError(what) from None
    return at.isoformat().replace("+00:00", "Z")


def _ago(text: str) -> datetime | None:
    """The time of words; None for any other text."""
    now = datetime.now(UTC)
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    match re.fullmatch(r"(\d{1,6})([mhdw])", text, re.ASCII), text:
        case (re.Match() as told, _):
            return now - int(told[1]) * _UNITS[told[2]]
        case (_, "today"):
            return today
        case (_, "yesterday"):
            return today - timedelta(days=1)
    return None


def number(text: str) -> int:
    """A number that is not negative. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0 up")
    return int(text)


def _add_lineage(commands: Commands) -> None:
    parser = _added(commands, "lineage", "what a table or job is made of, and what is made of it", "orders_daily --up")
    parser.add_argument("name", metavar="NAME", help=_NAME)
    _add_directions(parser, "only upstream", "only downstream")
    _add_walk(parser)


def _add_columns(commands: Commands) -> None:
    what = "where each column of a table comes from: transformations, masking, filters and joins"
    parser = _added(commands, "columns", what, "orders_daily total_revenue")
    _add_name_and_column(parser, "one column of the table (default: all)")
    _add_directions(parser, "upstream (the default)", "downstream")
    _add_walk(parser)


def _add_impact(commands: Commands) -> None:
    what = "what a change of a table or column would break downstream, by owner"
    parser = _added(commands, "impact", what, "raw/orders unit_price")
    _add_name_and_column(parser, "the column that changes (default: the table)")
    _add_walk(parser)


def _add_why(commands: Commands) -> None:
    what = "why a number may be wrong: the failures and changes upstream since the last good run"
    parser = _added(commands, "why", what, "orders_daily total_revenue")
    _add_name_and_column(parser, "the column that is wrong (default: the table)")
    said = parser.add_mutually_exclusive_group()
    said.add_argument("--good", metavar="RUN", help="mark the run with this id as good")
    said.add_argument("--not-good", metavar="RUN", help="remove that mark")
    parser.add_argument("--note", metavar="TEXT", help="with --good: why the run was good")
    _add_walk(parser)


def _add_diff(commands: Commands) -> None:
    what = "what changed between two times: around a table or job, in a namespace, or in all of them"
    parser = _added(commands, "diff", what, "orders_daily --since yesterday")
    parser.add_argument("name", metavar="NAME", nargs="?", help=_NAME)
    parser.add_argument("--namespace", metavar="NAME", help="only this namespace, instead of a NAME")
    since = f"show changes since then: {_TIME} (default: yesterday)"
    parser.add_argument("--since", type=time, default="yesterday", metavar="TIME", help=since)
    _add_directions(parser, "only upstream", "only downstream")
    _add_walk(parser, "show changes until then (default: now)")


def _add_runs(commands: Commands) -> None:
    parser = _added(commands, "runs", "the runs of a job, or the newest run of each job", "--failed")
    parser.add_argument("job", metavar="JOB", nargs="?", help=_NAME)
    parser.add_argument("--failed", action="store_true", help="only failed runs, the newest first")
    parser.add_argument("--since", type=time, metavar="TIME", help=f"only runs since then: {_TIME}")
    _add_output(parser, RUNS, "runs")


def _add_show(commands: Commands) -> None:
    parser = _added(commands, "show", "a table: its columns, owners, writers, last write and alerts", "orders_daily")
    parser.add_argument("name", metavar="TABLE", help=_NAME)
    _add_output(parser)


def _add_search(commands: Commands) -> None:
    parser = _added(commands, "search", "the datasets and jobs whose names contain a text", "orders")
    parser.add_argument("text", metavar="TEXT", help="part of a name, in upper or lower case")
    parser.add_argument("--kind", choices=("dataset", "job"), help="only nodes of this kind")
    parser.add_argument("--namespace", metavar="NAME", help="only nodes of this namespace")
    _add_output(parser, FOUND, "nodes")


def _add_alerts(commands: Commands) -> None:
    what = "the alerts, newest first; acknowledges one, or silences its kind for a time"
    parser = _added(commands, "alerts", what, '--silence 5f1c --for 2h --note "moving the cluster"')
    parser.add_argument("--active", action="store_true", help="only those neither acknowledged nor silenced")
    acts = parser.add_mutually_exclusive_group()
    acts.add_argument("--ack", metavar="ID", help="acknowledge this alert; the beginning of its id is enough")
    acts.add_argument("--reopen", metavar="ID", help="undo the acknowledgement")
    acts.add_argument("--silence", metavar="ID", help="send no more alerts of its type about its job or dataset")
    acts.add_argument("--end-silence", metavar="ID", help="send them again")
    parser.add_argument("--following", action="store_true", help="with --ack: also the alerts that follow from it")
    until = "with --silence: for how long (30m, 2h, 3d), or until when"
    parser.add_argument("--for", dest="until", metavar="TIME", help=until)
    parser.add_argument("--note", default="", metavar="TEXT", help="with --ack or --silence: why")
    _add_output(parser, ALERTS, "alerts")


def _add_expect(commands: Commands) -> None:
    what = "which runs are late, and which are due next; of a table or job, what is usual and why"
    parser = _added(commands, "expect", what, "orders_daily")
    parser.add_argument("name", metavar="NAME", nargs="?", help=_NAME)
    parser.add_argument("--namespace", metavar="NAME", help="only this namespace, instead of a NAME")
    parser.add_argument("--put", metavar="FILE", help="first upload this headwater.yml, which replaces the one before")
    _add_output(parser, RUNS, "jobs")


def _added(commands: Commands, name: str, what: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"Shows {what}.",
        epilog=_EPILOG.format(example=f"headwater {name} {example}"),
        formatter_class=Paragraphs,
    )
    return parser


def _add_name_and_column(parser: argparse.ArgumentParser, column: str) -> None:
    parser.add_argument("name", metavar="NAME", help=_NAME)
    parser.add_argument("column", metavar="COLUMN", nargs="?", help=column)


def _add_directions(parser: argparse.ArgumentParser, up: str, down: str) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--up", dest="direction", action="store_const", const="upstream", help=up)
    ways.add_argument("--down", dest="direction", action="store_const", const="downstream", help=down)


def _add_walk(parser: argparse.ArgumentParser, at: str = f"show the graph as of then: {_TIME}") -> None:
    parser.add_argument(
        "--depth", type=number, default=DEPTH, metavar="N", help="most hops to follow (default: %(default)s)"
    )
    parser.add_argument("--at", type=time, metavar="TIME", help=at)
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser, most: int = 0, listed: str = "") -> None:
    if listed:
        limit = f"{listed} to list (default: %(default)s)"
        parser.add_argument("--limit", type=number, default=most, metavar="N", help=limit)
    parser.add_argument("--json", action="store_true", help="print the API's answer")
    parser.add_argument("--all", action="store_true", help="do not shorten a long answer on a terminal")
    add_server_options(parser)
