"""Measures servers of Marquez's API side by side: `python -m benchmarks.side_by_side --help`.

Each server gets the events of the same generated graph. The time to take and to show them is measured, then the time of
each lookup, and each answer is checked against the graph. `headwater serve` is started on an empty file and measured
first; each `--server` follows.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.calls import Call, calls, nodes_in
from benchmarks.figures import aligned, percentile, repeated
from benchmarks.graph import Job, LayeredGraph, layered_graph
from benchmarks.ingestion import Ingestion, Load, measure_ingestion
from benchmarks.system import SECONDS, System, TimedAnswer
from benchmarks.truth import Truth
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.progress import say

START_SECONDS = 30
LISTED = 100


@dataclass(frozen=True)
class Lookup:
    """The milliseconds of a lookup, the nodes and the size of its answer, and what is wrong with the answer. Without an
    answer in time, the milliseconds are those that were waited for."""

    p50: float
    p95: float
    nodes: int
    kilobytes: float
    fault: str
    samples: int
    """0 without an answer in time."""


@dataclass(frozen=True)
class ServerFigures:
    name: str
    start_seconds: float | None
    ingestion: Ingestion
    lookups: dict[str, Lookup]


def main() -> None:
    options = _options(sys.argv[1:])
    graph = layered_graph(options.jobs, options.seed)
    say(f"{options.jobs:,} jobs in ten layers, {options.runs} runs each, {2 * options.jobs * options.runs:,} events")
    loads = [os.getloadavg()[0]]
    results = [*_of_servers(options, graph)]
    loads.append(os.getloadavg()[0])
    say("load of the machine before and after: {:.1f}, {:.1f}".format(*loads))
    print("\n" + "\n".join(aligned(_rows(results))))  # noqa: T201
    options.results.mkdir(parents=True, exist_ok=True)
    path = options.results / f"{datetime.now(UTC):%Y-%m-%d-%H%M}-{options.jobs}-jobs.json"
    path.write_text(json.dumps(_document(options, results, loads), indent=2) + "\n", encoding="utf-8")
    say(f"\nwritten: {path}")
    faults = [f"{result.name}, {call}: {lookup.fault}" for result in results for call, lookup in _faulty(result)]
    if faults:
        sys.exit("\nwrong answers:\n  " + "\n  ".join(faults))


def _of_servers(options: argparse.Namespace, graph: LayeredGraph) -> Iterator[ServerFigures]:
    with _served() as (system, seconds):
        yield _measure(system, graph, options, seconds)
    for name, url in options.server:
        yield _measure(System(name, url, options.keys.get(name)), graph, options, None)


def _measure(
    system: System, graph: LayeredGraph, options: argparse.Namespace, start_seconds: float | None
) -> ServerFigures:
    say(f"{system.name}: {system.url}")
    load = Load(graph, options.runs, options.seed, options.connections, options.rate)
    ingestion = measure_ingestion(system, load, say)
    starts, truth = graph.middle(options.starts), Truth(graph)
    lookups: dict[str, Lookup] = {}
    for call in calls():
        say(f"  {system.name}: {call.name}")
        lookups[call.name] = _lookup(system, call, starts, truth, options.seconds)
    return ServerFigures(system.name, start_seconds, ingestion, lookups)


def _lookup(system: System, call: Call, starts: Sequence[Job], truth: Truth, seconds: float) -> Lookup:
    try:
        first = system.get(call.target(starts[0]))
        answers = repeated([partial(system.get, call.target(start)) for start in starts], seconds)
    except TimeoutError:
        return Lookup(SECONDS * 1000, SECONDS * 1000, nodes=0, kilobytes=0, fault="", samples=0)
    milliseconds = [answer.milliseconds for answer in answers]
    faults = [_fault(call.name, start, answer, truth) for start, answer in zip(starts, answers, strict=False)]
    return Lookup(
        p50=percentile(milliseconds, 50),
        p95=percentile(milliseconds, 95),
        nodes=nodes_in(first.document()) if first.status == 200 else 0,
        kilobytes=len(first.body) / 1000,
        fault=next(filter(None, faults), ""),
        samples=len(answers),
    )


def _fault(name: str, job: Job, answer: TimedAnswer, truth: Truth) -> str:
    """What is wrong with an answer, or an empty text."""
    if answer.status != 200:
        return f"answered {answer.status}: {answer.body[:200].decode(errors='replace')}"
    document = answer.document()
    checks: dict[str, Callable[[], str]] = {
        "get job": lambda: truth.job(job, document),
        "get dataset": lambda: truth.dataset(job, document),
        "list 100 jobs": lambda: truth.listed("jobs", LISTED, document),
        "list 100 datasets": lambda: truth.listed("datasets", LISTED, document),
        "job runs": lambda: "" if document["runs"] else "has no runs",
    }
    if name.startswith("lineage, depth "):
        return truth.lineage(job, int(name.rpartition(" ")[2]), document)
    if name.startswith("column lineage, "):
        return truth.column_lineage(job, document)
    return checks[name]()


@contextmanager
def _served() -> Iterator[tuple[System, float]]:
    """`headwater serve` on an empty file, and the seconds until it answers."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [
            sys.executable,
            "-m",
            "headwater.cli.serve",
            "--data",
            f"{folder}/lineage.db",
            "--port",
            str(port),
            "--open",
        ]
        started = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603
            try:
                url = f"http://127.0.0.1:{port}"
                _wait_for(url, process)
                seconds = time.perf_counter() - started
                yield System("headwater serve", url, processes=[process.pid]), seconds
            finally:
                process.terminate()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=START_SECONDS):  # noqa: S310
                return
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.005)
    raise SystemExit(f"headwater serve did not answer at {url} within {START_SECONDS} s")


