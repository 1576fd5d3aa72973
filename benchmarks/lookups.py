"""Measures the cost of lookups on graphs of several sizes: `python -m benchmarks.lookups --help`.

For each size a stack is started, as by `make up`, and a graph is folded into its table. Each lookup is then measured
over HTTP, and in this process, where its calls to DynamoDB and its CPU time are counted.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.calls import calls
from benchmarks.graph import layered_graph
from benchmarks.inside import probe
from benchmarks.load import load
from benchmarks.report import Measured, Size, document, report
from benchmarks.spark_events import events
from benchmarks.wall import Client, measure_wall
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import say
from tests.embedded import Deployed, embedded_stack

EVENTS_A_RUN = 2


def main() -> None:
    options = _options(sys.argv[1:])
    try:
        sizes = [measure(jobs, options) for jobs in sorted(set(options.jobs))]
    except Failure as failure:
        sys.exit(f"{failure}")
    if options.json:
        options.json.write_text(json.dumps(document(sizes, options.seed), indent=2) + "\n", encoding="utf-8")
    say("\n" + report(sizes))


def measure(jobs: int, options: argparse.Namespace) -> Size:
    """The cost of each lookup on a stack with a graph of a number of jobs."""
    graph = layered_graph(jobs, options.seed)
    starts = graph.middle(options.starts)
    say(f"{jobs:,} jobs, {options.runs} runs each: starting a stack")
    with embedded_stack(f"benchmark-{jobs}") as running:
        stack = Deployed(running.deployment)
        count = jobs * options.runs * EVENTS_A_RUN
        seconds = load(stack, events(graph, options.runs, options.seed), count, say)
        measured: dict[str, Measured] = {}
        with Client(running.url, running.key) as client, probe(stack) as inside:
            knows_direction = client.knows_direction(starts[0])
            for call in calls():
                if call.needs_direction and not knows_direction:
                    continue
                if client.get(call.target(starts[0])).status == call.unknown_if:
                    continue
                say(f"  {call.name}")
                wall = measure_wall(client, call, starts, options.seconds)
                measured[call.name] = Measured(wall, inside.measure(call, starts, options.seconds))
    return Size(jobs, options.runs, count, seconds, measured)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lookups",
        description="Measures the cost of lookups, over HTTP and in the handler, on graphs of several sizes.",
    )
    parser.add_argument("--jobs", type=_positive, nargs="+", default=[100, 1000], help="jobs of each graph (100 1000)")
    parser.add_argument("--runs", type=_positive, default=10, help="runs of each job (10)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the graph (1)")
    parser.add_argument("--starts", type=_positive, default=5, help="nodes in the middle to start from (5)")
    parser.add_argument(
        "--seconds", type=float, default=4, help="time to repeat each lookup, over HTTP and in the handler (4)"
    )
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


if __name__ == "__main__":
    main()
