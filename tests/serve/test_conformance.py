"""A server is tried as the stack is: the same recorded events in each way of posting, and the same bad requests."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from headwater.process_settings import read_settings
from headwater.store.sqlite.api_keys import SqliteApiKeys
from headwater.store.sqlite.database import Database
from tests.embedded import key_entry
from tests.end_to_end.api import Api
from tests.end_to_end.bad_requests import Bad, bad_requests, event, text
from tests.end_to_end.conftest import ENTRIES
from tests.end_to_end.recorded import folded_without_aws, recorded_documents
from tests.end_to_end.test_bad_requests import MAX_ANSWER_BYTES, SECONDS, response_to
from tests.end_to_end.test_recorded_events import WAYS, Way, as_a_batch_backwards
from tests.serve.process import ServeProcess
from tests.store.files import items_in

KEY = "a key for the tests"
DRAIN_SECONDS = 60


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A server with the keys of the end-to-end tests. In the end its file has audit entries alone, and no event."""
    data = tmp_path_factory.mktemp("conformance") / "lineage.db"
    with closing(Database(data)) as database:
        for entry in (key_entry(KEY, scopes=["ingest", "read", "admin"]), *ENTRIES):
            SqliteApiKeys(database).add(dict(entry))
    with ServeProcess(data) as server:
        yield Api.of(server.url, KEY)
        server.stop()
    with closing(Database(data)) as database, database.reading() as connection:
        counts = {
            table: connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in ("items", "archive", "inbox", "bodies")
        }
        entries = connection.execute("SELECT count(*) FROM items WHERE pk LIKE 'AUDIT#%'").fetchone()[0]
    assert counts == {**dict.fromkeys(counts, 0), "items": entries}


@pytest.mark.parametrize("bad", [pytest.param(bad, id=bad.what) for bad in bad_requests()])
def test_a_bad_request_is_refused_as_by_the_stack(api: Api, bad: Bad) -> None:
    answer = response_to(api, bad)
    assert answer.status == bad.status, answer.body
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json.keys() == {"code", "message", "details", "faults"}
    assert answer.json["code"] == bad.status
    if not bad.by_gateway:
        assert bad.message in answer.json["message"]
    assert answer.seconds < SECONDS
    assert len(answer.body) < MAX_ANSWER_BYTES


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_posting_leaves_the_items_of_one_fold(way: Way, tmp_path: Path) -> None:
    data = tmp_path / "lineage.db"
    with ServeProcess(data, "--open") as server:
        answers = way(Api(server.url, {}))
        assert {answer.status for answer in answers} == ({200} if way is as_a_batch_backwards else {201})
        wait_until_folded(server)
        server.stop()
    with closing(Database(data)) as database:
        items = items_in(database).items()
    left = {(key.pk, key.sk): item.version for key, item in items if not key.pk.startswith("K#")}
    assert left == folded_without_aws(recorded_documents(), read_settings({}).retention)


def wait_until_folded(server: ServeProcess) -> None:
    deadline = time.monotonic() + DRAIN_SECONDS
    while "headwater_inbox_events 0" not in server.request("GET", "/metrics").content.decode():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_good_request_would_have_been_taken(tmp_path: Path) -> None:
    with ServeProcess(tmp_path / "lineage.db", "--open") as server:
        assert Api(server.url, {}).post(text(event())).status == 201
