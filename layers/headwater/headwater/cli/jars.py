"""Fetches the jars that `headwater submit` and tests of lineage run Spark with, once: a runner that keeps the folder
runs offline. Both look for the jars in the folder that the environment variable HEADWATER_JARS names."""

import argparse
import sys
from pathlib import Path

from headwater.cli.jvm.installed_spark import spark_pins
from headwater.cli.jvm.jars import FOLDER, fetch_into
from headwater.cli.machine.failure import Failure


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater jars", description=__doc__)
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="the folder for the jars")
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Exits with 1 if a jar cannot be fetched, or has another hash than the pinned one."""
    folder = parser().parse_args(arguments).into.absolute()
    try:
        jars = fetch_into(folder, *spark_pins())
    except Failure as failure:
        sys.exit(f"failed: {failure}")
    print(f"{len(jars)} jars are in {folder}")
    print(f"next: set {FOLDER}={folder}")


if __name__ == "__main__":
    main()
