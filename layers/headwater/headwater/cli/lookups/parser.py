"""The command lines of the lookups."""

import argparse
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.cli.endpoint import add_server_options

DEPTH = 20
RUNS = 20
_NAME = (
    "a name, or the end of one where it is unique (orders_daily for s3://lake/sales/orders_daily), or a nodeId "
    "(dataset:NAMESPACE:NAME, job:NAMESPACE:NAME)"
)
_EPILOG = "example:\n  {example}\n\ndocs/command-line.md has more."

_DAYS_AGO = {"today": 0, "yesterday": 1}
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGO = re.compile(r"(\d{1,6})([mhdw])", re.ASCII)

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


def time(text: str) -> str:
    """A time as the API takes it; a time without a zone is UTC. Raises ArgumentTypeError."""
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 2026-11-20 or 2026-11-20T08:00:00Z") from None
    at = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    return at.isoformat().replace("+00:00", "Z")


def time_ago(text: str) -> str:
    """A time as the API takes it: `today` and `yesterday` from midnight in UTC, `30m`, `2h`, `7d` and `1w` before now,
    or a time as `time` takes it. Raises ArgumentTypeError."""
    now, word = datetime.now(UTC), text.strip().lower()
    if word in _DAYS_AGO:
        day = (now - timedelta(days=_DAYS_AGO[word])).replace(hour=0, minute=0, second=0, microsecond=0)
        return day.isoformat().replace("+00:00", "Z")
    if ago := _AGO.fullmatch(word):
        try:
            return (now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})).isoformat().replace("+00:00", "Z")
        except OverflowError:
            raise argparse.ArgumentTypeError(f"{text!r} is too long ago") from None
    try:
        return time(text)
    except argparse.ArgumentTypeError as wrong:
        raise argparse.ArgumentTypeError(f"{wrong}, nor today, yesterday, 30m, 2h, 7d or 1w") from None


def number(text: str) -> int:
    """A number that is not negative. Raises ArgumentTypeError."""
    if not (text.isascii() and text.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 0 on")
    return int(text)


def _add_lineage(commands: Commands) -> None:
    parser = _added(
        commands,
        "lineage",
        "what a table or job is made of, and what is made of it",
        "headwater lineage orders_daily --up",
    )
    parser.add_argument("name", metavar="NAME", help=_NAME)
    _add_directions(parser, "upstream alone", "downstream alone")
    _add_walk(parser)


def _add_columns(commands: Commands) -> None:
    parser = _added(
        commands,
        "columns",
        "where each column of a table comes from: transformations, masking, filters and joins",
        "headwater columns orders_daily total_revenue",
    )
    parser.add_argument("name", metavar="NAME", help=_NAME)
    parser.add_argument("column", metavar="COLUMN", nargs="?", help="one column of the table (default: all)")
    _add_directions(parser, "upstream (the default)", "downstream")
    _add_walk(parser)


def _add_impact(commands: Commands) -> None:
    parser = _added(
        commands,
        "impact",
        "what a change of a table or column would break downstream, by owner",
        "headwater impact raw/orders unit_price",
    )
    parser.add_argument("name", metavar="NAME", help=_NAME)
    parser.add_argument("column", metavar="COLUMN", nargs="?", help="the column that changes (default: the table)")
    _add_walk(parser)


def _add_why(commands: Commands) -> None:
    parser = _added(
        commands,
        "why",
        "why a number may be wrong: the failures and changes upstream since the last good run",
        "headwater why orders_daily",
    )
    parser.add_argument("name", metavar="NAME", help=_NAME)
    _add_walk(parser)


def _add_diff(commands: Commands) -> None:
    parser = _added(
        commands,
        "diff",
        "what changed between two times: around a table or job, in a namespace, or in all of them",
        "headwater diff orders_daily --since yesterday",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help=_NAME)
    parser.add_argument("--namespace", help="the nodes of this namespace, without a NAME")
    parser.add_argument(
        "--since",
        type=time_ago,
        default="yesterday",
        metavar="TIME",
        help="the first time: today, yesterday (the default), 30m, 2h, 7d, 1w, or a time, UTC unless it has a zone",
    )
    parser.add_argument("--at", type=time_ago, metavar="TIME", help="the second time, likewise (default: now)")
    _add_directions(parser, "upstream alone", "downstream alone")
    parser.add_argument("--depth", type=number, default=DEPTH, metavar="N", help="jobs away (default: %(default)s)")
    _add_output(parser)


def _add_runs(commands: Commands) -> None:
    parser = _added(
        commands,
        "runs",
        "the runs of a job, or the newest run of each job",
        "headwater runs --failed",
    )
    parser.add_argument("job", metavar="JOB", nargs="?", help=_NAME)
    parser.add_argument("--failed", action="store_true", help="failed runs alone")
    parser.add_argument("--limit", type=number, default=RUNS, metavar="N", help="runs to list (default: %(default)s)")
    _add_output(parser)


def _added(commands: Commands, name: str, what: str, example: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=what,
        description=f"Shows {what}.",
        epilog=_EPILOG.format(example=example),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    return parser


def _add_directions(parser: argparse.ArgumentParser, up: str, down: str) -> None:
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--up", dest="direction", action="store_const", const="upstream", help=up)
    ways.add_argument("--down", dest="direction", action="store_const", const="downstream", help=down)


def _add_walk(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--depth", type=number, default=DEPTH, metavar="N", help="jobs away (default: %(default)s)")
    parser.add_argument("--at", type=time, metavar="TIME", help="the graph at that time, UTC unless it has a zone")
    _add_output(parser)


def _add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print the answer of the API")
    parser.add_argument("--all", action="store_true", help="show all of a long answer on a terminal, too")
    add_server_options(parser)
