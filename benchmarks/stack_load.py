"""Loads a stack in the emulator, and tells the CPU time of the functions from that of the emulator:
`python -m benchmarks.stack_load --help`.

Events go over HTTP through front, API, authorise, ingest, queue and normalise, until the queue is empty. CPU times are
those of processes, which hold on a busy machine; events a second and latencies do not.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.figures import percentile
from benchmarks.graph import layered_graph
from benchmarks.spark_events import events
from benchmarks.system import System, cpu_seconds_of, with_children
from headwater.cli.machine.progress import say
from local.stack.lifecycle import Stack
from tests.embedded import Deployed, embedded_stack

FUNCTIONS = ("authorise", "ingest", "normalise", "alerts", "catalog", "lookup", "sweep", "web")
OF_AN_EVENT = FUNCTIONS[:3]
"""The functions that each event passes."""
LOADS = {"new names, and functions that start": None, "as fast as it goes": None, "at 30 events a second": 30.0}
"""The loads, one after the other, each with the events of later runs, and its events a second."""
PATIENCE_SECONDS = 600

Document = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5, help="runs of each job in each load (%(default)s)")
    parser.add_argument("--connections", type=int, default=8)
    options = parser.parse_args()
    graph = layered_graph(options.jobs, 1)
    of_all_runs = sorted(events(graph, len(LOADS) * options.runs, 1), key=lambda event: str(event["eventTime"]))
    size = len(of_all_runs) // len(LOADS)
    with embedded_stack("load") as stack:
        for number, (name, rate) in enumerate(LOADS.items()):
            documents = of_all_runs[number * size : (number + 1) * size]
            say(f"\n{name}: {measure(stack, documents, options.connections, rate)}")


def measure(stack: Stack, documents: Sequence[Document], connections: int, rate: float | None) -> str:
    """Posts events over some connections, at most `rate` a second, and waits until all are in the table."""
    deployed = Deployed(stack.deployment)
    system = System("emulator", stack.url, stack.key)
    spent, started = _cpu_by_function(stack), time.perf_counter()

    def post(lane: int) -> list[float]:
        milliseconds = []
        for index in range(lane, len(documents), connections):
            if rate and (early := started + index / rate - time.perf_counter()) > 0:
                time.sleep(early)
            answer = system.post(documents[index])
            if answer.status != 201:
                raise RuntimeError(f"{answer.status}: {answer.body[:300].decode()}")
            milliseconds.append(answer.milliseconds)
        return milliseconds

    with ThreadPoolExecutor(connections) as pool:
        milliseconds = [took for lane in pool.map(post, range(connections)) for took in lane]
    accepted = time.perf_counter() - started
    deployed.wait_for_ingestion(PATIENCE_SECONDS)
    folded, count = time.perf_counter() - started, len(documents)
    cpu = {name: (seconds - spent.get(name, 0)) * 1000 / count for name, seconds in _cpu_by_function(stack).items()}
    own = sum(cpu.get(name, 0) for name in OF_AN_EVENT)
    return (
        f"{count} events, {count / accepted:.0f} accepted a second, {count / folded:.0f} folded a second\n"
        f"  a POST takes {percentile(milliseconds, 50):.0f} ms, p95 {percentile(milliseconds, 95):.0f} ms\n"
        f"  CPU ms an event: {', '.join(OF_AN_EVENT)} {own:.1f}; "
        + ", ".join(f"{name} {millis:.1f}" for name, millis in sorted(cpu.items()))
    )


def _cpu_by_function(stack: Stack) -> Mapping[str, float]:
    """The CPU seconds so far of the processes of each function, and of the emulator."""
    spent: dict[str, float] = defaultdict(float)
    for process in with_children([stack.emulator.process.pid]):
        command = Path(f"/proc/{process}/cmdline").read_text().lower()
        name = next((name for name in FUNCTIONS if f"-{name}function-" in command), "emulator")
        spent[name] += cpu_seconds_of(process)
    return spent


if __name__ == "__main__":
    main()
