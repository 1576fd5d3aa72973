"""Runs Headwater in one process, on one file: `headwater serve --data lineage.db`."""

import argparse
import ipaddress
import sys
from pathlib import Path

from headwater.cli.command_line import command_parser
from headwater.cli.file import readable
from headwater.cli.serving import announced
from headwater.config import BadEnvironment

PORT, HOST = 5000, "127.0.0.1"
NOTE = """Without --open, each request needs a key: `headwater key add NAME --data FILE` makes one. Your other commands
find the server while it runs (docs/command-line.md). Environment variables set retention and thresholds
(docs/serve.md). SIGTERM and Ctrl-C end the server."""


def parser() -> argparse.ArgumentParser:
    parser = command_parser("serve", __doc__, "headwater serve --data lineage.db --open", note=NOTE)
    parser.add_argument("--data", type=Path, required=True, metavar="FILE", help="SQLite file; made if it is missing")
    parser.add_argument(
        "--port", type=int, default=PORT, metavar="PORT", help="(default: %(default)s; 0: any free port)"
    )
    parser.add_argument("--host", default=HOST, help="address to listen on (default: %(default)s)")
    parser.add_argument("--open", action="store_true", help="accept all requests from this machine without a key")
    parser.add_argument("--public-url", metavar="URL", help="base of the links in alerts (default: host and port)")
    parser.add_argument("--webhook", metavar="URL", help="post each alert there, as JSON")
    parser.add_argument(
        "--sns-topic", metavar="ARN", help="publish each alert to this SNS topic (needs headwater[aws])"
    )
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Run until SIGTERM or Ctrl-C. Return 1 if the file, the address or a variable cannot be used."""
    options = parser().parse_args(arguments)
    if options.open and not is_local(options.host):
        parser().error(f"--open is only for this machine, and {options.host} is not; leave out --host, or use keys")
    for name, url in (("--webhook", options.webhook), ("--public-url", options.public_url)):
        if url and not url.startswith(("http://", "https://")):
            parser().error(f"{url} is not a URL; try {name} http://127.0.0.1:9000/path")
    try:
        from headwater.serve.server import NoAddress, Start, run
    except ModuleNotFoundError as missing:
        return failed(f"{missing}; pip install 'headwater[serve]'")
    start = Start(
        options.data, options.host, options.port, options.open, options.public_url, options.webhook, options.sns_topic
    )
    try:
        run(start, lambda text: print(text, flush=True), announced)
    except ModuleNotFoundError as missing:  # botocore, which a topic needs
        return failed(f"{missing}; pip install 'headwater[aws]'")
    except (BadEnvironment, NoAddress) as error:
        return failed(str(error))
    return 0


def failed(reason: str) -> int:
    print(f"failed: {reason}", file=sys.stderr)
    return 1


def is_local(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


if __name__ == "__main__":
    sys.exit(main())
