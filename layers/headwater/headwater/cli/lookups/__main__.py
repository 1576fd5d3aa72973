"""`python -m headwater.cli.lookups lineage|columns|impact|why|diff|runs|alerts ...`, which `headwater` starts."""

import contextlib
import os
import signal
import sys

from headwater.cli.endpoint import api_of
from headwater.cli.failure import ANSWERED, CommandFailure
from headwater.cli.lookups.parser import parser
from headwater.cli.lookups.questions import reply_to
from headwater.cli.lookups.terminal import display_for, print_anything, shown, told


def main(arguments: list[str] | None = None) -> int:
    """Print the answer. Return the exit status (cli/failure.py)."""
    options = parser().parse_args(arguments)
    try:
        reply = reply_to(api_of(options.url, options.key_file), options)
    except CommandFailure as failure:
        return told(failure)
    if options.json:
        print(reply.json)
        return ANSWERED
    display = display_for(sys.stdout, os.environ, whole=options.all, is_list=options.command == "impact")
    print(shown(reply.render, display), end="", flush=True)
    for note in reply.notes:
        print(note, file=sys.stderr)
    return ANSWERED


def as_a_program(arguments: list[str]) -> int:
    """`main` as a program among others: it ends quietly if its reader does, or on Ctrl-C."""
    print_anything()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with contextlib.suppress(KeyboardInterrupt):
        return main(arguments)
    return 130


if __name__ == "__main__":
    sys.exit(as_a_program(sys.argv[1:]))
