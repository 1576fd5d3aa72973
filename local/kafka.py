"""Runs a Kafka broker until Ctrl-C, for the streaming pipelines of emr_jobs: `headwater kafka`."""

import argparse
import sys
import time

from local.failure import Failure
from local.layout import Layout
from local.machine.ports import port_argument
from local.spark.kafka import run_broker

PORT = 9092


def main() -> None:
    port = parser().parse_args().port
    layout = Layout.here()
    try:
        with run_broker(layout, layout.run("kafka"), port) as bootstrap:
            print(f"Kafka is up at {bootstrap}, empty; Ctrl-C stops it", flush=True)
            while True:
                time.sleep(1)
    except Failure as failure:
        sys.exit(f"failed: {failure}")
    except KeyboardInterrupt:
        print()


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="headwater kafka", description=__doc__)
    parser.add_argument("--port", type=port_argument, default=PORT, help="of 127.0.0.1 (default: %(default)s)")
    return parser


if __name__ == "__main__":
    main()
