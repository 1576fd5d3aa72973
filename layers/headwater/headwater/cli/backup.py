"""Copies the file of headwater serve, even while it is served. The copy has everything that was answered until then."""

import argparse
import sys
from pathlib import Path

from headwater.cli.command_line import command_parser
from headwater.cli.file import add_data, opened, readable


def parser() -> argparse.ArgumentParser:
    parser = command_parser("backup", __doc__, "headwater backup --data lineage.db --to copy.db")
    add_data(parser)
    parser.add_argument("--to", type=Path, required=True, metavar="FILE", help="must not exist yet")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the copy exists already, or one of the files cannot be used."""
    options = parser().parse_args(arguments)
    if options.to.exists():
        print(f"failed: {options.to} exists; name a new file", file=sys.stderr)
        return 1
    with opened(options.data) as home:
        home.database.copy_to(options.to)
    print(f"{options.to} has a copy of {options.data}: {options.to.stat().st_size / 1e6:,.1f} MB")
    return 0
