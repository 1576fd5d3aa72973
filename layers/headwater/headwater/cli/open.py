"""Opens the web page in a browser, at the lineage of a table or job: `headwater open revenue_daily`. Without a display,
only prints the address. The key is not part of the address: the page asks for it."""

import argparse
import os
import sys
import webbrowser
from collections.abc import Mapping
from urllib.parse import urlencode

from headwater.cli.api import Api
from headwater.cli.command_line import command_parser
from headwater.cli.endpoint import add_server_options, api_of
from headwater.cli.failure import CommandFailure
from headwater.cli.lookups.names import DATASET, JOB, resolve
from headwater.cli.lookups.terminal import told


def parser() -> argparse.ArgumentParser:
    parser = command_parser("open", __doc__, "headwater open revenue_daily")
    parser.add_argument("name", nargs="?", metavar="NAME", help="as for `headwater lineage` (default: the start page)")
    add_server_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Return 0, or the status of cli/failure.py if the node is not found or the server does not answer."""
    options = parser().parse_args(arguments)
    try:
        address = address_of(api_of(options.url, options.key_file), options.name)
    except CommandFailure as failure:
        return told(failure)
    print(address)
    if has_display(os.environ, sys.platform):
        webbrowser.open(address)
    return 0


def address_of(api: Api, name: str | None) -> str:
    """The address of the page. Raises CommandFailure."""
    if name is None:
        return f"{api.url}/"
    node = resolve(api, name, (DATASET, JOB), ["open"]).node
    return f"{api.url}/#/lineage?{urlencode({'nodeId': node.node_id})}"


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Whether a browser can show itself."""
    return platform in ("darwin", "win32") or any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
