"""Completion scripts have every command, and bash completes by its own."""

import subprocess
import sys

import pytest

from headwater.cli.__main__ import COMMANDS, SHELLS
from headwater.cli.completion import script, whole_command
from tests.serve.process import ENVIRONMENT


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command(shell: str) -> None:
    printed = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "headwater.cli", "--print-completion", shell],
        env=ENVIRONMENT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert all(command in printed for command in COMMANDS)
    assert "failed" in printed
    assert "spark-defaults" in printed


@pytest.mark.parametrize(
    ("words", "completed"),
    [("headwater im", ["impact"]), ("headwater runs --fa", ["--failed"]), ("headwater --print-completion z", ["zsh"])],
)
def test_bash_completes(words: str, completed: list[str]) -> None:
    ask = f"COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _shtab_headwater; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["/bin/bash", "-c", f"{script('bash')}\n{ask}"], capture_output=True, check=True, text=True)  # noqa: S603
    assert done.stdout.split() == completed


def test_every_command_is_completed() -> None:
    assert completed_commands() == set(COMMANDS)


def completed_commands() -> set[str]:
    (commands,) = [action.choices for action in whole_command()._actions if action.dest == "command"]
    return set(commands or ())
