"""Measures the rebuild of the table from an archive of generated events: `python -m benchmarks.rebuild --help`.

For each size an archive is written, and Spark makes every item of the table from it and counts the items. Measured are
the CPU time of Spark's processes for an event, hence the events a second of a core that does nothing else; the time on
this machine; the peak memory of a Python worker; the bytes that Spark shuffled; and the slope: the CPU time of an event
against that in the smallest archive.
"""

import argparse
import gzip
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from pyspark import SparkConf, SparkContext

from benchmarks.figures import aligned
from benchmarks.graph import LayeredGraph, layered_graph
from benchmarks.spark_events import Document, events
from emr_jobs.archive.events import Bounds, read_archive
from emr_jobs.rebuild.settings import RebuildSettings
from emr_jobs.rebuild.table import rebuilt
from headwater.openlineage import exact_json
from headwater.openlineage.instant import parse_instant
from headwater.process_settings import read_settings
from headwater.store.archive_location import Location
from headwater.store.messages import ReceivedMessage, archive_line

RUNS = 50
EVENTS_A_FILE = 10_000
SAMPLE_SECONDS = 0.2


@dataclass(frozen=True)
class Result:
    """The figures of one archive; `slope` is the CPU time of an event against that of the smallest archive."""

    events: int
    shape: str
    items: int
    seconds: float
    cpu_seconds: float
    events_a_cpu_second: float
    worker_megabytes: float
    shuffled_megabytes: float
    slope: float = 1.0


def main() -> int:
    options = parser().parse_args()
    results: list[Result] = []
    for shape in options.shapes:
        for number in options.events:
            results.append(_against(results, measured_apart(shape, number, options)))
            print("\n".join(aligned(_rows(results))), flush=True)
    name = f"{datetime.now(UTC):%Y-%m-%d-%H%M}-rebuild.json"
    document = {
        "machine": {"processor": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()},
        "load": {"runs": RUNS, "seed": options.seed, "cores": options.cores},
        "rebuilds": [asdict(result) for result in results],
    }
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / name).write_text(json.dumps(document, indent=2) + "\n")
    return 0


def parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=["layers"], help="(default: %(default)s)")
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument("--port", type=int, default=9390, help="of Spark's page, which has its figures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser


def measured_apart(shape: str, number: int, options: argparse.Namespace) -> Result:
    """Measure in a process of its own: a Spark that has worked before is faster."""
    own = [f"--{name}={getattr(options, name)}" for name in ("cores", "port", "seed")]
    command = [sys.executable, "-m", "benchmarks.rebuild", "--one", "--events", str(number), "--shapes", shape, *own]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return Result(**json.loads(done.stdout.splitlines()[-1]))


def one(options: argparse.Namespace) -> int:
    (number,), (shape,) = options.events, options.shapes
    with tempfile.TemporaryDirectory(prefix="headwater-bench-") as folder:
        write_archive(Path(folder), islice(SHAPES[shape](number, options.seed), number))
        print(json.dumps(asdict(measure(folder, number, shape, options.cores, options.port))))
    return 0


def measure(folder: str, number: int, shape: str, cores: int, port: int) -> Result:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    conf = SparkConf().setMaster(f"local[{cores}]").set("spark.ui.port", str(port)).set("spark.log.level", "ERROR")
    context = SparkContext(conf=conf.set("spark.ui.showConsoleProgress", "false").set("spark.local.dir", folder))
    read = read_settings()
    settings = RebuildSettings({}, read.retention, read.emission_latency, now=0)
    try:
        with sampled_processes() as processes:
            begun = time.monotonic()
            table = rebuilt(read_archive(context, Location(folder), Bounds()), settings)
            items = sum(made.count() for made in table.items.values())
            seconds = time.monotonic() - begun
        shuffled = shuffled_bytes(context)
    finally:
        context.stop()
    cpu = sum(process.cpu_seconds for process in processes.values())
    peak = max(process.peak_bytes for process in processes.values() if process.is_worker)
    return Result(number, shape, items, seconds, cpu, number / cpu, peak / 1e6, shuffled / 1e6)


def write_archive(folder: Path, documents: Iterator[Document]) -> None:
    """Write events as the archive has them, all under one day."""
    day = folder / "events" / "date=2026-11-20"
    day.mkdir(parents=True)
    for number in range(10**6):
        part = list(islice(documents, EVENTS_A_FILE))
        if not part:
            return
        received = (ReceivedMessage(exact_json.dumps(event), parse_instant(event["eventTime"])) for event in part)
        (day / f"{number:05}.gz").write_bytes(gzip.compress(b"".join(map(archive_line, received)), 1))


def layers(number: int, seed: int) -> Iterator[Document]:
    """The runs of a layered graph of Spark jobs, in the order of an archive: every job has begun its first run before
    any begins its second."""
    jobs = layered_graph(max(20, number // 2 // RUNS), seed).jobs
    of_jobs = [events(LayeredGraph((job,)), RUNS, seed + place) for place, job in enumerate(jobs)]
    for together in zip(*of_jobs, strict=True):
        yield from together


def one_job(number: int, seed: int) -> Iterator[Document]:
    yield from events(LayeredGraph(layered_graph(20, seed).jobs[:1]), number // 2 + 1, seed)


def one_dataset(number: int, seed: int) -> Iterator[Document]:
    """A dataset that all jobs read, each with one run."""
    (job, *_) = layered_graph(20, seed).jobs
    jobs = (replace(job, output=replace(job.output, place=place)) for place in range(number // 2 + 1))
    yield from events(LayeredGraph(tuple(jobs)), 1, seed)


SHAPES = {"layers": layers, "one-job": one_job, "one-dataset": one_dataset}


@dataclass(frozen=True)
class Process:
    """A process of Spark: Java, or a Python worker."""

    cpu_seconds: float
    peak_bytes: int
    is_worker: bool


@contextmanager
def sampled_processes() -> Iterator[dict[int, Process]]:
    """Sample the processes of Spark, by their ids, until the end of the block. What Java has done before is left
    out."""
    processes: dict[int, Process] = {}
    before = {pid: process.cpu_seconds for pid, process in _below()}
    is_over = threading.Event()

    def sample() -> None:
        while not is_over.wait(SAMPLE_SECONDS):
            for pid, now in _below():
                peak = max(now.peak_bytes, processes[pid].peak_bytes) if pid in processes else now.peak_bytes
                processes[pid] = Process(now.cpu_seconds - before.get(pid, 0), peak, now.is_worker)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield processes
    finally:
        is_over.set()
        thread.join()


def _below() -> Iterator[tuple[int, Process]]:
    """Each process below this one: Java, the daemon of Python, its workers."""
    below = {os.getpid()}
    for _ in range(4):
        below |= {pid for pid, parent in _parents() if parent in below}
    for pid in below - {os.getpid()}:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            cpu = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            is_worker = b"pyspark" in Path(f"/proc/{pid}/cmdline").read_bytes().partition(b"\0-m\0")[2]
            yield pid, Process(cpu, int(fields[21]) * os.sysconf("SC_PAGE_SIZE"), is_worker)
        except OSError:
            continue


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                yield int(folder.name), int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue


def shuffled_bytes(context: SparkContext) -> int:
    """The bytes that all stages have written for the next stages, as Spark's page has them."""
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages"
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310
        stages: list[dict[str, Any]] = json.load(answer)
    return sum(stage["shuffleWriteBytes"] for stage in stages)


def _against(before: Sequence[Result], result: Result) -> Result:
    same = [each for each in before if each.shape == result.shape]
    if not same:
        return result
    return replace(result, slope=(result.cpu_seconds / result.events) / (same[0].cpu_seconds / same[0].events))


def _rows(results: Sequence[Result]) -> list[tuple[str, ...]]:
    head = ("shape", "events", "items", "s", "CPU s", "events a CPU second", "MB a worker", "MB shuffled", "slope")
    return [head, *(_row(result) for result in results)]


def _row(result: Result) -> tuple[str, ...]:
    figures = (result.seconds, result.cpu_seconds, result.events_a_cpu_second, result.worker_megabytes)
    rounded = (f"{figure:,.0f}" for figure in (*figures, result.shuffled_megabytes))
    return result.shape, f"{result.events:,}", f"{result.items:,}", *rounded, f"{result.slope:.2f}"


if __name__ == "__main__":
    sys.exit(one(parser().parse_args()) if "--one" in sys.argv else main())
