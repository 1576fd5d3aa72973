"""Offers the lookups to coding assistants, read-only: a server of the Model Context Protocol on the standard input and
output. The assistant starts it; you need not."""

import argparse
import sys

from headwater.cli.command_line import command_parser
from headwater.cli.endpoint import add_server_options, api_of

NOTE = """for an assistant that reads .mcp.json:
  {"mcpServers": {"headwater": {"command": "headwater", "args": ["mcp"],
                                "env": {"HEADWATER_URL": "...", "HEADWATER_API_KEY": "..."}}}}

docs/command-line.md has more."""


def parser() -> argparse.ArgumentParser:
    parser = command_parser("mcp", __doc__, "headwater mcp --url http://127.0.0.1:5000", note=NOTE)
    add_server_options(parser)
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Serve until the standard input ends. Return 1 if the SDK is missing."""
    options = parser().parse_args(arguments)
    try:
        from headwater.cli.mcp.tools import server_over
    except ModuleNotFoundError as missing:
        print(f"failed: {missing}; pip install 'headwater[mcp]'", file=sys.stderr)
        return 1
    server_over(lambda: api_of(options.url, options.key_file)).run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
