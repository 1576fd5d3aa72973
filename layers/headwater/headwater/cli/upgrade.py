"""Has headwater serve write the newest forms of items to a file, once you will not go back to the release before.

A new release serves the file of the one before, and goes on writing its forms: either can serve the file. From an
upgrade on, only the new release can.
"""

import argparse
import sys
from pathlib import Path

from headwater.cli.file import opened, readable
from headwater.store.sqlite.database import sole_use
from headwater.store.table import FORMS


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater upgrade", description=__doc__)
    parser.add_argument("data", type=Path, metavar="FILE", help="the file of headwater serve, which must not run")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the file cannot be used, or is served."""
    data = parser().parse_args(arguments).data
    with opened(data) as home, sole_use(data):
        former = home.forms
        home.database.write_forms(FORMS)
    if former == FORMS:
        print(f"{data} has the newest forms already: {FORMS}")
    else:
        print(f"{data} has the forms {FORMS} from now on; those of the release before were {former}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
