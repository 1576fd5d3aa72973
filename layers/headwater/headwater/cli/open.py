"""Opens the web page in a browser, at the lineage of a table or job: `headwater open revenue_daily`. Without a display,
prints the address alone. The key is not part of the address: the page asks for it."""

import argparse
import os
import sys
import webbrowser
from collections.abc import Mapping
from urllib.parse import urlencode

from headwater.cli.lookups.api import api_of
from headwater.cli.lookups.failure import LookupFailure
from headwater.cli.lookups.names import DATASET, JOB, resolve


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater open", description=__doc__)
    parser.add_argument("name", nargs="?", metavar="NAME", help="as of `headwater lineage` (default: the start page)")
    parser.add_argument("--url", help="of the API (default: $HEADWATER_URL, else the stack of `make up`)")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 0, or the status of cli/lookups/failure.py if the node is not found or the server does not answer."""
    options = parser().parse_args(arguments)
    try:
        address = address_of(options.url, options.name)
    except LookupFailure as failure:
        print("\n".join(failure.lines()), file=sys.stderr)
        return failure.status
    print(address)
    if has_display(os.environ, sys.platform):
        webbrowser.open(address)
    return 0


def address_of(url: str | None, name: str | None) -> str:
    """The address of the page. Raises LookupFailure."""
    api = api_of(url)
    if name is None:
        return f"{api.url}/"
    node = resolve(api, name, (DATASET, JOB), ["open"]).node
    return f"{api.url}/#/lineage?{urlencode({'nodeId': node.node_id})}"


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser can show itself."""
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


if __name__ == "__main__":
    sys.exit(main())
