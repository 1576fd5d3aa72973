"""The command line of the embedded stack; `make help` lists its shorter forms."""

import argparse
import signal
import sys
from pathlib import Path
from types import FrameType

from botocore.exceptions import BotoCoreError, ClientError

from local.account import scrub_this_process
from local.demo import demo
from local.failure import Failure
from local.layout import Layout
from local.stack import StackOptions
from local.up import down, up

PORT = 8765
IN_STEP = {"CatalogSync": "ON", "CatalogWindowSeconds": "1"}
"""The emulator's Glue is nobody else's, so its tables are kept in step from the start."""
INTERRUPTED = 130  # what a shell reports for a command ended by Ctrl-C


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status; what goes wrong is told with the next step."""
    options = parser().parse_args(arguments)
    scrub_this_process()
    for wanted in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(wanted, interrupt)
    try:
        run(options, Layout.here())
    except Failure as failure:
        print(f"\nfailed: {failure}", file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError) as error:
        print(f"\nfailed: the emulator did not do as asked: {error}\n  next: read its log in .local", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m local", description="The embedded stack of Headwater.")
    commands = top.add_subparsers(dest="command", required=True, metavar="up|down|demo")
    up = commands.add_parser("up", help="run the stack until Ctrl-C or `down`")
    up.add_argument("--data", type=Path, metavar="DIR", help="keep the data there over restarts")
    up.add_argument("--auth", action="store_true", help="enforce the roles and policies of template.yaml")
    up.add_argument("--open", action="store_true", help="let in requests without a key, as a web UI sends them")
    up.add_argument(
        "--alerts", metavar="TO", help="post alerts to this URL too, or send them to this queue's ARN or URL"
    )
    up.add_argument(
        "--parameter",
        type=parameter,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of template.yaml that is not to have its default; may be repeated",
    )
    commands.add_parser("down", help="stop the stack that `up` runs")
    demo = commands.add_parser("demo", help="run a Spark pipeline against a fresh stack and show its lineage")
    for command in (up, demo):
        command.add_argument("--port", type=port, default=PORT, help="of the public URL (default: %(default)s)")
    return top


def port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 65535, not {text!r}")
    return int(text)


def parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected a parameter of template.yaml as NAME=VALUE, not {text!r}")
    return name, value


def run(options: argparse.Namespace, layout: Layout) -> None:
    if options.command == "up":
        given = IN_STEP | dict(options.parameter)
        wanted = StackOptions(layout, "up", options.port, options.data, options.auth, options.open, given)
        up(wanted, options.alerts)
    elif options.command == "down":
        down(layout)
    else:
        demo(layout, options.port)


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End as on Ctrl-C, cleaning up: on SIGTERM, on a closed terminal, and for a job of a shell's."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
