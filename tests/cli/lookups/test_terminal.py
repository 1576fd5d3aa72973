"""Colour and width: on a terminal, in a pipe, and with NO_COLOR."""

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.cli.lookups.terminal import MOST_ENTRIES, display_for, paint_for, shown
from headwater.lookup.text import lineage
from headwater.lookup.text.display import Display, Role, plain
from headwater.lookup.text.inert import width_of
from tests.cli.lookups.server import KEY
from tests.lookup.text.graphs import graph

ROOT = Path(__file__).parents[3]
COMMAND = [sys.executable, "-m", "headwater.cli.lookups"]


def environment(url: str, **more: str) -> dict[str, str]:
    path = f"{ROOT}:{ROOT / 'layers' / 'headwater'}"
    return {"HEADWATER_URL": url, "HEADWATER_API_KEY": KEY, "PYTHONPATH": path, "PYTHONUTF8": "1", **more}


def on_a_terminal(url: str, *arguments: str, **more: str) -> str:
    ours, theirs = pty.openpty()
    try:
        command = subprocess.Popen(  # noqa: S603
            [*COMMAND, *arguments], stdout=theirs, stderr=theirs, env=environment(url, TERM="xterm", **more)
        )
        os.close(theirs)
        printed = b""
        while block := _read(ours):
            printed += block
        assert command.wait(30) == 0
    finally:
        os.close(ours)
    return printed.decode().replace("\r\n", "\n")


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 65_536)
    except OSError:  # Linux says so that the other end is closed
        return b""


def test_a_terminal_gets_colours_and_its_width(url: str) -> None:
    printed = on_a_terminal(url, "lineage", "orders_daily", "--up", COLUMNS="80")
    assert "\x1b[31mFAILED\x1b[0m" in printed or "\x1b[31m  FAILED\x1b[0m" in printed
    assert "\x1b[36mclean\x1b[0m" in printed


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colours_are_left_out_where_they_are_not_wanted(more: dict[str, str]) -> None:
    assert paint_for(more) is plain
    assert paint_for({"TERM": "xterm", "NO_COLOR": ""})(Role.BAD, "x") == "\x1b[31mx\x1b[0m"


def test_with_no_color_a_terminal_gets_none(url: str) -> None:
    assert "\x1b" not in on_a_terminal(url, "lineage", "orders_daily", NO_COLOR="1")


def test_a_pipe_gets_whole_names_and_no_colours(url: str) -> None:
    piped = subprocess.run(  # noqa: S603
        [*COMMAND, "why", "orders_daily"],
        env=environment(url, TERM="xterm"),
        capture_output=True,
        check=True,
        text=True,
    )
    assert "\x1b" not in piped.stdout
    assert "RUN_FAILED" in piped.stdout


def test_a_reader_that_goes_away_ends_the_command_quietly(url: str) -> None:
    ended = subprocess.run(  # noqa: S603
        ["/bin/bash", "-c", f"{sys.executable} -m headwater.cli.lookups lineage orders_daily | head -1"],
        env=environment(url, PATH=os.environ["PATH"]),
        capture_output=True,
        check=True,
        text=True,
    )
    assert (ended.stdout, ended.stderr) == ("upstream of orders_daily: 3 jobs, 4 datasets\n", "")


def test_a_stream_that_knows_no_such_letters_gets_escapes(url: str) -> None:
    ascii_only = environment(url) | {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    piped = subprocess.run(  # noqa: S603
        [*COMMAND, "lineage", "orders_daily"], env=ascii_only, capture_output=True, check=True, text=True
    )
    assert r"\u2514\u2500 job daily" in piped.stdout


class Terminal:
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_the_nearest_nodes_and_says_how_to_see_all() -> None:
    answer = graph("\n".join(["job load > t", *(f"in_{number} > job load" for number in range(40))]))
    answer["nodeId"] = "dataset:s3://lake:t"
    few = display_for(Terminal(), {"NO_COLOR": "1"}, whole=False)  # type: ignore[arg-type]
    text = shown(lambda display: lineage.render(answer, display, "upstream"), few)
    assert text.endswith("   └─ and 28 more\n\nthe nearest are shown; --all shows all\n")
    whole = display_for(Terminal(), {"NO_COLOR": "1"}, whole=True)  # type: ignore[arg-type]
    assert "more" not in shown(lambda display: lineage.render(answer, display, "upstream"), whole)


def test_a_pipe_gets_a_screen_of_a_list_unless_all_is_asked_for() -> None:
    pipe = io.StringIO()
    assert display_for(pipe, {}, whole=False, is_list=True).most_entries == MOST_ENTRIES
    assert display_for(pipe, {}, whole=True, is_list=True).most_entries is None
    assert display_for(pipe, {}, whole=False).most_entries is None


def test_a_text_that_is_whole_says_no_more() -> None:
    assert shown(lambda _: "text\n", Display(80, 1, 1)) == "text\n"


def test_colours_add_no_width() -> None:
    long = graph("\n".join(["job load > t", *(f"{'in_' * 40}{number} > job load" for number in range(3))]))
    painted = lineage.render(long | {"nodeId": "dataset:s3://lake:t"}, Display(80, paint=lambda _, text: text.upper()))
    assert max(map(width_of, painted.splitlines())) == 80
