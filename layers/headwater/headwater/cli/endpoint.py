"""Where the server of a command is, and the key for it: one rule for all commands (docs/command-line.md)."""

import argparse
import json
import os
import re
import sys
from pathlib import Path
from urllib.parse import urlsplit

from headwater.cli import serving
from headwater.cli.api import PREFIX, Api
from headwater.cli.failure import UNREACHABLE, WRONG_COMMAND, CommandFailure, reason_of
from headwater.cli.refusal import BY_OPTIONS, KEYS

URL_VARIABLE, KEY_VARIABLE = "HEADWATER_URL", "HEADWATER_API_KEY"
CHECKOUT = Path(__file__).resolve().parents[4]
"""Of the stack of `make up`, if this is a checkout and no wheel."""
FILE = CHECKOUT / ".local" / "endpoint.json"
"""Written by `make up`, and removed when the stack stops; beside it is the file that `make up` holds a lock on."""
LOCK = "up.pid"


OF_SERVE = BY_OPTIONS._replace(keys="`headwater key add NAME --data FILE` makes one")


class NoServer(CommandFailure):
    """No server is named, and none runs here."""

    def __init__(self) -> None:
        make_up = f", or `make up` in {CHECKOUT}" if (CHECKOUT / "template.yaml").is_file() else ""
        start = f"start one in another shell: `headwater serve --data lineage.db --open`{make_up}"
        super().__init__(
            "no server is named, and none runs here", start, f"or name one with {BY_OPTIONS.url}", status=UNREACHABLE
        )


class UnusableKey(CommandFailure):
    """No request can carry the key, which the text does not show."""

    def __init__(self) -> None:
        what = "the key has a space, a line break or a character beyond ASCII, which no HTTP header can have"
        super().__init__(what, f"copy the key without changes: {KEYS}", status=UNREACHABLE)


def add_server_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--url",
        metavar="URL",
        help=f"the server (default: ${URL_VARIABLE}, else the `headwater serve` or `make up` that runs here)",
    )
    parser.add_argument(
        "--key-file", type=Path, metavar="FILE", help=f"file with the API key (default: ${KEY_VARIABLE})"
    )


def api_of(url: str | None = None, key_file: Path | None = None) -> Api:
    """The API of a command with these options. Raises CommandFailure.

    The key is never an argument, since `ps` shows arguments.
    """
    of_make_up = _endpoint_of_make_up()
    served = serving.running()
    address = url or os.environ.get(URL_VARIABLE)
    if not address:
        address = _newest([*served, *(found for found, _ in of_make_up)])
    address = as_address(address)
    key = key_of(key_file) or next((key for found, key in of_make_up if as_address(found) == address), "")
    return Api(address, key, given=OF_SERVE if address in map(as_address, served) else BY_OPTIONS)


def key_of(file: Path | None) -> str:
    """The key in a file, else that of the environment. Raises CommandFailure."""
    if file is None:
        return as_header(os.environ.get(KEY_VARIABLE, "").strip())
    try:
        return as_header(file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise CommandFailure(f"the key cannot be read: {reason_of(error)}", status=WRONG_COMMAND) from None


def as_header(key: str) -> str:
    """A key, if an HTTP header can hold it. Raises UnusableKey."""
    if not re.fullmatch(r"[!-~]*", key):
        raise UnusableKey
    return key


def as_address(url: str) -> str:
    """The URL of an API, without a slash or the API's own path at its end. Raises CommandFailure."""
    if not is_address(url):
        raise CommandFailure(f"{url} is not an http or https URL", status=WRONG_COMMAND)
    return url.rstrip("/").removesuffix(PREFIX)


def is_address(url: str) -> bool:
    """Whether a text is a URL of http or https."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.username is None
    return is_web and port != 0 and re.fullmatch(r"[!-~]+", url) is not None


def _newest(running: list[str]) -> str:
    """The first of the servers that run. If there are more, the standard error says which it is. Raises NoServer."""
    if not running:
        raise NoServer
    first, *others = running
    if others:
        print(
            f"{len(running)} servers run here; this one is asked: {first}. {BY_OPTIONS.url} names another",
            file=sys.stderr,
        )
    return first


def _endpoint_of_make_up() -> list[tuple[str, str]]:
    """The public URL and the key of the stack that `make up` runs, if one does."""
    if not FILE.is_file() or _is_stale(FILE.with_name(LOCK)):
        return []
    endpoint = json.loads(FILE.read_text(encoding="utf-8"))
    return [(endpoint["url"], endpoint["key"])]


def _is_stale(lock: Path) -> bool:
    """Whether the process that held a lock was killed."""
    if not lock.is_file():
        return False
    with lock.open(encoding="utf-8") as file:
        return not serving.is_locked(file)
