"""Shows an incident in a few seconds: recorded events of a real Spark pipeline go to a server on a temporary file, a
table's schema changes, and an alert comes. Needs no Java, no AWS and no network."""

import argparse
import os
import sys

from headwater.cli.command_line import command_parser
from headwater.cli.file import readable
from headwater.cli.lookups.terminal import print_anything
from headwater.config import BadEnvironment

NOTE = "The events were recorded from `make demo` (local/demo/record.py), and shifted in time to end now."


def parser() -> argparse.ArgumentParser:
    parser = command_parser("demo", __doc__, "headwater demo --port 5000", note=NOTE)
    parser.add_argument(
        "--port", type=int, metavar="PORT", help="keep the server running on this port until Ctrl-C (0: any free port)"
    )
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if there is no server, no answer or no alert."""
    options = parser().parse_args(arguments)
    print_anything()
    try:
        from headwater.cli.demo.story import NoDemo, tell
        from headwater.serve.server import NoAddress
    except ModuleNotFoundError as missing:
        print(f"failed: {missing}; pip install 'headwater[serve]'", file=sys.stderr)
        return 1
    try:
        tell(options.port)
    except (BadEnvironment, NoAddress, NoDemo) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # such as `| head`; the temporary file is gone, and nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
