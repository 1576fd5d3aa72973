"""Where a command finds its server, and the key for it: one rule for all commands."""

import fcntl
import importlib
import json
import stat
from argparse import ArgumentParser
from pathlib import Path

import pytest

from headwater.cli import endpoint, serving
from headwater.cli.__main__ import COMMANDS, LOOKUPS
from headwater.cli.completion import whole_command
from headwater.cli.endpoint import KEY_VARIABLE, URL_VARIABLE, NoServer, api_of
from headwater.cli.failure import WRONG_COMMAND, CommandFailure
from tests.serve.process import ServeProcess

NAMED, OF_ENVIRONMENT, OF_MAKE_UP = "http://named", "http://environment", "http://127.0.0.1:8765"


@pytest.fixture(autouse=True)
def nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "FILE", tmp_path / "endpoint.json")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    for variable in (URL_VARIABLE, KEY_VARIABLE):
        monkeypatch.delenv(variable, raising=False)


def make_up() -> None:
    endpoint.FILE.write_text(json.dumps({"url": OF_MAKE_UP, "key": "k-up"}))


def files() -> list[Path]:
    return list(serving.folder().glob("*"))


def test_the_order_is_option_variable_serve_make_up(server: ServeProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    make_up()
    monkeypatch.setenv(URL_VARIABLE, f"{OF_ENVIRONMENT}/api/v1/")
    assert api_of(f"{NAMED}/").url == NAMED
    assert api_of().url == OF_ENVIRONMENT
    monkeypatch.delenv(URL_VARIABLE)
    assert api_of().url == server.url
    server.stop()
    assert api_of().url == OF_MAKE_UP
    endpoint.FILE.unlink()
    with pytest.raises(NoServer):
        api_of()


def test_the_file_of_a_server_is_private_has_no_key_and_goes_with_the_server(server: ServeProcess) -> None:
    (file,) = files()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == server.url
    assert server.stop() == 0
    assert files() == []


def test_a_server_that_was_killed_is_not_believed(server: ServeProcess) -> None:
    server.kill()
    assert len(files()) == 1
    assert serving.running() == []
    assert files() == []


def test_a_make_up_that_was_killed_is_not_believed() -> None:
    make_up()
    with endpoint.FILE.with_name(endpoint.LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert api_of().url == OF_MAKE_UP
    with pytest.raises(NoServer):
        api_of()


def test_of_two_servers_the_newest_that_runs_is_asked_and_told(
    server: ServeProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert api_of().url == server.url
    assert capsys.readouterr().err == ""
    with ServeProcess(tmp_path / "other.db", "--open") as newest:
        assert api_of().url == newest.url
        assert f"2 servers run here; this one is asked: {newest.url}." in capsys.readouterr().err
        newest.kill()
        assert api_of().url == server.url


def test_a_server_runs_although_its_file_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with serving.announced("http://here"):
        assert serving.running() == []
    assert "other commands do not find this server, and need HEADWATER_URL or --url: " in capsys.readouterr().err


def test_a_key_is_that_of_the_file_then_of_the_variable_then_of_make_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_up()
    assert (api_of().key, api_of(f"{OF_MAKE_UP}/").key) == ("k-up", "k-up")
    assert api_of(NAMED).key == ""
    monkeypatch.setenv(KEY_VARIABLE, "k-variable")
    assert (api_of().key, api_of(NAMED).key) == ("k-variable", "k-variable")
    (tmp_path / "key").write_text("k-file\n")
    assert (api_of(None, tmp_path / "key").key, api_of(NAMED, tmp_path / "key").key) == ("k-file", "k-file")


def test_a_key_file_that_cannot_be_read_is_a_wrong_command(tmp_path: Path) -> None:
    with pytest.raises(CommandFailure, match="the key cannot be read") as failed:
        api_of(NAMED, tmp_path / "none")
    assert failed.value.status == WRONG_COMMAND


def test_without_a_checkout_nobody_is_told_to_run_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert any(f"`make up` in {endpoint.CHECKOUT}" in line for line in NoServer().lines())
    monkeypatch.setattr(endpoint, "CHECKOUT", tmp_path)
    lines = NoServer().lines()
    assert any("headwater serve --data" in line for line in lines)
    assert not any("make up" in line for line in lines)


@pytest.mark.parametrize(
    "name",
    ["lineage", "columns", "impact", "why", "runs", "open", "mcp", "doctor", "load", "connect", "registry", "submit"],
)
def test_a_command_that_asks_a_server_takes_its_url_and_a_key_file(name: str) -> None:
    assert {"--url", "--key-file"} <= options_of(name)


def test_no_command_takes_a_url_of_a_server_and_no_key_file() -> None:
    assert [name for name in COMMANDS if ("--url" in options_of(name)) != ("--key-file" in options_of(name))] == []


def options_of(name: str) -> set[str]:
    command = COMMANDS[name]
    if command.module == LOOKUPS:
        (commands,) = [action.choices for action in whole_command()._actions if action.dest == "command"]
        parser: ArgumentParser = dict(commands or {})[name]
    else:
        parser = importlib.import_module(command.module).parser()
    return set(parser._option_string_actions)
