"""Installs a real engine from the package registries, runs a small pipeline on it with the engine's own OpenLineage
integration, and shows the lineage and the alerts. Kafka Connect has no integration: `headwater connect` follows its
connectors. The last step of each pipeline fails, to show an alert. `kafka` is a broker without a pipeline, at
127.0.0.1:9092 (another port if that is taken), which runs until Ctrl-C."""

import argparse
import os
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

from headwater.cli.command_line import command_parser
from headwater.cli.failure import CommandFailure
from headwater.cli.file import readable
from headwater.cli.jvm.kafka import run_broker
from headwater.cli.lookups.terminal import print_anything, told
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.state import state_folder
from headwater.config import BadEnvironment

ENGINES = ("airflow", "connect", "dbt", "flink", "trino")
BROKER, BROKER_PORT = "kafka", 9092
NOTE = (
    "Downloads are kept in .local of a checkout, else in ~/.cache/headwater.\n"
    "docs/producers/ says what each engine sends, and which settings to copy."
)


def parser() -> argparse.ArgumentParser:
    examples = ("headwater try dbt", "headwater try flink --url https://lineage.example.com --key-file key.txt")
    parser = command_parser("try", __doc__, *examples, note=NOTE)
    parser.add_argument("engine", choices=[*ENGINES, BROKER])
    parser.add_argument("--url", metavar="URL", help="report to this server (default: a new one on a temporary file)")
    parser.add_argument("--key-file", type=Path, metavar="FILE", help="file with the API key for --url")
    return parser


@readable
def main(arguments: list[str] | None = None) -> int:
    """Return 1 if the engine could not be set up, its pipeline did not do what it should, or the graph lacks it."""
    options = parser().parse_args(arguments)
    from headwater.cli.engines.headwater_server import attempt
    from headwater.serve.server import NoAddress

    print_anything()
    os.environ["no_proxy"] = "127.0.0.1,localhost"  # a proxy of the environment cannot reach what runs here
    try:
        if options.engine == BROKER:
            serve_broker()
        with TemporaryDirectory(prefix=f"headwater-try-{options.engine}-") as folder:
            attempt(options, Path(folder))
    except (BadEnvironment, Failure, NoAddress) as error:
        print(f"failed: {error}", file=sys.stderr)
        return 1
    except CommandFailure as failure:
        told(failure)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def serve_broker() -> NoReturn:
    """Run a broker until Ctrl-C. Raises Failure."""
    with run_broker(state_folder(), state_folder() / "kafka", BROKER_PORT) as bootstrap:
        print(f"Kafka is up at {bootstrap}, empty; Ctrl-C stops it", flush=True)
        while True:
            time.sleep(1)


if __name__ == "__main__":
    sys.exit(main())
