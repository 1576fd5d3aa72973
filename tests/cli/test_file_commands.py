"""The commands on a file: keys, a copy, the archive, and the way back of the archive into a server."""

import gzip
import json
import os
import re
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from headwater.access.keys import BadKeys, read_keys
from headwater.cli import backup, check, export, key, load, upgrade
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.audit import AuditEntry
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.store.graph_store import GraphStore
from headwater.store.messages import write_message
from headwater.store.sqlite import database as database_module
from headwater.store.sqlite.api_keys import SqliteApiKeys
from headwater.store.sqlite.database import PAGE_BYTES, Database, RefusedDatabase, sole_use
from headwater.store.sqlite.home import SqliteHome
from headwater.store.table import FORMS
from tests import factory
from tests.factory import RETENTION
from tests.serve.process import ServeProcess
from tests.serve.test_process import without_latency
from tests.store.files import items_in

NOW = Instant("2026-11-26T08:00:00.000000000Z")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "lineage.db"
    Database(path).close()
    return path


def test_a_key_is_printed_once_and_kept_as_its_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new.db"
    assert key.main(["add", "spark", "--data", str(path), "--scope", "ingest", "--namespace", "team-*"]) == 0
    printed = capsys.readouterr().out.strip()
    with closing(Database(path)) as database:
        text = SqliteApiKeys(database).read()
    assert printed not in text
    (kept,) = read_keys(text)
    assert (kept.principal.key_id, kept.principal.scopes, kept.principal.namespaces) == (
        "spark",
        frozenset({"ingest"}),
        ("team-*",),
    )
    assert printed.encode() not in path.read_bytes()


