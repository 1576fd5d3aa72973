"""The server keeps the audit unless it is open, and the audit costs few commits."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from headwater import metrics
from headwater.graph.states.audit import AuditEntry
from headwater.openlineage.instant import Instant
from headwater.process_settings import read_settings
from headwater.serve import auditing as serve_auditing
from headwater.serve.application import Application, Options
from headwater.serve.auditing import MOST_STRANGERS, Auditing, Strangers
from headwater.store.audit_log import AuditLog
from headwater.store.errors import StorageError
from headwater.store.sqlite.audit_log import SqliteAuditLog
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.home import SqliteHome
from headwater.store.sqlite.table import SqliteTable
from tests import factory
from tests.serve.test_api import Client, add_key


@pytest.fixture
def client(home: SqliteHome) -> Iterator[Client]:
    application = Application(home, read_settings({}), Options("http://localhost:5000"))
    application.start()
    yield Client(application)
    application.stop()


def test_every_request_is_an_entry_and_the_file_keeps_it(client: Client, database: Database) -> None:
    assert client("GET", "/api/v1/namespaces", headers={}).status == 401
    add_key(database, "admin")
    assert client("POST", "/api/v1/lineage", factory.run_event()).status == 201
    assert client("POST", "/api/v1/lineage", {"no": "event"}).status == 400
    assert client("DELETE", "/api/v1/namespaces/demo/jobs/unknown").status == 404
    assert client("GET", "/nowhere?api_key=secret").status == 404
    page = client("GET", "/api/v1/audit").body
    assert page["isAudited"] is True
    assert [(entry["method"], entry.get("route"), entry["status"]) for entry in page["entries"]] == [
        ("GET", None, 404),
        ("DELETE", "DELETE /namespaces/{namespace}/jobs/{job}", 404),
        ("POST", "POST /lineage", 400),
        ("POST", "POST /lineage", 201),
        ("GET", None, 401),
    ]
    assert [entry.get("key") for entry in page["entries"]] == ["k", "k", "k", "k", None]
    assert "secret" not in str(page)
    again = client("GET", "/api/v1/audit?limit=1").body
    assert again["entries"][0]["route"] == "GET /audit", "who reads the audit is in it, too"


def test_pages_that_need_no_key_are_no_entries(client: Client, database: Database) -> None:
    add_key(database, "admin")
    for path in ("/", "/health", "/metrics"):
        assert client("GET", path).status == 200
    assert client("GET", "/api/v1/audit").body["entries"] == []


def test_an_open_server_keeps_no_audit(home: SqliteHome) -> None:
    application = Application(home, read_settings({}), Options("http://localhost:5000", is_open=True))
    application.start()
    client = Client(application)
    client("GET", "/api/v1/namespaces")
    assert client("GET", "/api/v1/audit").body == {"entries": [], "isAudited": False}
    application.stop()


def entry(number: int) -> AuditEntry:
    return AuditEntry(Instant("2026-11-20T08:00:00.000000000Z"), f"r{number}", "k", "", "GET", "", "/", 200)


def entries_in(database: Database) -> int:
    with database.reading() as connection:
        number: int = connection.execute("SELECT count(*) FROM items WHERE pk LIKE 'AUDIT#%'").fetchone()[0]
    return number


class CountingTable(SqliteTable):
    """Counts transactions, and holds the first until it is let go."""

    commits = 0
    fails = False
    holding: threading.Event | None = None

    def change(self, changes: object) -> None:
        self.commits += 1
        if self.holding:
            self.holding.wait(10)
        if self.fails:
            raise StorageError("the disk is full")
        super().change(changes)  # type: ignore[arg-type]


def test_the_entries_of_requests_that_come_at_the_same_time_share_a_commit(database: Database) -> None:
    table = CountingTable(database)
    log, table.holding = SqliteAuditLog(table), threading.Event()
    threads = [threading.Thread(target=log.write, args=(entry(number),)) for number in range(9)]
    threads[0].start()
    while not table.commits:
        pass
    for thread in threads[1:]:
        thread.start()
    while len(log._group.gathered) < 8:
        pass
    table.holding.set()
    for thread in threads:
        thread.join()
    assert table.commits == 2
    assert entries_in(database) == 9


def test_an_entry_that_cannot_be_written_raises_in_each_request_that_waits_for_it(database: Database) -> None:
    table = CountingTable(database)
    table.fails = True
    with pytest.raises(StorageError):
        SqliteAuditLog(table).write(entry(1))
    table.fails = False
    AuditLog(table).write(entry(1))


def test_a_lookup_does_not_wait_for_the_file_and_its_entry_is_listed(client: Client, database: Database) -> None:
    add_key(database, "admin")
    with database.writing():
        assert client("GET", "/api/v1/namespaces").status == 200
        for method in ("GET", "DELETE"):  # whoever has no key makes nobody wait
            assert client(method, "/api/v1/audit", headers={}).status == 401
    listed = client("GET", "/api/v1/audit").body["entries"]
    assert sorted((entry["status"], entry["method"], entry.get("route")) for entry in listed) == [
        (200, "GET", "GET /namespaces"),
        (401, "DELETE", None),
        (401, "GET", None),
    ]


def test_entries_of_lookups_are_written_at_the_end_and_while_nobody_asks(home: SqliteHome, database: Database) -> None:
    add_key(database, "admin")
    for ends in (True, False):
        application = Application(home, read_settings({}), Options("http://localhost:5000"))
        application.start()
        Client(application)("GET", "/api/v1/namespaces")
        if ends:
            application.stop()
            assert entries_in(database) == 1
    while entries_in(database) < 2:
        time.sleep(0.01)
    application.stop()


def test_what_cannot_be_written_waits_and_a_change_does_not(database: Database) -> None:
    table = CountingTable(database)
    auditing = Auditing(SqliteAuditLog(table))
    table.fails = True
    for number in range(3):
        auditing.write(entry(number))
    auditing.write(replace(entry(3), method="POST", status=401))
    for made in (200, 503):
        with pytest.raises(StorageError):
            auditing.write(replace(entry(4), method="POST", status=made))
    with pytest.raises(StorageError):
        auditing.step()
    table.fails = False
    auditing.step()
    assert entries_in(database) == 4
    assert table.commits == 4, "one for all that waited"


def test_a_step_ends_while_others_ask(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    table = CountingTable(database)
    auditing = Auditing(SqliteAuditLog(table))
    monkeypatch.setattr(SqliteTable, "change", lambda *_: auditing.write(entry(table.commits)))  # another lookup
    auditing.write(entry(0))
    auditing.step()
    assert table.commits == 1


def test_entries_that_cannot_be_written_in_the_end_are_lost_and_counted(
    home: SqliteHome, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_key(database, "admin")
    lost: list[None] = []
    monkeypatch.setattr(metrics, "lost_audit_entry", lambda: lost.append(None))
    monkeypatch.setattr(SqliteAuditLog, "write", fails)
    application = Application(home, read_settings({}), Options("http://localhost:5000"))
    application.start()
    assert Client(application)("GET", "/api/v1/namespaces").status == 200
    assert lost == []
    application.stop()
    assert lost == [None]


def fails(*_: object) -> None:
    raise StorageError("the disk is full")


def test_no_more_entries_wait_than_memory_has_room_for(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_auditing, "MOST_WAITING", 2)
    auditing = Auditing(SqliteAuditLog(SqliteTable(database)))
    for number in range(3):
        auditing.write(entry(number))
    assert entries_in(database) == 1


def test_requests_without_a_valid_key_do_not_fill_the_file(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are refused all the same, and whoever has a key is recorded."""
    add_key(database, "admin")
    monkeypatch.setattr(client.application._strangers, "_left", 3.0)
    monkeypatch.setattr(serve_auditing, "STRANGERS_A_SECOND", 0)
    for _ in range(5):
        assert client("GET", "/api/v1/namespaces", headers={"x-api-key": "guess"}).status == 401
        assert client("POST", "/api/v1/lineage", factory.run_event(), headers={}).status == 401
    entries = client("GET", "/api/v1/audit").body["entries"]
    assert [(entry["method"], entry["status"]) for entry in entries] == [("GET", 401), ("POST", 401), ("GET", 401)]
    assert client("GET", "/api/v1/namespaces").status == 200
    assert client("GET", "/api/v1/audit?limit=1&key=k").body["entries"][0]["route"] == "GET /namespaces"


def test_refused_events_are_counted_though_their_requests_are_no_entries(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client.application._strangers, "_left", 0.0)
    monkeypatch.setattr(serve_auditing, "STRANGERS_A_SECOND", 0)
    for _ in range(3):
        assert client("POST", "/api/v1/lineage", factory.run_event()).status == 401
    lines = client("GET", "/metrics").content.decode().splitlines()
    assert "headwater_events_refused_total 3" in lines


def test_one_stranger_a_second_is_recorded_however_many_come() -> None:
    now = [0.0]
    strangers = Strangers(lambda: now[0])

    def recorded(requests: int, seconds: float) -> int:
        count = 0
        for _ in range(requests):
            now[0] += seconds / requests
            count += strangers.may_be_recorded()
        return count

    assert recorded(int(MOST_STRANGERS) + 50, 0) == MOST_STRANGERS
    assert recorded(20 * 60, 60) in (59, 60)
    assert recorded(2 * 60, 60) in (59, 60, 61)
    now[0] += 1e6
    assert recorded(2 * int(MOST_STRANGERS), 0) == MOST_STRANGERS
