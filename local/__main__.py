"""The command line of the embedded stack; `make help` lists its shorter forms."""

import argparse
import signal
import sys
from contextlib import nullcontext
from pathlib import Path
from types import FrameType

from botocore.exceptions import BotoCoreError, ClientError

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import port_argument
from headwater.cli.machine.progress import say
from local.demo.run import demo
from local.emulator.account import scrub_this_process
from local.layout import Layout
from local.samples.run import for_sam_local, run_in_containers, run_in_runtime
from local.stack.down import down
from local.stack.lifecycle import StackOptions
from local.stack.up import up

PORT = 8765
CATALOG_SYNC = {"CatalogSync": "ON", "CatalogWindowSeconds": "1"}
"""CatalogSync is OFF by default, since tables in AWS Glue may belong to other teams. The emulator has none."""
INTERRUPTED = 130  # what a shell reports for a command ended by Ctrl-C


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status. A failure is printed with the next step."""
    options = parser().parse_args(arguments)
    scrub_this_process()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
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
    commands = top.add_subparsers(dest="command", required=True, metavar="up|down|demo|samples")
    up = commands.add_parser("up", help="run the stack until Ctrl-C or `down`")
    up.add_argument("--data", type=Path, metavar="DIR", help="keep the data there over restarts")
    up.add_argument("--auth", action="store_true", help="enforce the roles and policies of template.yaml")
    up.add_argument("--sam", action="store_true", help="let `sam local invoke` in, with a template in .local")
    up.add_argument("--open", action="store_true", help="accept requests without a key, such as those of a web UI")
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
    samples = commands.add_parser("samples", help="send events/ through the functions in a runtime of AWS")
    samples.add_argument(
        "--containers", action="store_true", help="those of `sam local`, else the runtime interface emulator"
    )
    for command in (up, demo):
        command.add_argument(
            "--port", type=port_argument, default=PORT, help="of the public URL (default: %(default)s)"
        )
    return top


def parameter(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"expected a parameter of template.yaml as NAME=VALUE, not {text!r}")
    return name, value


def run(options: argparse.Namespace, layout: Layout) -> None:
    if options.command == "up":
        parameters = CATALOG_SYNC | dict(options.parameter)
        up(
            StackOptions(layout, "up", options.port, options.data, options.auth, options.open, parameters),
            options.alerts,
            for_sam_local(layout, say) if options.sam else nullcontext,
        )
    elif options.command == "down":
        down(layout)
    elif options.command == "samples":
        (run_in_containers if options.containers else run_in_runtime)(layout, say)
    else:
        demo(layout, options.port)


def interrupt(_signal: int, _frame: FrameType | None) -> None:
    """End on these signals as on Ctrl-C. A background job of a shell ignores SIGINT, for example."""
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
