"""`headwater submit` runs a program with the listener, against the stack of `make up` or a given URL."""

import json
from pathlib import Path

import pytest

from headwater.cli import endpoint
from headwater.cli.doctor.listener import listener_of
from headwater.cli.submit import __main__ as submit
from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.submission import ArrivedEvents, Submission
from local.layout import Layout

Started = list[tuple[list[str], dict[str, str]]]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    """The commands that submit starts, with their environments, while the stack of `make up` runs."""
    processes: Started = []

    def run(command: list[str], environment: dict[str, str], _: ListenerLog) -> int:
        processes.append((command, environment))
        return 0

    (tmp_path / "endpoint.json").write_text(json.dumps({"url": "http://127.0.0.1:1", "key": "k-of-up"}))
    monkeypatch.setattr(endpoint, "FILE", tmp_path / "endpoint.json")
    (tmp_path / "job.py").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(submit, "state_folder", lambda: tmp_path)
    monkeypatch.setattr(submit, "spark_jars", lambda *_: [Path("/jars/listener.jar")])
    monkeypatch.setattr(submit, "check", lambda _: "the canary was taken")
    monkeypatch.setattr(submit, "run", run)
    monkeypatch.setattr(Submission, "arrivals", lambda *_: ArrivedEvents())
    monkeypatch.delenv("HEADWATER_URL", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return processes


def test_a_program_runs_with_its_own_arguments_and_reports_to_the_stack_that_is_up(started: Started) -> None:
    submit.main(["--namespace", "shop", "job.py", "--table", "lake.a.b", "--once"])
    ((command, environment),) = started
    assert command[-4:] == ["job.py", "--table", "lake.a.b", "--once"]
    settings = Path(command[command.index("--properties-file") + 1]).read_text()
    assert "spark.openlineage.transport.url http://127.0.0.1:1\n" in settings
    assert "spark.openlineage.namespace shop\n" in settings
    assert "k-of-up" not in settings
    assert "k-of-up" in Path(environment["OPENLINEAGE_CONFIG"]).read_text()


def test_another_stack_is_named_by_the_environment(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_URL", "https://x.example")
    monkeypatch.setenv("HEADWATER_API_KEY", "k-of-aws")
    submit.main(["--conf", "spark.openlineage.parentRunId=r", "job.py"])
    ((command, environment),) = started
    settings = Path(command[command.index("--properties-file") + 1]).read_text()
    assert "transport.url https://x.example\n" in settings
    assert "spark.openlineage.parentRunId r\n" in settings
    assert "k-of-aws" in Path(environment["OPENLINEAGE_CONFIG"]).read_text()


def test_without_a_stack_the_error_names_the_next_step(started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    endpoint.FILE.unlink()
    assert submit.main(["job.py"]) == 1
    assert "make up" in capsys.readouterr().err
    assert started == []


def test_the_doctor_finds_in_the_settings_where_the_listener_reports(started: Started) -> None:
    submit.main(["--namespace", "shop", "job.py"])
    ((command, environment),) = started
    listener = listener_of(Path(command[command.index("--properties-file") + 1]), environment)
    assert (listener.client.url, listener.client.key, listener.namespace) == ("http://127.0.0.1:1", "k-of-up", "shop")


def test_the_stack_of_make_up_is_looked_for_where_make_up_writes_it() -> None:
    assert Layout.here().endpoint == endpoint.FILE
    assert Layout.here().up_lock == endpoint.FILE.with_name(endpoint.LOCK)


def test_a_program_that_is_no_file_is_told_before_anything_is_looked_for(
    started: Started, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        submit.main(["/nope.py"])
    assert (ended.value.code, started) == (2, [])
    assert "there is no file /nope.py" in capsys.readouterr().err


def test_spark_gets_the_program_as_it_is_written(started: Started) -> None:
    Path("--version").touch()
    for written in ("s3://jobs/load.py", "./--version"):
        submit.main([written])
        assert started.pop()[0][-1] == written
    submit.main(["--", "--version"])
    assert started.pop()[0][-1] == "./--version"
