"""Runs a PySpark program here as a cluster would: `headwater submit PROGRAM ARGUMENTS`.

The listener reports to the stack that `make up` runs, or to HEADWATER_URL with HEADWATER_API_KEY. Iceberg, Delta and
the Kafka connector are there, and what emr_jobs/packages holds. Spark's log goes to the terminal.
"""

import argparse
import hashlib
import json
import os
import sys
from pathlib import Path

from local.failure import Failure
from local.jars import CONNECTORS, PINS, jar_files
from local.java import java_home
from local.layout import Layout
from local.spark import NAMESPACE, Spark


def main(arguments: list[str] | None = None) -> int:
    """Become spark-submit; return 1 if that cannot be."""
    options = parser().parse_args(arguments)
    layout = Layout.here()
    try:
        spark = spark_for(layout, options)
    except Failure as failure:
        print(f"failed: {failure}", file=sys.stderr)
        return 1
    command = [*spark.command(options.program, {}), *options.arguments]
    os.execve(command[0], command, spark.environment())  # noqa: S606 - the user's own words
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="headwater submit", description="Run a PySpark program with the listener.")
    top.add_argument("--namespace", default=NAMESPACE, help="to report in (default: %(default)s)")
    top.add_argument(
        "--conf",
        action="append",
        type=setting,
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Spark's; repeatable",
    )
    top.add_argument("program", type=Path)
    top.add_argument("arguments", nargs=argparse.REMAINDER, help="of the program")
    return top


def setting(text: str) -> tuple[str, str]:
    """Return a setting's name and value."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{text} is not NAME=VALUE")
    return name, value


def spark_for(layout: Layout, options: argparse.Namespace) -> Spark:
    url, key = target(layout)
    home = java_home(layout)
    jars = jar_files(layout, home / "bin" / "java", PINS, CONNECTORS)
    more = dict(options.conf)
    settings = {"spark.openlineage.namespace": options.namespace, **more}
    of_these = hashlib.sha256(json.dumps([url, key, settings]).encode()).hexdigest()
    folder = layout.run("submit") / of_these[:16]  # jobs that run at one time share no files but those of same content
    folder.mkdir(exist_ok=True)
    return Spark(home, jars, url, key, folder, more=settings)


def target(layout: Layout) -> tuple[str, str]:
    """Return the URL and the key to report to. Raises Failure if there is none."""
    url = os.environ.get("HEADWATER_URL")
    if url:
        return url, os.environ.get("HEADWATER_API_KEY", "")
    if not layout.endpoint.is_file():
        raise Failure("no stack is up", "run `make up` in another shell, or set HEADWATER_URL and HEADWATER_API_KEY")
    found = json.loads(layout.endpoint.read_text(encoding="utf-8"))
    return found["url"], found["key"]


if __name__ == "__main__":
    sys.exit(main())
