"""A fault on the command line is printed in a line or two, with the next step, and the status is not 0."""

import os
import socket
import subprocess
import sys

import pytest

from headwater.cli.machine.failure import Failure
from local.__main__ import parser
from local.deploy.deployment import refuse_unknown
from local.layout import Layout


def local(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "local", *arguments]
    environment = {**os.environ, "PYTHONPATH": "layers/headwater"}
    root = Layout.here().root
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=root, env=environment, check=False)  # noqa: S603


@pytest.mark.parametrize(
    "arguments",
    [[], ["sideways"], ["up", "--port", "0"], ["demo", "--port", "x"], ["down", "--port", "1"]]
    + [["up", "--parameter", parameter] for parameter in ("Stage", "=x")],
)
def test_wrong_arguments_are_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        parser().parse_args(arguments)
    assert refused.value.code == 2
    assert "usage: python -m local" in capsys.readouterr().err


def test_the_error_of_a_taken_port_names_the_next_step() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = local("demo", "--port", str(port))
    assert done.returncode == 1
    assert f"port {port} is taken" in done.stderr
    assert "PORT=" in done.stderr
    assert "Traceback" not in done.stderr


def test_parameters_of_the_template_are_set_by_name_and_a_wrong_name_is_an_error() -> None:
    given = ["--parameter", "Stage=test", "--parameter", 'NamespaceAliases={"a":"b=c"}']
    assert parser().parse_args(["up", *given]).parameter == [("Stage", "test"), ("NamespaceAliases", '{"a":"b=c"}')]
    with pytest.raises(Failure, match=r"no parameter Stages(?s:.*)take one of .*Stage"):
        refuse_unknown(["Stage", "Stages"], ["Stage", "LogLevel"])
