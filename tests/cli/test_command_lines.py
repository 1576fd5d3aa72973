"""The commands as a person meets them: a screen of them, options of one meaning, and examples that can be typed."""

import importlib
import shlex
from argparse import ArgumentParser
from collections import defaultdict
from pathlib import Path

import pytest

from headwater.cli.__main__ import COMMANDS, LOOKUPS, usage
from headwater.cli.lookups.parser import parser as lookups

MOST = 28
OWN_VALUES = {
    "--namespace": {"NAME", "PATTERN"},  # a key may have many namespaces
    "--to": {"FILE", "DIR|s3://BUCKET/PREFIX"},  # a copy is a file, an archive many
}
"""Options whose value has another form for one command."""


def parser_of(name: str) -> ArgumentParser:
    if COMMANDS[name].module != LOOKUPS:
        parser: ArgumentParser = importlib.import_module(COMMANDS[name].module).parser()
        return parser
    (commands,) = [action.choices for action in lookups()._actions if action.dest == "command"]
    found: ArgumentParser = dict(commands or {})[name]
    return found


def test_the_commands_fit_a_screen() -> None:
    assert len(COMMANDS) <= MOST
    assert max(map(len, usage().splitlines())) <= 100


@pytest.mark.parametrize("name", COMMANDS)
def test_the_examples_of_a_command_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").touch()
    parser = parser_of(name)
    with pytest.raises(SystemExit, match=r"^0$"):
        parser.parse_args(["--help"])
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    first = next(number for number, line in enumerate(lines) if line in ("example:", "examples:")) + 1
    examples = [line for line in lines[first:] if line.startswith(f"headwater {name}")]
    assert examples
    for example in examples:
        parser.parse_args(shlex.split(example)[2:])


def test_an_option_takes_the_same_of_each_command() -> None:
    values: dict[str, set[object]] = defaultdict(set)
    for name in COMMANDS:
        parsers = [parser_of(name)]
        parsers += [
            of for action in parsers[0]._actions if isinstance(action.choices, dict) for of in action.choices.values()
        ]
        for action in (action for parser in parsers for action in parser._actions):
            for option in action.option_strings:
                values[option].add(None if action.nargs == 0 else action.metavar or action.dest.upper())
    assert {option: each for option, each in values.items() if len(each) > 1} == OWN_VALUES
