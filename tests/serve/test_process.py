"""`headwater serve` as a process: it starts and ends, keeps what it answered, and shows what it keeps."""

import gzip
import json
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from headwater.fold.fold import fold
from headwater.openlineage import exact_json
from headwater.process_settings import read_settings
from headwater.serve.server import Start, in_background
from headwater.store.graph_store import GraphStore
from headwater.store.keys import Key
from headwater.store.memory import MemoryTable
from headwater.store.sqlite.archive import SqliteArchive
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import PAGE_BYTES, Database, RefusedDatabase
from headwater.store.table import Item
from tests import factory
from tests.end_to_end.recorded import recorded_documents
from tests.lookup.requests import LookupClient
from tests.serve.process import ENVIRONMENT, SERVE, ServeProcess, wait_for
from tests.store.files import items_in
from tests.upstream import Reply, Seen, web_server

ROUNDS, CLIENTS = 6, 4
IMPORTS = "import sys; import headwater.serve.server; print(*sys.modules)"


def folded(documents: Iterable[Any]) -> MemoryTable:
    table = MemoryTable()
    for event in factory.received(*documents):
        fold([event], GraphStore(table, read_settings({}).retention))
    return table


def without_latency(items: dict[Key, Item]) -> dict[Key, Item]:
    """Emission latency depends on when an event is received; alerts are not folded."""
    return {key: item for key, item in items.items() if key.sk != "LATENCY" and not key.pk.startswith("K#")}


def archived(database: Database) -> list[Any]:
    return [exact_json.loads(event.canonical) for event in SqliteArchive(database, SqliteBodies(database)).events()]


def test_the_items_and_the_answers_are_those_of_memory(server: ServeProcess) -> None:
    for line in recorded_documents():
        assert server.request("POST", "/api/v1/lineage", exact_json.dumps(line).encode()).status == 201
    server.wait_until_folded()
    table = folded(recorded_documents())
    lookup = LookupClient(table)
    paths = ["namespaces", "jobs", "events/lineage?limit=5", "search?q=orders", "stats/jobs?period=DAY"]
    for namespace in lookup("namespaces")["namespaces"]:
        name = namespace["name"].replace("/", "%2F")
        for kind in ("jobs", "datasets"):
            paths.append(f"namespaces/{name}/{kind}")
            for node in lookup(f"namespaces/{name}/{kind}")[kind]:
                node_id = f"{kind[:-1]}:{node['namespace']}:{node['name']}".replace("/", "%2F")
                paths += [f"{route}?nodeId={node_id}&depth=5" for route in ("lineage", "column-lineage")]
    assert len(paths) > 20
    for path in paths:
        plain, _, query = path.partition("?")
        parameters = dict(pair.split("=") for pair in query.split("&")) if query else {}
        expected = lookup.answer(plain, **{name: value.replace("%2F", "/") for name, value in parameters.items()})
        reply = server.request("GET", f"/api/v1/{path}")
        if not path.startswith("stats"):  # which count up to now
            assert (reply.status, reply.body) == expected, path
    assert server.stop() == 0
    with closing(Database(server.data)) as database:
        assert without_latency(items_in(database)) == without_latency(table.items)


def test_what_was_answered_survives_kill_9_at_any_moment(tmp_path: Path) -> None:
    """Several clients send while the server is killed again and again; the ledger has every 201."""
    chance, ledger, numbers = random.Random(13), [], iter(range(10**9))
    server = ServeProcess(tmp_path / "lineage.db", "--open")
    for _ in range(ROUNDS):
        server.start()
        ended = threading.Event()

        def send(seed: int, ended: threading.Event = ended) -> None:
            own = random.Random(seed)
            while not ended.is_set():
                event = event_number(next(numbers), own)
                try:
                    if server.post(event).status == 201:
                        ledger.append(event)
                except (OSError, HTTPException):
                    return

        clients = [threading.Thread(target=send, args=[chance.randrange(10**9)]) for _ in range(CLIENTS)]
        for client in clients:
            client.start()
        time.sleep(chance.uniform(0.05, 0.6))
        server.kill()
        ended.set()
        for client in clients:
            client.join()
    server.start()
    server.wait_until_folded()
    assert server.stop() == 0
    with closing(Database(server.data)) as database:
        events, items = archived(database), items_in(database)
    print(f"{len(ledger)} events answered 201 and {len(events)} stored, in {ROUNDS} rounds")  # noqa: T201
    texts = [exact_json.dumps(event) for event in events]
    assert len(ledger) > ROUNDS
    assert {exact_json.dumps(event) for event in ledger} <= set(texts)
    assert len(texts) == len(set(texts))
    assert without_latency(items) == without_latency(folded(events).items)


