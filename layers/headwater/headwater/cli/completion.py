"""Completion scripts of shells, made from the parsers of all commands: `headwater --print-completion bash`.

Where the shell reads it from:

    bash    eval "$(headwater --print-completion bash)"                 in ~/.bashrc
    zsh     headwater --print-completion zsh > ~/.zfunc/_headwater      with ~/.zfunc in fpath, before compinit
    fish    headwater --print-completion fish > ~/.config/fish/completions/headwater.fish
"""

import argparse
import importlib

import shtab

from headwater.cli.__main__ import COMMANDS, COMPLETION, LOOKUPS, SHELLS
from headwater.cli.lookups.parser import add_commands


def script(shell: str) -> str:
    return shtab.complete(whole_command(), shell=shell)


def whole_command() -> argparse.ArgumentParser:
    """A parser of `headwater` with all its commands."""
    whole = argparse.ArgumentParser(prog="headwater", description="Data lineage.")
    whole.add_argument(COMPLETION, choices=SHELLS)
    commands = whole.add_subparsers(dest="command", metavar="COMMAND")
    add_commands(commands)
    for name, command in COMMANDS.items():
        if command.module != LOOKUPS:
            own = importlib.import_module(command.module).parser()
            commands.add_parser(name, help=command.does, parents=[own], add_help=False)
    return whole
