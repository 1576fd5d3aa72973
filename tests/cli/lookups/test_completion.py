"""Completion scripts have every command, and bash completes by its own."""

import subprocess

import pytest

from headwater.cli.__main__ import COMMANDS
from headwater.cli.completion import SHELLS, main, whole_command


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_has_every_command(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([shell]) == 0
    script = capsys.readouterr().out
    assert all(command in script for command in COMMANDS)
    assert "failed" in script
    assert "spark-defaults" in script


@pytest.mark.parametrize(
    ("words", "completed"),
    [("headwater im", ["impact"]), ("headwater runs --fa", ["--failed"]), ("headwater completion z", ["zsh"])],
)
def test_bash_completes(words: str, completed: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["bash"])
    script = capsys.readouterr().out
    ask = f"COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _shtab_headwater; echo ${{COMPREPLY[@]}}"
    done = subprocess.run(["/bin/bash", "-c", f"{script}\n{ask}"], capture_output=True, check=True, text=True)  # noqa: S603
    assert done.stdout.split() == completed


def test_every_command_is_completed() -> None:
    assert completed_commands() == set(COMMANDS)


def completed_commands() -> set[str]:
    (commands,) = [action.choices for action in whole_command()._actions if action.dest == "command"]
    return set(commands or ())