def event_number(number: int, chance: random.Random) -> factory.Document:
    """One of many events of a few runs of a few jobs, over a few datasets."""
    run, job = number % 40, f"job {number % 4}"
    kind = chance.choice(["START", "RUNNING", "COMPLETE", "FAIL"])
    written = factory.dataset(f"table {number % 5}", schema=factory.schema(f"c{number % 3}:int"))
    return factory.run_event(
        kind, seconds=number / 10, run=run, job=job, inputs=[factory.dataset(f"table {number % 7}")], outputs=[written]
    )


def test_an_event_is_visible_soon_after_its_201(server: ServeProcess) -> None:
    waits = []
    for number in range(20):
        assert server.post(factory.run_event("COMPLETE", run=number, job=f"job {number}")).status == 201
        start = time.perf_counter()
        path = f"/api/v1/namespaces/demo/jobs/job%20{number}"
        wait_for(lambda path=path: server.request("GET", path).status == 200)  # type: ignore[misc]
        waits.append((time.perf_counter() - start) * 1000)
    waits.sort()
    print(f"visible after its 201, in ms: median {waits[10]:.1f}, most {waits[-1]:.1f}")  # noqa: T201


def test_a_file_is_served_by_one_process(server: ServeProcess) -> None:
    command = [sys.executable, "-m", "headwater.cli", "serve", "--data", str(server.data), "--port", "0", "--open"]
    second = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    assert second.returncode == 1
    assert f"in use by process {server.pid}" in second.stderr
    assert server.get("/health") == {"status": "ok"}


def test_a_second_process_is_refused_though_the_lock_file_is_gone(server: ServeProcess) -> None:
    Path(f"{server.data}.lock").unlink()
    with pytest.raises(AssertionError, match="is in use by another process"), ServeProcess(server.data, "--open"):
        pass
    assert server.get("/health") == {"status": "ok"}


def test_a_file_that_was_damaged_when_the_process_was_killed_is_not_served(tmp_path: Path) -> None:
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        server.request("POST", "/api/v1/lineage?wait=1", json.dumps(factory.run_event()).encode())
        server.kill()
    with closing(Database(server.data)):
        pass  # what was in the log is in the file
    content = bytearray(server.data.read_bytes())
    content[-PAGE_BYTES + 3 : -PAGE_BYTES + 5] = b"\xff\xff"
    server.data.write_bytes(content)
    Path(f"{server.data}-wal").touch()  # as it is after such an end
    with pytest.raises(AssertionError, match=r"is damaged.*restore a copy"):
        server.start()


def test_sigterm_ends_the_server_with_what_it_has_taken_folded_or_kept(tmp_path: Path) -> None:
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        server.post_all([factory.run_event(run=number) for number in range(30)])
        assert server.stop() == 0
        server.start()
        server.wait_until_folded()
        assert server.get("/api/v1/namespaces/demo/jobs/load/runs?limit=100")["totalCount"] == 30


def test_sigterm_does_not_wait_for_a_client_that_does_not_finish_its_request(server: ServeProcess) -> None:
    address = urlsplit(server.url)
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        assert server.get("/health") == {"status": "ok"}  # hence the request before has begun
        assert server.stop() == 0
    assert "graceful shutdown exceeded" not in (server.data.parent / "serve.log").read_text()


