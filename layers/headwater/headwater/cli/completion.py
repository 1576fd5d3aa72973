"""Prints a completion script for a shell, made from the parsers of all commands: `headwater completion bash`.

Where the shell reads it from:

    bash    eval "$(headwater completion bash)"                 in ~/.bashrc
    zsh     headwater completion zsh > ~/.zfunc/_headwater      with ~/.zfunc in fpath, before compinit
    fish    headwater completion fish > ~/.config/fish/completions/headwater.fish
"""

import argparse
import importlib
import sys

import shtab

from headwater.cli.__main__ import COMMANDS, LOOKUPS
from headwater.cli.lookups.parser import add_commands

SHELLS = ("bash", "zsh", "fish")


def main(arguments: list[str] | None = None) -> int:
    shell = parser().parse_args(arguments).shell
    sys.stdout.write(shtab.complete(whole_command(), shell=shell) + "\n")
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="headwater completion", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("shell", choices=SHELLS)
    return parser


def whole_command() -> argparse.ArgumentParser:
    """A parser of `headwater` with all its commands."""
    whole = argparse.ArgumentParser(prog="headwater", description="Data lineage.")
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")
    add_commands(commands)
    for name, command in COMMANDS.items():
        if command.module != LOOKUPS:
            own = importlib.import_module(command.module).parser()
            commands.add_parser(name, help=command.does, parents=[own], add_help=False)
    return whole


if __name__ == "__main__":
    sys.exit(main())