def test_keys_are_listed_and_removed_by_name(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    key.main(["add", "a", "--data", str(data), "--expires", "2027-01-31T00:00:00Z"])
    key.main(["add", "b", "--data", str(data)])
    assert key.main(["add", "b", "--data", str(data)]) == 1
    assert key.main(["remove", "a", "--data", str(data)]) == 0
    assert key.main(["remove", "a", "--data", str(data)]) == 1
    capsys.readouterr()
    assert key.main(["list", "--data", str(data)]) == 0
    assert capsys.readouterr().out == "b: ingest, read for *\n"


@pytest.mark.parametrize(
    ("entry", "listed"),
    [
        (
            {"sha256": "12", "scopes": ["raed"], "namespaces": ["*"]},
            "REFUSED, since it needs id, sha256 (64 hex digits), scopes, namespaces and expires",
        ),
        ({"sha256": "12" * 32, "scopes": ["read"], "namespaces": [123]}, "read for 123"),
    ],
)
def test_a_wrong_entry_is_listed_as_refused_and_a_pattern_that_is_a_number_as_it_is(
    data: Path, capsys: pytest.CaptureFixture[str], entry: dict[str, object], listed: str
) -> None:
    key.main(["add", "a", "--data", str(data)])
    with closing(Database(data)) as database:
        SqliteApiKeys(database).add({"id": "b", **entry})
    capsys.readouterr()
    assert key.main(["list", "--data", str(data)]) == 0
    assert capsys.readouterr().out == f"a: ingest, read for *\nb: {listed}\n"


@pytest.mark.parametrize(
    "text", ["{", "[]", "5", '{"id": "b", "sha256": null}', '{"id": "x"}', '{"x": NaN}', "[" * 200_000]
)
def test_an_entry_that_cannot_be_read_locks_out_no_other_key(
    data: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    key.main(["add", "a", "--data", str(data)])
    with closing(Database(data)) as database:
        with database.writing() as connection:
            connection.execute("INSERT INTO keys VALUES ('b', ?)", (text,))
        wrong: list[BadKeys] = []
        keys = read_keys(SqliteApiKeys(database).read(), wrong.append)
    assert [each.principal.key_id for each in keys] == ["a"]
    assert len(wrong) == 1
    assert key.main(["list", "--data", str(data)]) == 0
    assert "b: REFUSED" in capsys.readouterr().out


SECRET = "Zq7hunter2Xw9"
QUERY = "SELECT * FROM t WHERE password = 'Zq7hunter2Xw9' AND account = 'PL123'"


def with_secrets(query: str) -> factory.Document:
    event = factory.run_event("COMPLETE", outputs=[factory.dataset("orders")])
    event["job"]["facets"] = {"sql": factory.facet(query=query)}
    return event


def test_secrets_that_were_stored_are_listed_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file and an archive of a release that knew no secrets."""
    event = with_secrets(QUERY)
    data = tmp_path / "lineage.db"
    with closing(SqliteHome(data)) as home:
        store = GraphStore(home.table, RETENTION)
        fold([normalise_event(exact_json.dumps(event), Naming())], store)
    lines = tmp_path / "archive" / "events.jsonl"
    lines.parent.mkdir()
    lines.write_text(exact_json.dumps([event, with_secrets("SELECT 1"), event]))
    for source, count in ((data, 3), (lines, 2), (lines.parent, 2)):
        assert check.main(["--secrets", str(source)]) == 1
        told = capsys.readouterr()
        assert "facets.sql.query: redacted password, first in " in told.out
        assert f"failed: {count} secrets in " in told.err
        assert SECRET not in told.out + told.err
    monkeypatch.setenv("SECRET_RULES", "PL[0-9]{3}")
    assert check.main(["--secrets", str(lines)]) == 1
    assert "2 × job.facets.sql.query: redacted rule, first in " in capsys.readouterr().out
    monkeypatch.setenv("SECRET_RULES", "(a|b)")
    assert check.main(["--secrets", str(lines)]) == 1
    assert capsys.readouterr().err.startswith("failed: SECRET_RULES is '(a|b)', expected NONE, or ")


def test_a_file_without_secrets_has_none_and_what_cannot_be_read_is_said(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check.main(["--secrets", str(data)]) == 0
    assert "no secret was recognised" in capsys.readouterr().out
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"a": 1}\n{"b"\n{"c": 2}\n')
    assert check.main(["--secrets", str(broken)]) == 1
    assert capsys.readouterr().err == f"{broken} line 2 cannot be read\n"
    assert check.main(["--secrets", str(tmp_path / "nothing")]) == 1


def test_a_file_has_the_forms_of_the_release_that_made_it_until_it_is_upgraded(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as next_release:
        for module in (database_module, upgrade):
            next_release.setattr(module, "FORMS", FORMS + 1)
        with closing(Database(data)) as database:
            assert database.forms == FORMS
        assert upgrade.main([str(data)]) == 0
        assert upgrade.main([str(data)]) == 0
        with closing(Database(data)) as database:
            assert database.forms == FORMS + 1
    assert capsys.readouterr().out.splitlines() == [
        f"{data} is upgraded from the forms {FORMS} to {FORMS + 1}; the previous release can no longer serve it",
        f"nothing to upgrade: {data} already has the newest forms of items ({FORMS + 1})",
    ]
    with pytest.raises(RefusedDatabase, match=f"has form {FORMS + 1}, .*; use the newer release"):
        Database(data)


@pytest.fixture
def filled(data: Path) -> Path:
    with closing(SqliteHome(data)) as home:
        for number in range(20):
            fold(
                factory.received(factory.run_event(run=number, job=f"job-{number}")), GraphStore(home.table, RETENTION)
            )
    return data


def test_a_whole_file_is_said_to_be_whole(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.main([str(filled)]) == 0
    assert re.fullmatch(rf"{filled} is whole: \d+ items, \d+ events\n", capsys.readouterr().out)


def test_what_flipped_bits_damage_is_found(filled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the key of an item, in that of an index, in the head of a page."""
    whole = filled.read_bytes()
    places = [match.start() for match in re.finditer(rb"job-7", whole)]
    for place in [*places[:4], *places[-4:], PAGE_BYTES * 2 + 3]:
        flipped = bytearray(whole)
        flipped[place] ^= 4
        filled.write_bytes(flipped)
        assert check.main([str(filled)]) == 1, place
        assert re.search("is damaged in|cannot be used", capsys.readouterr().err)
    filled.write_bytes(whole)
    assert check.main([str(filled)]) == 0


@pytest.mark.parametrize(
    "change", ["UPDATE archive SET message = replace(message, 'H4sI', 'H5sI')", "UPDATE items SET labels = '{'"]
)
def test_a_damaged_event_or_row_is_found_without_a_traceback(
    filled: Path, change: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(SqliteHome(filled)) as home:
        canonical = exact_json.dumps(factory.run_event())
        home.inbox.send([write_message(normalise_event(canonical, Naming()).event, canonical, NOW, home.bodies)])
        assert check.main([str(filled)]) == 0
        with home.database.writing() as connection:
            connection.execute(change)
    assert check.main([str(filled)]) == 1
    assert re.search("is damaged in 1 places", capsys.readouterr().err)
    assert check.main(["--secrets", str(filled)]) == 1
    assert "which is damaged" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE items SET doc = flipped(doc) WHERE pk LIKE 'AUDIT#%'", "the item AUDIT#"),
        ("UPDATE items SET expires_at = expires_at + 1024 WHERE pk LIKE 'AUDIT#%'", "the item AUDIT#"),
        ("UPDATE items SET version = replace(version, '1', '3') WHERE pk LIKE 'J#%'", "the item J#"),
        ("UPDATE items SET labels = replace(labels, 'day', 'dax')", "the item "),
        ('UPDATE items SET labels = replace(labels, \'"kind": "day\', \'"kine": "day\')', "KeyError"),
        ("UPDATE archive SET received = received - (1 << 20)", "event 1 of the archive was received at an impossible"),
        ("UPDATE archive SET seq = seq + 16", "the archive lacks event 1 of the inbox"),
        ("UPDATE bodies SET content = flipped(content) WHERE key LIKE 'bodies/%'", "cannot be read"),
        (
            "UPDATE bodies SET content = CAST(replace(content, 'no event', 'no ewent') AS BLOB) WHERE key LIKE 'q%'",
            "the body quarantine/",
        ),
        (
            'UPDATE outbox SET record = replace(record, \'"SK": {"S": "R\', \'"SK": {"S": "S\')',
            "change 1 of the outbox",
        ),
        ("UPDATE outbox SET record = replace(record, 'OldImage', 'OltImage')", "change 1 of the outbox"),
        ("UPDATE alerts SET alert = replace(alert, ':', ';')", "cannot be read"),
        ("UPDATE receivers SET seq = seq + 64", "the receiver console is said to have alerts that were never written"),
        (
            "UPDATE receivers SET name = 'webhook https://u:p@h:8/secret', seq = 99",
            "the receiver webhook https://h:8 is",
        ),
        ("UPDATE keys SET entry = replace(entry, 'scopes', 'scope3')", "key a is refused: its entry needs id"),
        (
            "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'T NOT NULL', 'T NOT$NULL')",
            "as it was made",
        ),
    ],
)
def test_what_is_not_as_it_was_written_is_found(
    filled: Path, change: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each change is as small as a flipped bit, and leaves what SQLite takes."""
    assert key.main(["add", "a", "--data", str(filled)]) == 0
    with closing(SqliteHome(filled)) as home:
        long = factory.run_event("FAIL", job_facets={"big": factory.facet(text=os.urandom(300_000).hex())})
        canonical = exact_json.dumps(long)
        home.inbox.send([write_message(normalise_event(canonical, Naming()).event, canonical, NOW, home.bodies)])
        fold(factory.received(factory.run_event("FAIL", run=3, job="job-3")), GraphStore(home.table, RETENTION))
        home.audit_log.write(AuditEntry(NOW, "r", "a", "", "GET", "GET /jobs", "/api/v1/jobs", 200))
        key_of = f"quarantine/{sha256(b'no event').hexdigest()}.json"
        home.bodies.put(key_of, json.dumps({"reason": "no JSON", "group": "", "body": "no event"}).encode())
        home.alert_log.join("console")
        home.alert_log.add([{"id": "1"}])
        assert check.main([str(filled)]) == 0
        capsys.readouterr()
        with home.database.writing() as connection:
            connection.create_function("flipped", 1, lambda content: content[:-1] + bytes([content[-1] ^ 4]))
            for statement in change.split("; "):
                connection.execute(statement)
    assert check.main([str(filled)]) == 1
    assert told in capsys.readouterr().out


def test_a_key_of_a_newer_release_and_a_clock_that_was_ahead_are_no_damage(
    filled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(SqliteHome(filled)) as home:
        canonical = exact_json.dumps(factory.run_event())
        home.inbox.send([write_message(normalise_event(canonical, Naming()).event, canonical, NOW, home.bodies)])
        with home.database.writing() as connection:
            connection.execute("UPDATE archive SET received = received + (1 << 20)")
        assert check.main([str(filled)]) == 0
        home.api_keys.add({"id": "new", "sha256": "12" * 32, "scopes": ["future"], "namespaces": ["*"]})
    assert check.main([str(filled)]) == 1
    printed = capsys.readouterr()
    assert "key new is refused" in printed.out
    assert "1 of its keys are refused" in printed.err
    assert "restore" not in printed.err


def test_a_file_is_not_upgraded_while_it_is_served(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sole_use(data):
        assert upgrade.main([str(data)]) == 1
    assert "is in use by process" in capsys.readouterr().err


@pytest.mark.parametrize("command", [backup, export])
def test_a_file_that_is_not_there_is_not_made(
    tmp_path: Path, command: object, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "missing.db"
    assert command.main(["--data", str(missing), "--to", str(tmp_path / "to")]) == 1  # type: ignore[attr-defined]
    assert "does not exist" in capsys.readouterr().err
    assert not missing.exists()


def test_what_was_copied_or_exported_while_it_was_served_is_all_of_it(tmp_path: Path) -> None:
    """A copy has the same items; the archive, sent to another server, leaves the same items."""
    events = [factory.run_event(run=number, job=f"job {number % 7}") for number in range(40)]
    events.append(factory.run_event(job_facets={"big": factory.facet(number=exact_json.loads("1e400"))}))
    lines = tmp_path / "events.jsonl"
    lines.write_text("".join(exact_json.dumps(event) + "\n" for event in events))
    data, copy, other = (tmp_path / name for name in ("one.db", "copy.db", "other.db"))
    with ServeProcess(data, "--open") as server:
        assert load.main([str(lines), "--url", server.url]) == 0
        server.wait_until_folded()
        assert backup.main(["--data", str(data), "--to", str(copy)]) == 0
        assert export.main(["--data", str(data), "--to", str(tmp_path / "archive")]) == 0
        assert backup.main(["--data", str(data), "--to", str(copy)]) == 1
        server.stop()
    with ServeProcess(other, "--open") as server:
        assert load.main([str(tmp_path / "archive"), "--url", server.url]) == 0
        server.wait_until_folded()
        server.stop()
    items = []
    for path in (data, copy, other):
        with closing(Database(path)) as database:
            items.append(without_latency(items_in(database)))
    assert items[0]
    assert items == [items[0]] * 3


def test_the_export_has_the_form_of_the_archive(data: Path, tmp_path: Path) -> None:
    with ServeProcess(data, "--open") as server:
        server.post_all([factory.run_event(run=number) for number in range(3)])
        server.stop()
    export.main(["--data", str(data), "--to", str(tmp_path / "archive")])
    (file,) = (tmp_path / "archive" / "events").glob("date=20??-??-??/000000000003.gz")
    lines = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    assert [line["event"]["run"]["runId"] for line in lines] == [factory.run_id(number) for number in range(3)]
    assert all(line["receivedAt"].startswith(file.parent.name.removeprefix("date=")) for line in lines)


def sent(path: Path, *runs: int, received_at: Instant = NOW) -> None:
    with closing(SqliteHome(path)) as home:
        texts = [exact_json.dumps(factory.run_event(run=number)) for number in runs]
        events = [(normalise_event(text, Naming()).event, text) for text in texts]
        home.inbox.send([write_message(event, text, received_at, home.bodies) for event, text in events])


def exported(data: Path, folder: Path) -> dict[str, list[str]]:
    """The files of an export, with the runs of their events."""
    assert export.main(["--data", str(data), "--to", str(folder)]) == 0
    return {
        file.relative_to(folder / "events").as_posix(): [
            json.loads(line)["event"]["run"]["runId"] for line in gzip.decompress(file.read_bytes()).splitlines()
        ]
        for file in sorted(folder.rglob("*.gz"))
    }


def test_a_further_export_adds_a_file_with_the_events_that_came_since(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "archive"
    sent(data, 1, 2, 3)
    monkeypatch.setattr(export, "EVENTS_A_FILE", 2)
    first = exported(data, folder)
    assert list(map(len, first.values())) == [2, 1]
    assert exported(data, folder) == first
    sent(data, 4, received_at=Instant("2026-11-27T00:00:00.000000000Z"))
    sent(data, 5)  # another process has written this one a moment late
    assert {file: runs for file, runs in exported(data, folder).items() if file not in first} == {
        "date=2026-11-27/000000000004.gz": [factory.run_id(4)],
        "date=2026-11-26/000000000005.gz": [factory.run_id(5)],
    }
    with closing(SqliteHome(data)) as home:
        with home.database.writing() as connection:
            connection.execute("DELETE FROM inbox")
        assert home.remove_expired(0, 2**40) == 5
    assert len(exported(data, folder)) == 4
    sent(data, 6, received_at=Instant("2027-01-01T00:00:00.000000000Z"))
    assert exported(data, folder)["date=2027-01-01/000000000006.gz"] == [factory.run_id(6)]


def test_an_export_does_not_join_the_events_of_another_file(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, folder = tmp_path / "other.db", tmp_path / "archive"
    sent(data, 1, 2)
    before = exported(data, folder)
    (file,) = folder.rglob("*.gz")
    for runs in ([7], [8], [9]):  # fewer events, as many, more
        sent(other, *runs)
        assert export.main(["--data", str(other), "--to", str(folder)]) == 1
        assert "has the events of another file; name a new folder" in capsys.readouterr().err
    packed = file.read_bytes()
    file.write_bytes(packed[:40])
    assert export.main(["--data", str(data), "--to", str(folder)]) == 1
    assert f"has a damaged file, {file.relative_to(folder)}" in capsys.readouterr().err
    file.write_bytes(packed)
    foreign = file.with_name("headwater-1-2026-11-26.gz")
    foreign.touch()
    assert export.main(["--data", str(data), "--to", str(folder)]) == 1
    assert "has events that this command did not write" in capsys.readouterr().err
    foreign.unlink()
    assert exported(data, folder) == before


def test_the_export_into_a_bucket_has_the_files_of_a_folder(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with ServeProcess(data, "--open") as server:
        server.post_all([factory.run_event(run=number) for number in range(3)])
        server.stop()
    export.main(["--data", str(data), "--to", str(tmp_path / "archive")])
    with mock_aws():
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="lineage-archive")
        command = ["--data", str(data), "--to", "s3://lineage-archive/from-serve/"]
        assert (export.main(command), export.main(command)) == (0, 0)
        assert re.findall("([0-9]+) new events", capsys.readouterr().out) == ["3", "3", "0"]
        keys = [entry["Key"] for entry in s3.list_objects_v2(Bucket="lineage-archive")["Contents"]]
        packed = {key: s3.get_object(Bucket="lineage-archive", Key=key)["Body"].read() for key in keys}
    folder = tmp_path / "archive"
    files = {f"from-serve/{file.relative_to(folder)}": file for file in folder.rglob("*.gz")}
    assert {key: gzip.decompress(content) for key, content in packed.items()} == {
        key: gzip.decompress(file.read_bytes()) for key, file in files.items()
    }


def test_a_bucket_that_is_not_there_is_told(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        assert export.main(["--data", str(data), "--to", "s3://no-such-bucket"]) == 1
    assert "NoSuchBucket" in capsys.readouterr().err


def test_events_that_are_refused_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = tmp_path / "events.jsonl"
    lines.write_text(json.dumps(factory.run_event()) + "\n{}\n")
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        assert load.main([str(lines), "--url", server.url]) == 1
    printed = capsys.readouterr()
    assert printed.out.startswith("events accepted: 1, refused: 1, by http")
    assert "refused: " in printed.err


def test_a_server_that_is_not_there_or_wants_a_key_is_told(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = data.with_suffix(".jsonl")
    lines.write_text(json.dumps(factory.run_event()))
    assert load.main([str(lines), "--url", "http://127.0.0.1:9"]) == 1
    with ServeProcess(data) as server:
        assert load.main([str(lines), "--url", server.url]) == 1
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("failed: ")]
    assert "nothing listens there" in errors[0]
    assert "needs a key" in errors[1]
