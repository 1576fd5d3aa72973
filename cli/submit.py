"""Runs a PySpark program on this machine like on a cluster: `headwater submit PROGRAM ARGUMENTS`.

The listener reports to the stack that `make up` runs, or to HEADWATER_URL with HEADWATER_API_KEY. Iceberg, Delta and
the Kafka connector are on the class path, and emr_jobs/packages on the Python path. Spark's log goes to the terminal.
"""

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path

from cli.endpoint import KEY_VARIABLE, URL_VARIABLE, Endpoint, endpoint_of_make_up
from local.failure import Failure
from local.layout import Layout
from local.spark.jars import CONNECTOR_PINS, LISTENER_PINS, jar_files
from local.spark.java import java_home
from local.spark.spark_submit import NAMESPACE, Spark


def main(arguments: list[str] | None = None) -> int:
    """Replace this process by spark-submit. Return 1 if no deployment is known, or if a jar or Java is missing."""
    options = parser().parse_args(arguments)
    try:
        spark = spark_for(Layout.here(), options)
    except Failure as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    command = [*spark.command(options.program, {}), *options.arguments]
    os.execve(command[0], command, spark.environment())  # noqa: S606 - the user's own program
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater submit", description="Run a PySpark program with the listener.")
    parser.add_argument("--namespace", default=NAMESPACE, help="to report in (default: %(default)s)")
    parser.add_argument(
        "--conf",
        action="append",
        type=setting,
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark's; repeatable",
    )
    parser.add_argument("program", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    return parser


def setting(text: str) -> tuple[str, str]:
    """Read the name and value of a setting. Raises ArgumentTypeError."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


def spark_for(layout: Layout, options: argparse.Namespace) -> Spark:
    """Return the Spark for these options. Raises Failure."""
    endpoint = target()
    home = java_home(layout)
    jars = jar_files(layout, home / "bin" / "java", LISTENER_PINS, CONNECTOR_PINS)
    settings = {"spark.openlineage.namespace": options.namespace, **dict(options.conf)}
    folder = settings_folder(layout, endpoint, settings)
    return Spark(home, jars, endpoint.url, endpoint.key, folder, more_settings=settings)


def settings_folder(layout: Layout, endpoint: Endpoint, settings: dict[str, str]) -> Path:
    """Return a folder for the files of a job's settings. Its name is a hash of the settings, so jobs with different
    settings can run at the same time."""
    content = json.dumps([endpoint.url, endpoint.key, settings]).encode()
    folder = layout.run("submit") / hashlib.sha256(content).hexdigest()[:16]
    folder.mkdir(exist_ok=True)
    return folder


def target() -> Endpoint:
    """Return the URL and the key for the listener. Raises Failure if no deployment is known."""
    if url := os.environ.get(URL_VARIABLE):
        return Endpoint(url, os.environ.get(KEY_VARIABLE, ""))
    if endpoint := endpoint_of_make_up():
        return endpoint
    raise Failure("no stack is up", f"run `make up` in another shell, or set {URL_VARIABLE} and {KEY_VARIABLE}")


if __name__ == "__main__":
    sys.exit(main())