def _faulty(result: ServerFigures) -> Iterator[tuple[str, Lookup]]:
    return ((call, lookup) for call, lookup in result.lookups.items() if lookup.fault)


def _rows(results: Sequence[ServerFigures]) -> Iterator[tuple[str, ...]]:
    """The figures of each server, then each further server's as a factor of the first one's."""
    first, *others = results
    yield "", *(result.name for result in results), *(f"{other.name} / {first.name}" for other in others)
    figures: list[tuple[str, Callable[[ServerFigures], float | None], str]] = [
        ("seconds until it answers", lambda result: result.start_seconds, ".2f"),
        ("events accepted a second", lambda result: result.ingestion.accepted_a_second, ",.0f"),
        ("events visible a second", lambda result: result.ingestion.visible_a_second, ",.0f"),
        ("POST p50 ms", lambda result: result.ingestion.p50, ",.1f"),
        ("POST p99 ms", lambda result: result.ingestion.p99, ",.1f"),
        ("CPU ms an event", lambda result: result.ingestion.cpu_millis, ",.2f"),
        ("peak memory MB", lambda result: result.ingestion.peak_megabytes, ",.0f"),
        ("visible after its 201, ms", lambda result: result.ingestion.shown_after_millis, ",.1f"),
    ]
    for name, figure, form in figures:
        values = list(map(figure, results))
        yield name, *("-" if value is None else format(value, form) for value in values), *_factors(values)
    for call in first.lookups:
        lookups = [result.lookups[call] for result in results]
        factors = _factors([lookup.p50 for lookup in lookups])
        yield (
            f"{call}, p50 ms",
            *map(_shown, lookups),
            *(_least(other) + factor for other, factor in zip(lookups[1:], factors, strict=True)),
        )


def _factors(values: Sequence[float | None]) -> list[str]:
    first, *others = values
    return [f"{other / first:,.2f}" if first and other is not None else "-" for other in others]


def _shown(lookup: Lookup) -> str:
    return f"{_least(lookup)}{lookup.p50:,.1f}" + (" (wrong)" if lookup.fault else "")


def _least(lookup: Lookup) -> str:
    return "" if lookup.samples else "> "


def _document(options: argparse.Namespace, results: Sequence[ServerFigures], loads: Sequence[float]) -> dict[str, Any]:
    machine = {
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "loadBeforeAndAfter": loads,
    }
    load = {name: getattr(options, name) for name in ("jobs", "runs", "seed", "connections", "rate")}
    return {"machine": machine, "load": load, "servers": [asdict(result) for result in results]}


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="make bench ARGS=...",
        description="Measures servers of Marquez's API side by side: the same events, the same lookups, each answer "
        "checked. Starts `headwater serve` and measures it, then each --server.",
    )
    parser.add_argument(
        "--server",
        type=_named,
        action="append",
        default=[],
        metavar="NAME=URL",
        help="a running, empty server; repeatable",
    )
    parser.add_argument(
        "--key-file", type=_named, action="append", default=[], metavar="NAME=FILE", help="the file with a server's key"
    )
    parser.add_argument("--jobs", type=int, default=1000, help="jobs of the graph (1000)")
    parser.add_argument("--runs", type=int, default=1, help="runs of each job, of two events each (1)")
    parser.add_argument("--rate", type=float, help="the most events a second (as fast as the server takes them)")
    parser.add_argument("--connections", type=int, default=8, help="connections that post events (8)")
    parser.add_argument("--starts", type=int, default=5, help="nodes from which lookups start (5)")
    parser.add_argument("--seconds", type=float, default=4, help="time to repeat each lookup, at least three times (4)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the graph (1)")
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"), help="folder of JSON and plots")
    options = parser.parse_args(arguments)
    options.keys = {name: Path(file).read_text(encoding="utf-8").strip() for name, file in options.key_file}
    return options


def _named(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise argparse.ArgumentTypeError(f"expected NAME=VALUE, not {text!r}")
    return name, value


if __name__ == "__main__":
    main()
