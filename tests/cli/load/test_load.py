"""Events come from files of any form, are sent once, and what is refused is told with its place."""

import gzip
import json
import threading
import time
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from headwater.cli import load
from headwater.cli.api import Api
from headwater.cli.failure import CommandFailure
from headwater.cli.load.sending import Sending
from headwater.cli.load.sources import events
from headwater.ingest.event_files import SentEvent, batches
from headwater.openlineage import exact_json
from tests import factory
from tests.serve.process import ServeProcess
from tests.upstream import Upstream, serving

EVENTS = [factory.run_event(run=number, outputs=[factory.dataset("a")]) for number in range(5)]
TEXTS = [exact_json.dumps(event) for event in EVENTS]


@pytest.mark.parametrize(
    "content",
    [
        "\n".join(TEXTS),
        f"[{','.join(TEXTS)}]",
        json.dumps(EVENTS, indent=2),
        "\n\n".join(f'{{"receivedAt":"2026-11-20T08:00:00Z","event":{text}}}' for text in TEXTS) + "\n",
    ],
    ids=["lines", "array", "indented array", "archive"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_file_has_lines_or_an_array_plain_or_gzipped(tmp_path: Path, content: str, packed: bool) -> None:
    file = tmp_path / ("events.json.gz" if packed else "events.json")
    file.write_bytes(gzip.compress(content.encode()) if packed else content.encode())
    found = list(events([file]))
    assert [json.loads(event.text) for event in found] == EVENTS
    assert len({event.place for event in found}) == 5
    assert list(events([tmp_path])) == found
    assert [event.text for event in events([file.as_uri()] if False else [file])] == [event.text for event in found]


def test_events_come_from_a_url_and_from_a_bucket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "events.json.gz").write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))) as web:
        threading.Thread(target=web.serve_forever, daemon=True).start()
        assert [event.text for event in events([f"http://127.0.0.1:{web.server_port}/events.json.gz"])] == TEXTS
        web.shutdown()
    with mock_aws():
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = boto3.client("s3")
        client.create_bucket(Bucket="lake")
        for key in ("events/date=1/a.gz", "bodies/b.gz", "other/c.gz"):
            client.put_object(Bucket="lake", Key=key, Body=(tmp_path / "events.json.gz").read_bytes())
        found = list(events(["s3://lake/events/"]))
    assert [event.text for event in found] == TEXTS
    assert found[0].place == "s3://lake/events/date=1/a.gz line 1"


def test_a_number_keeps_its_digits(tmp_path: Path) -> None:
    for name, text in (("line.json", '{"n":1e400}'), ("array.json", '[{"n":1e400}]')):
        (tmp_path / name).write_text(text)
    assert {event.text for event in events([tmp_path])} == {'{"n":1e400}', '{"n":1E+400}'}


def test_an_archive_has_long_events_in_bodies(tmp_path: Path) -> None:
    (tmp_path / "bodies").mkdir()
    (tmp_path / "bodies" / "long.json.gz").write_bytes(gzip.compress(TEXTS[0].encode()))
    (tmp_path / "events.gz").write_bytes(gzip.compress(b'{"receivedAt": "x", "s3": "bodies/long.json.gz"}\n'))
    assert [event.text for event in events([tmp_path])] == TEXTS[:1]
    (tmp_path / "bodies" / "long.json.gz").unlink()
    (missing,) = events([tmp_path])
    assert "only in the bucket" in missing.fault


def test_a_load_that_was_cut_off_goes_on_from_there(
    server: ServeProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "events.jsonl").write_text("\n".join(TEXTS))
    (tmp_path / "sent").write_text("3")
    arguments = [str(tmp_path / "events.jsonl"), "--url", server.url, "--resume", str(tmp_path / "sent")]
    assert load.main(arguments) == 0
    assert "accepted: 2, refused: 0, sent before: 3" in capsys.readouterr().out
    assert load.main(arguments) == 0
    assert "accepted: 0, refused: 0, sent before: 5" in capsys.readouterr().out