def test_an_alert_that_was_not_delivered_is_delivered_after_the_next_start(tmp_path: Path) -> None:
    """The webhook is away when the run fails."""
    hook = Hook(status=503)
    with web_server(hook.answer) as url, ServeProcess(tmp_path / "lineage.db", "--open", "--webhook", url) as server:
        server.post_all([factory.run_event("START"), factory.run_event("FAIL", seconds=1)])
        wait_for(lambda: hook.calls > 0)
        server.kill()
        assert hook.taken == []
        hook.status = 200
        server.start()
        wait_for(lambda: bool(hook.taken))
        server.stop()
    assert [(alert["alert"], alert["name"]) for alert in hook.taken] == [("Run Failed", "load")]
    assert server.output.count("CRITICAL: load failed") == 1


@dataclass
class Hook:
    """A webhook, the number of its requests, and what it took of them."""

    status: int = 200
    calls: int = 0
    taken: list[Any] = field(default_factory=list)

    def answer(self, request: Seen) -> Reply:
        self.calls += 1
        if self.status == 200:
            self.taken.append(json.loads(request.body))
        return self.status, {}, b""


def test_a_body_may_be_gzipped_and_a_long_answer_is(server: ServeProcess) -> None:
    events = [factory.run_event(run=number, job=f"job {number}") for number in range(60)]
    reply = server.request("POST", "/api/v1/lineage/batch", gzip.compress(json.dumps(events).encode()))
    assert (reply.status, reply.body["status"]) == (200, "success")
    server.wait_until_folded()
    packed = server.request("GET", "/api/v1/jobs", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == server.get("/api/v1/jobs")


def test_the_server_needs_no_sdk_of_aws() -> None:
    command = [sys.executable, "-c", IMPORTS]
    run = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True)  # noqa: S603
    modules = run.stdout.split()
    assert not {name for name in modules if name.split(".")[0] in ("botocore", "boto3", "aws_lambda_powertools")}
    assert len(modules) < 900


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--open", "--host", "0.0.0.0"], "--open is only for this machine"),  # noqa: S104
        (["--webhook", "nowhere"], "is not a URL"),
        (["--host", "192.0.2.1"], "cannot be listened at"),
    ],
)
def test_options_that_cannot_be_are_refused_in_words(tmp_path: Path, options: list[str], reason: str) -> None:
    command = [*SERVE, str(tmp_path / "l.db"), *options]
    run = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    assert run.returncode in (1, 2)
    assert reason in run.stderr
    assert "Traceback" not in run.stderr


def test_a_disk_without_room_is_told_in_words(tmp_path: Path) -> None:
    """The process may write no byte to a file."""
    limit = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0));"
    command = [
        sys.executable,
        "-c",
        f"{limit} sys.argv[0] = 'cli'; runpy.run_module('headwater.cli', run_name='__main__')",
    ]
    options = ["serve", "--data", str(tmp_path / "l.db"), "--port", "0", "--open"]
    run = subprocess.run([*command, *options], env=ENVIRONMENT, capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    assert (run.returncode, "Traceback" in run.stderr) == (1, False)
    assert "l.db cannot be written: File too large; make room on its disk" in run.stderr


def test_a_file_that_can_only_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start = Start(tmp_path / "lineage.db", "127.0.0.1", 0, is_open=True)
    with in_background(start):
        pass

    def read_only(self: Database, _cache_kib: int) -> sqlite3.Connection:
        return sqlite3.connect(f"file:{self.path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False)

    monkeypatch.setattr(Database, "_connect", read_only)
    with pytest.raises(RefusedDatabase, match=r"lineage.db cannot be written: .*; allow it"), in_background(start):
        pass


def test_ctrl_c_ends_the_server(server: ServeProcess) -> None:
    server._process.send_signal(signal.SIGINT)
    assert server._process.wait(30) == 0
