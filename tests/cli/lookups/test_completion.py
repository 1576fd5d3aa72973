"""Completion scripts have every command, and bash completes by its own."""

import subprocess

import pytest

from cli.completion import SHELLS, main, whole_command

COMMANDS = ["lineage", "columns", "impact", "why", "runs", "doctor", "submit", "kafka", "completion"]


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


def test_the_launcher_starts_every_command_that_is_completed() -> None:
    parser = whole_command()
    (commands,) = [action.choices for action in parser._actions if action.dest == "command"]
    assert list(commands or ()) == COMMANDS
