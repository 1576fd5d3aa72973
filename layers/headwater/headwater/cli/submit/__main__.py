"""The command line of `headwater submit`."""

import argparse
import hashlib
import json
import os
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.cli.api import LINEAGE, Api
from headwater.cli.command_line import command_parser
from headwater.cli.doctor.finding import Diagnosis
from headwater.cli.doctor.listener import Listener, listener_of
from headwater.cli.endpoint import add_server_options, api_of
from headwater.cli.failure import CommandFailure, reason_of
from headwater.cli.jvm.installed_spark import is_spark_3, spark_jars, spark_java, spark_pins
from headwater.cli.jvm.jars import FOLDER, fetch_into
from headwater.cli.jvm.spark_submit import NAMESPACE, SparkSubmit
from headwater.cli.lookups.terminal import told
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.state import state_folder
from headwater.cli.submit.check import check
from headwater.cli.submit.code import code_events, code_of
from headwater.cli.submit.listener_log import ListenerLog
from headwater.cli.submit.outcome import Outcome
from headwater.cli.submit.spark_process import run
from headwater.cli.submit.submission import Submission

NOTE = "exit status: Spark's own if Spark failed, 1 if it was not started, 3 if events were refused or lost"
NOT_STARTED = 1
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> int:
    """Run the program. The exit status is explained in __init__.py."""
    options = parser().parse_args(arguments)
    try:
        return submit(options)
    except Failure as failure:
        print(f"failed: {failure}", file=sys.stderr)
    except CommandFailure as failure:
        told(failure)
    except Diagnosis as diagnosis:
        print("\n".join(diagnosis.finding.lines()), file=sys.stderr)
        print(f"headwater: {Path(options.program).name} was not started", file=sys.stderr)
    except KeyboardInterrupt:
        return INTERRUPTED
    return NOT_STARTED


def submit(options: argparse.Namespace) -> int:
    """Check, run Spark, and tell what became of the events. Raises Failure, CommandFailure or Diagnosis if Spark
    is not started."""
    submission = Submission.new()
    server = api_of(options.url, options.key_file)
    spark = spark_for(state_folder(), options, server)
    spark_submit, *words = spark.command(options.program, {})
    command = [spark_submit, *submission.options(), *words, *options.arguments]
    listener = listener_of(spark.folder / "spark.conf", spark.environment())
    checked = check(listener)
    say(f"{checked}; {Path(options.program).name} reports to {listener.client.url} in {listener.namespace}")
    if not is_spark_3():
        say("Java will warn about the incubator module jdk.incubator.vector: Spark 4 loads it, and nothing is wrong")
    log, since = ListenerLog(), datetime.now(UTC)
    status = run(command, spark.environment(), log)
    reader = reader_of(listener)
    try:
        arrivals = submission.arrivals(reader, since, log.delivered)
        code = code_of(os.environ)
        if code and not all(reader.post(event).status == 201 for event in code_events(arrivals.runs, code)):
            say("the server did not take which code ran")
    except KeyboardInterrupt:
        say("interrupted before the events were counted")
        return status or INTERRUPTED
    outcome = Outcome(log, arrivals, doctor_for(listener, server))
    say(outcome.line())
    if set_aside := outcome.set_aside():
        say(set_aside)
    return status or outcome.status()


class FetchJars(argparse.Action):
    """Fetches the jars, and ends: with 1 if a jar cannot be fetched, or has another hash than the pinned one."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: object, folder: Any, _option: str | None = None
    ) -> None:
        try:
            jars = fetch_into(folder.absolute(), *spark_pins())
        except (Failure, OSError) as failure:
            sys.exit(f"failed: {reason_of(failure)}")
        print(f"{len(jars)} jars are in {folder}")
        print(f"next: set {FOLDER}={folder}")
        parser.exit()


def say(line: str) -> None:
    print(f"headwater: {line}", file=sys.stderr, flush=True)


def parser() -> argparse.ArgumentParser:
    parser = command_parser(
        "submit", "Runs a PySpark program with the listener.", "headwater submit --namespace prod job.py", note=NOTE
    )
    parser.add_argument(
        "--namespace", metavar="NAME", default=NAMESPACE, help="namespace to report (default: %(default)s)"
    )
    parser.add_argument(
        "--conf", action="append", type=setting, default=[], metavar="NAME=VALUE", help="a Spark setting; repeatable"
    )
    add_server_options(parser)
    parser.add_argument(
        "--fetch-jars",
        action=FetchJars,
        type=Path,
        metavar="DIR",
        help="only fetch the jars that Spark and tests of lineage need; with HEADWATER_JARS=DIR they then work offline",
    )
    parser.add_argument("program", type=program)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of the program")
    return parser


def program(text: str) -> str:
    """The file of a program, here or by a URL, and never an option of spark-submit. Raises ArgumentTypeError."""
    if ":" not in text and not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return f"./{text}" if text.startswith("-") else text


def setting(text: str) -> tuple[str, str]:
    """Read the name and value of a setting. Raises ArgumentTypeError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


def spark_for(state: Path, options: argparse.Namespace, server: Api) -> SparkSubmit:
    """Return the Spark for these options. Raises Failure."""
    home, jars = spark_java(state), spark_jars(state)
    settings = Submission.marked({"spark.openlineage.namespace": options.namespace, **dict(options.conf)})
    folder = settings_folder(state, server, settings)
    return SparkSubmit(home, jars, server.url, server.key, folder, more_settings=settings)


def settings_folder(state: Path, server: Api, settings: dict[str, str]) -> Path:
    """Return a folder for the files of a job's settings. Its name is a hash of the settings, so jobs with different
    settings can run at the same time."""
    content = json.dumps([server.url, server.key, settings]).encode()
    folder = state / "submit" / hashlib.sha256(content).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def reader_of(listener: Listener) -> Api:
    """Return a client that reads where the listener posts, also behind a proxy's path."""
    path = listener.client.lineage.removesuffix(LINEAGE) if listener.client.lineage.endswith(LINEAGE) else ""
    return Api(listener.client.url + path, listener.client.key)


def doctor_for(listener: Listener, server: Api) -> str:
    """Return the doctor's command for the listener's deployment and namespace."""
    words = ["headwater", "doctor", "--namespace", listener.namespace]
    if urlsplit(server.url).netloc != urlsplit(listener.client.url).netloc:
        words += ["--url", listener.client.url]
    return shlex.join(words)


if __name__ == "__main__":
    sys.exit(main())
