"""Measures `headwater serve`: how many events it takes and folds a second, and its CPU time for an event.

    python -m benchmarks.serve                 a server as a process of its own, sent events over HTTP
    python -m benchmarks.serve --inside        the fold over SQLite alone, in this process, in batches of 1, 10 and 50

The events are those of benchmarks/spark_events.py, in the order of their times: START and COMPLETE of runs of 1,000
jobs in ten layers.
"""

import argparse
import http.client
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from urllib.parse import urlsplit

from benchmarks.graph import layered_graph
from benchmarks.spark_events import events
from headwater.fold.fold import fold
from headwater.graph.event_normalisation import normalise_event
from headwater.graph.naming import Naming
from headwater.openlineage import exact_json
from headwater.store.graph_store import GraphStore
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import Outbox
from headwater.store.sqlite.table import SqliteTable
from serve.settings import read_settings
from tests.serve.process import ServeProcess

TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Posted:
    """The milliseconds of each request that was answered, and the statuses other than 201."""

    milliseconds: list[float] = field(default_factory=list)
    refused: list[int] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        ordered = sorted(self.milliseconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serve", description=__doc__)
    parser.add_argument("--inside", action="store_true", help="measure the fold alone")
    parser.add_argument("--jobs", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=1, help="of each job (default: %(default)s)")
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    graph = layered_graph(options.jobs, seed=1)
    documents = sorted(events(graph, options.runs, seed=1), key=lambda document: str(document["eventTime"]))
    texts = [exact_json.dumps(document) for document in documents]
    print(f"{len(texts):,} events of {sum(map(len, texts)) / len(texts) / 1000:.1f} KB")
    with tempfile.TemporaryDirectory(prefix="headwater-bench-", dir=Path.home()) as folder:
        if options.inside:
            for size in (1, 10, 50):
                inside(texts, size, Path(folder) / f"{size}.db")
        else:
            outside(texts, options.connections, Path(folder) / "lineage.db")


def inside(texts: Sequence[str], size: int, path: Path) -> None:
    """The fold, without HTTP and inbox."""
    retention = read_settings({}).retention
    with closing(Database(path)) as database:
        table = SqliteTable(database, Outbox(database))
        wall, cpu = time.perf_counter(), time.process_time()
        for start in range(0, len(texts), size):
            batch = [normalise_event(text, Naming()) for text in texts[start : start + size]]
            with table.transaction() as transaction:
                fold(batch, GraphStore(transaction, retention))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"batches of {size:2}: {len(texts) / wall:6.0f} events/s, {cpu / len(texts) * 1000:.2f} ms of CPU an event, "
        f"{path.stat().st_size / 1e6:.0f} MB"
    )


def outside(texts: Sequence[str], connections: int, path: Path) -> None:
    """The whole way of an event: HTTP, check, inbox, fold."""
    with ServeProcess(path, "--open") as server:
        pid = server._process.pid  # noqa: SLF001
        before, start = cpu_seconds(pid), time.perf_counter()
        posted = post_all(server.url, texts, connections)
        answered = time.perf_counter() - start
        while server.metric("headwater_inbox_events"):
            time.sleep(0.05)
        folded, cpu = time.perf_counter() - start, cpu_seconds(pid) - before
        size = path.stat().st_size + Path(f"{path}-wal").stat().st_size
        print(
            f"{connections} connections: {len(texts) / answered:.0f} answered/s, {len(texts) / folded:.0f} folded/s, "
            f"{cpu / len(texts) * 1000:.2f} ms of CPU an event; 201 after {posted.percentile(0.5):.1f} ms (p50), "
            f"{posted.percentile(0.99):.1f} ms (p99); "
            f"{memory_megabytes(pid):.0f} MB of memory, {size / 1e6:.0f} MB of disk"
        )
        if posted.refused:
            sys.exit(f"refused: {posted.refused[:10]}")


def post_all(url: str, texts: Sequence[str], connections: int) -> Posted:
    """Posts events one by one, over several connections that are kept open."""
    posted, waiting = Posted(), SimpleQueue[str]()
    for text in texts:
        waiting.put(text)

    def post() -> None:
        connection = http.client.HTTPConnection(urlsplit(url).netloc)
        while True:
            try:
                text = waiting.get_nowait()
            except Empty:
                return
            start = time.perf_counter()
            connection.request("POST", "/api/v1/lineage", text.encode(), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            posted.milliseconds.append((time.perf_counter() - start) * 1000)
            if answer.status != 201:
                posted.refused.append(answer.status)

    clients = [threading.Thread(target=post) for _ in range(connections)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return posted


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory_megabytes(pid: int) -> float:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    main()
