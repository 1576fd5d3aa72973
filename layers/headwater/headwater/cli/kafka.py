"""Runs a Kafka broker until Ctrl-C, to try streams: `headwater kafka`."""

import argparse
import sys
import time

from headwater.cli.jvm.kafka import run_broker
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import port_argument
from headwater.cli.machine.state import state_folder

PORT = 9092


def main() -> None:
    port = parser().parse_args().port
    state = state_folder()
    try:
        with run_broker(state, state / "kafka", port) as bootstrap:
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
