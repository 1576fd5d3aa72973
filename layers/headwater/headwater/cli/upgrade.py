"""Lets this release store items in its own forms, once you are sure that you will not go back to the previous one.

Until then headwater serve stores items as the previous release does, so that either can serve the file. After an
upgrade, the previous release refuses it. docs/table.md says what a form is.
"""

import argparse
from pathlib import Path

from headwater.cli.command_line import command_parser
from headwater.cli.file import opened, readable
from headwater.store.sqlite.database import sole_use
from headwater.store.table import FORMS


def parser() -> argparse.ArgumentParser:
    parser = command_parser("upgrade", __doc__, "headwater upgrade lineage.db")
    parser.add_argument("data", type=Path, metavar="FILE", help="the file of headwater serve, which must be stopped")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the file cannot be used, or is served."""
    data = parser().parse_args(arguments).data
    with opened(data) as home, sole_use(data):
        former = home.forms
        home.database.write_forms(FORMS)
    if former == FORMS:
        print(f"nothing to upgrade: {data} already has the newest forms of items ({FORMS})")
    else:
        print(f"{data} is upgraded from the forms {former} to {FORMS}; the previous release can no longer serve it")
    return 0
