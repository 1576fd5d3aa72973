"""The file of `headwater serve`, as the commands that work on it open it."""

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec

from headwater.cli.failure import reason_of
from headwater.config import BadEnvironment
from headwater.store.errors import StorageError
from headwater.store.sqlite.database import RefusedDatabase
from headwater.store.sqlite.home import SqliteHome

Arguments = ParamSpec("Arguments")


def add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="the file of headwater serve")


@contextmanager
def opened(path: Path, *, make: bool = False) -> Iterator[SqliteHome]:
    """Open a file for a `with` block; it may be served meanwhile. Raises RefusedDatabase."""
    if not make and not path.is_file():
        raise RefusedDatabase(f"{path} does not exist; name the file of headwater serve")
    with closing(SqliteHome(path)) as home:
        yield home


def readable(main: Callable[Arguments, int]) -> Callable[Arguments, int]:
    """Let a command print its error in words, and return 1."""

    @wraps(main)
    def told(*arguments: Arguments.args, **named: Arguments.kwargs) -> int:
        try:
            return main(*arguments, **named)
        except (BadEnvironment, RefusedDatabase, StorageError, OSError) as error:
            print(f"failed: {reason_of(error)}", file=sys.stderr)
            return 1
        except ModuleNotFoundError as missing:
            if missing.name != "botocore":
                raise
            print("failed: AWS needs the extra aws; pip install 'headwater[aws]'", file=sys.stderr)
            return 1

    return told