def test_a_broken_line_costs_no_other_and_is_told_with_its_place(server: ServeProcess, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("\n".join([*TEXTS[:2], TEXTS[2][:50], "{}", *TEXTS[3:]]))
    sending = Sending(Api(server.url))
    sending.send(events([tmp_path / "events.jsonl"]))
    assert sending.accepted == 4
    assert [place.rpartition("/")[2] for place, _ in sending.refused] == ["events.jsonl line 3", "events.jsonl line 4"]
    assert "not JSON" in sending.refused[0][1]


def test_batches_are_neither_too_many_events_nor_too_long() -> None:
    assert [len(batch) for batch in batches(SentEvent("", "x") for _ in range(250))] == [100, 100, 50]
    assert [len(batch) for batch in batches(iter([SentEvent("", "x" * 5_000_000)] * 3))] == [1, 1, 1]


def test_what_cannot_be_read_of_a_folder_costs_no_other_event(
    server: ServeProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    packed = gzip.compress("\n".join(TEXTS).encode())
    (folder / "a.gz").write_bytes(gzip.compress(f"{TEXTS[0]}\n".encode()) + packed[:30])
    (folder / "b.jsonl").write_bytes(b"\xff\xfe\x00\n" + TEXTS[1].encode())
    (folder / "c.json").write_text("[1, ")
    (folder / "d.jsonl").write_text('{"receivedAt": "x", "s3": "bodies/none"}\n' + TEXTS[2])
    (folder / "e.json").write_bytes(b"")
    (folder / "f.jsonl").write_bytes(b"\xef\xbb\xbf" + f"{TEXTS[3]}\r\n{TEXTS[4]}\r\n".encode())
    (folder / "notes.txt").write_text("no events")
    assert load.main([str(folder), "--url", server.url]) == 1
    told = capsys.readouterr()
    assert "events accepted: 5, refused: 4" in told.out
    for place in ("a.gz after line 1", "b.jsonl line 1", "c.json", "d.jsonl line 1"):
        assert f"refused: {folder}/{place}: " in told.err


def test_a_resume_of_other_sources_is_refused(
    server: ServeProcess, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, remembered = tmp_path / "events", tmp_path / "sent"
    folder.mkdir()
    (folder / "b.jsonl").write_text("\n".join(TEXTS[:3]))
    arguments = [str(folder), "--url", server.url, "--resume", str(remembered)]
    assert load.main(arguments) == 0
    (folder / "c.jsonl").write_text(TEXTS[3])
    assert load.main(arguments) == 0
    assert "accepted: 1, refused: 0, sent before: 3" in capsys.readouterr().out
    (folder / "a.jsonl").write_text(TEXTS[4])
    assert load.main(arguments) == 1
    assert f"event 4 was {folder}/c.jsonl line 1" in capsys.readouterr().err
    remembered.write_text("nonsense")
    assert load.main(arguments) == 1
    assert "not a file of --resume" in capsys.readouterr().err


def test_a_server_that_refuses_or_is_another_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "events.jsonl").write_text(TEXTS[0])

    with serving(Upstream(200, body=b"[]")) as other:
        assert load.main([str(tmp_path), "--url", other.url]) == 1
        assert f"failed: there is no Headwater API at {other.url}" in capsys.readouterr().err
    assert load.main([str(tmp_path), "--url", other.url]) == 1
    told = capsys.readouterr()
    assert f"failed: {other.url} cannot be reached: nothing listens there" in told.err
    assert "events accepted: 0" in told.out


def test_a_busy_server_is_asked_again_after_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    for after in ("7", "Sat, 28 Nov 2026 07:28:00 GMT"):
        busy = Upstream(503, headers={"Retry-After": after})
        with serving(busy) as server, pytest.raises(CommandFailure):
            Sending(Api(server.url, tries=4)).send([SentEvent("line 1", TEXTS[0])])
    assert slept == [7, 7, 7, 0.1, 0.2, 0.4]


def archive_with(folder: Path, key: str) -> Path:
    """An archive with a line whose event is only in the bucket, under a key."""
    archive = folder / "archive"
    (archive / "bodies").mkdir(parents=True)
    (archive / "events.jsonl").write_text(f'{{"receivedAt":"2026-11-20T08:00:00Z","s3":"{key}"}}\n')
    return archive


def test_a_body_of_an_archive_is_in_its_folder(tmp_path: Path) -> None:
    (tmp_path / "private.gz").write_bytes(gzip.compress(b"secret"))
    for key in ("../private.gz", str(tmp_path / "private.gz")):
        archive = archive_with(tmp_path / str(len(key)), key)
        (archive.parent / "private.gz").write_bytes(gzip.compress(b"secret"))
        (found,) = events([archive])
        assert not found.text
        assert "secret" not in found.fault
    archive = archive_with(tmp_path / "own", "bodies/a.gz")
    (archive / "bodies" / "a.gz").write_bytes(gzip.compress(TEXTS[0].encode()))
    assert [found.text for found in events([archive])] == [TEXTS[0]]


def test_a_link_out_of_a_folder_is_not_followed(tmp_path: Path) -> None:
    archive = archive_with(tmp_path, "bodies/a.gz")
    (archive / "bodies" / "a.gz").write_bytes(gzip.compress(TEXTS[0].encode()))
    (tmp_path / "private.jsonl").write_text(TEXTS[1])
    (archive / "a.jsonl").symlink_to(tmp_path / "private.jsonl")
    (archive / "z.jsonl").symlink_to(archive / "events.jsonl")
    assert [(found.text, found.fault) for found in events([archive])] == [
        ("", "a link to a file outside of the folder"),
        (TEXTS[0], ""),
        (TEXTS[0], ""),
    ]


def test_a_little_gzip_does_not_become_much_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("headwater.store.archive_lines", "headwater.ingest.event_files"):
        monkeypatch.setattr(f"{module}.MAX_LINE", 100_000)
    (tmp_path / "bomb.jsonl.gz").write_bytes(gzip.compress(b" " * 10_000_000))
    (tmp_path / "lines.json.gz").write_bytes(gzip.compress(b"[\n" + b"  \n" * 100_000))
    faults = [found.fault for found in events([tmp_path])]
    assert len(faults) == 2
    assert all("of more than 100000 bytes" in fault for fault in faults)
    archive = archive_with(tmp_path / "a", "bodies/a.gz")
    (archive / "bodies" / "a.gz").write_bytes(gzip.compress(b" " * 10_000_000))
    assert [found.fault for found in events([archive])] == ["bodies/a.gz has more than 100000 bytes"]
