"""Loads a stack in the emulator, and tells the CPU time of the functions from that of the emulator:
`python -m benchmarks.stack_load --help`.

Events go over HTTP through front, API, authorise, ingest, queue and normalise, until the queue is empty. CPU times are
those of processes, which hold on a busy machine; events a second and latencies do not.
"""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.figures import percentile
from benchmarks.graph import layered_graph
from benchmarks.spark_events import events
from benchmarks.system import System, cpu_seconds_of, with_children
from local.progress import say
from local.stack.lifecycle import Stack
from tests.embedded import Deployed, embedded_stack

FUNCTIONS = ("authorise", "ingest", "normalise", "alerts", "catalog", "lookup", "sweep", "web")
OF_AN_EVENT = FUNCTIONS[:3]
"""The functions that each event passes."""
PATIENCE_SECONDS = 600

Document = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5, help="runs of each job: the first has new names (%(default)s)")
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--rate", type=float, default=30, help="events a second of the second load (%(default)s)")
    options = parser.parse_args()
    graph = layered_graph(options.jobs, 1)
    with embedded_stack("load") as stack:
        for name, seed, rate in (
            ("new names, and functions that start", 1, None),
            ("as fast as it goes", 2, None),
            (f"at {options.rate:g} a second", 3, options.rate),
        ):
            say(f"\n{name}: {measure(stack, list(events(graph, options.runs, seed)), options.connections, rate)}")


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
    cpu = {name: seconds * 1000 / count for name, seconds in (_cpu_by_function(stack) - spent).items()}
    own = sum(cpu.get(name, 0) for name in OF_AN_EVENT)
    return (
        f"{count} events, {count / accepted:.0f} accepted a second, {count / folded:.0f} folded a second\n"
        f"  a POST takes {percentile(milliseconds, 50):.0f} ms, p95 {percentile(milliseconds, 95):.0f} ms\n"
        f"  CPU ms an event: {', '.join(OF_AN_EVENT)} {own:.1f}; "
        + ", ".join(f"{name} {millis:.1f}" for name, millis in sorted(cpu.items()))
    )


def _cpu_by_function(stack: Stack) -> Counter[str]:
    """The CPU seconds so far of the processes of each function, and of the emulator."""
    spent: Counter[str] = Counter()
    for process in with_children([stack.emulator.process.pid]):
        command = Path(f"/proc/{process}/cmdline").read_text().lower()
        name = next((name for name in FUNCTIONS if f"-{name}function-" in command), "emulator")
        spent[name] += cpu_seconds_of(process)
    return spent


if __name__ == "__main__":
    main()
