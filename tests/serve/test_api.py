"""Who may do what, by key and without keys; the routes that only a process has."""

import asyncio
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urljoin

import pytest

from headwater.process_settings import read_settings
from headwater.serve import posting
from headwater.serve.app import BEGINNING_BYTES, LARGE_AT_ONCE, WAITING_EVENTS
from headwater.serve.application import Application, Options
from headwater.serve.shares import Shares, ShareUsed
from headwater.store.sqlite.api_keys import SqliteApiKeys
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.home import SqliteHome
from tests import factory
from tests.serve.process import SECONDS, Reply, wait_for

KEY = {"Authorization": "Bearer secret"}


class Client:
    def __init__(self, application: Application) -> None:
        self.application = application

    def __call__(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] = KEY, host: str = "localhost:5000"
    ) -> Reply:
        content = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        plain, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "headers": [(k.encode(), v.encode()) for k, v in {"Host": host, **headers}.items()],
        }
        return asyncio.run(self._answer(scope, [content[:10], content[10:300_000], content[300_000:]]))

    async def _answer(self, scope: MutableMapping[str, Any], chunks: Sequence[bytes]) -> Reply:
        sent: list[MutableMapping[str, Any]] = []
        rest = iter([{"type": "http.request", "body": chunk, "more_body": chunk is not chunks[-1]} for chunk in chunks])

        async def receive() -> MutableMapping[str, Any]:
            return next(rest)

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        await self.application.app(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Reply(sent[0]["status"], headers, sent[1]["body"])


@pytest.fixture
def client(home: SqliteHome) -> Iterator[Client]:
    """An application that wants keys."""
    application = Application(home, read_settings({}), Options("http://localhost:5000"))
    application.start()
    yield Client(application)
    application.stop()


@pytest.fixture
def open_client(home: SqliteHome) -> Iterator[Client]:
    application = Application(home, read_settings({}), Options("http://localhost:5000", is_open=True))
    application.start()
    yield Client(application)
    application.stop()


def add_key(database: Database, *scopes: str, namespaces: Sequence[str] = ("*",), expires: str | None = None) -> None:
    sha = hashlib.sha256(b"secret").hexdigest()
    entry = {"id": "k", "sha256": sha, "scopes": [*scopes], "namespaces": [*namespaces], "expires": expires}
    assert SqliteApiKeys(database).add(entry)


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/api/v1/lineage"), ("GET", "/api/v1/namespaces"), ("PUT", "/api/v1/namespaces/a")]
)
def test_without_a_key_nothing_is_permitted(client: Client, method: str, path: str) -> None:
    for headers in ({}, KEY, {"x-api-key": "other"}):
        reply = client(method, path, {}, headers)
        assert (reply.status, reply.body["code"]) == (401, 401)


def test_an_expired_key_is_no_key(client: Client, database: Database) -> None:
    add_key(database, "read", expires="2026-01-01T00:00:00+00:00")
    assert client("GET", "/api/v1/namespaces").status == 401


@pytest.mark.parametrize(
    ("scope", "permitted"), [("ingest", {"POST"}), ("read", {"GET"}), ("admin", {"POST", "GET", "DELETE"})]
)
def test_a_key_permits_what_its_scopes_say(client: Client, database: Database, scope: str, permitted: set[str]) -> None:
    add_key(database, scope)
    statuses = {
        "POST": client("POST", "/api/v1/lineage", factory.run_event()).status,
        "GET": client("GET", "/api/v1/namespaces").status,
        "DELETE": client("DELETE", "/api/v1/namespaces/demo/jobs/unknown").status,
    }
    assert {method for method, status in statuses.items() if status != 403} == permitted


def test_a_key_is_for_its_namespaces(client: Client, database: Database) -> None:
    add_key(database, "ingest", "read", namespaces=["team-*"])
    assert client("POST", "/api/v1/lineage", factory.run_event()).status == 403
    mine = factory.run_event()
    mine["job"]["namespace"] = "team-a"
    assert client("POST", "/lineage", mine, {"X-Api-Key": "secret"}).status == 201


def test_whoever_waits_reads_the_own_write(open_client: Client) -> None:
    for number in range(20):
        event = factory.run_event(run=number, job=f"job {number}")
        assert open_client("POST", "/api/v1/lineage?wait=1", event).status == 201
        assert open_client("GET", f"/api/v1/namespaces/demo/jobs/job%20{number}").status == 200
    batch = [factory.run_event(run=30, job="last"), {}]
    assert open_client("POST", "/api/v1/lineage/batch?wait=1", batch).body["summary"]["failed"] == 1
    assert open_client("GET", "/api/v1/namespaces/demo/jobs/last").status == 200
    assert open_client("POST", "/lineage?wait=1", {}).status == 400


def test_whoever_waits_in_vain_is_told_so(home: SqliteHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """The application was not started: nothing is folded."""
    monkeypatch.setattr(posting, "MAX_SECONDS", 0.02)
    waiting = Client(Application(home, read_settings({}), Options("http://localhost:5000", is_open=True)))
    event = factory.run_event()
    for path, status in (("/lineage", 201), ("/lineage?wait=1", 202), ("/lineage?wait=no", 201)):
        reply = waiting("POST", path, event)
        assert (reply.status, reply.body["status"]) == (status, "accepted")


def test_the_answers_to_wrong_requests_are_those_of_the_api(open_client: Client) -> None:
    assert open_client("POST", "/api/v1/lineage", b"{").body["message"].startswith("body: not JSON")
    assert open_client("POST", "/api/v1/lineage", b"").body["message"] == "body: empty; expected JSON"
    assert open_client("POST", "/api/v1/lineage", b"\x1f\x8bno").status == 400
    assert open_client("POST", "/api/v1/lineage", b"x" * (11 * 1024 * 1024)).status == 413
    assert open_client("GET", "/nowhere").status == 404
    assert open_client("PATCH", "/api/v1/namespaces").status == 405


def test_an_event_is_taken_at_each_of_its_paths_gzipped_or_not(open_client: Client) -> None:
    for number, path in enumerate(["/", "/lineage", "/api/v1/lineage"]):
        event = json.dumps(factory.run_event(run=number, job=f"job {number}")).encode()
        assert open_client("POST", path, gzip.compress(event)).body["status"] == "accepted"
    for path in ("/lineage/batch", "/api/v1/lineage/batch"):
        assert open_client("POST", path, [factory.run_event(), {}]).body["summary"]["failed"] == 1
    wait_for(lambda: open_client("GET", "/api/v1/jobs").body["totalCount"] == 4)


def test_curation_is_in_the_next_lookup(open_client: Client) -> None:
    assert open_client("PUT", "/api/v1/namespaces/mine", {"ownerName": "me"}).status == 200
    assert open_client("GET", "/api/v1/namespaces/mine").body["ownerName"] == "me"


def test_an_answer_that_is_known_is_not_sent_again(open_client: Client) -> None:
    open_client("POST", "/api/v1/lineage?wait=1", factory.run_event())
    known = {"If-None-Match": open_client("GET", "/api/v1/jobs").headers["etag"]}
    again = open_client("GET", "/api/v1/jobs", headers=known)
    assert (again.status, again.content, again.headers["content-length"]) == (304, b"", "0")
    open_client("POST", "/api/v1/lineage?wait=1", factory.run_event(run=2, job="other"))
    assert open_client("GET", "/api/v1/jobs", headers=known | {"Accept-Encoding": "gzip"}).status == 200


@pytest.mark.parametrize(
    ("host", "headers", "status"),
    [
        ("localhost:5000", {}, 200),
        ("127.0.0.1", {"Origin": "http://localhost:3000"}, 200),
        ("[::1]:5000", {}, 200),
        ("rebound.example.com", {}, 403),
        ("", {}, 403),
        ("localhost:5000", {"Origin": "https://example.com"}, 403),
        ("localhost:5000", {"Origin": "null"}, 403),
        ("localhost:5000", {"Origin": "http://["}, 403),
    ],
)
def test_without_keys_no_page_of_another_site_reaches_the_api(
    open_client: Client, host: str, headers: Mapping[str, str], status: int
) -> None:
    assert open_client("GET", "/api/v1/namespaces", None, headers, host).status == status
    assert (open_client("POST", "/lineage", factory.run_event(), headers, host).status == 201) == (status == 200)


def test_the_page_links_to_what_there_is(open_client: Client) -> None:
    page = open_client("GET", "/")
    assert page.headers["content-type"].startswith("text/html")
    links = [part.partition('"')[0] for part in page.content.decode().split('href="')[1:]]
    assert links
    assert {open_client("GET", urljoin("/", link)).status for link in links} == {200}


def test_the_metrics_tell_what_was_received_folded_and_refused(open_client: Client) -> None:
    assert open_client("POST", "/lineage", factory.run_event()).status == 201
    assert open_client("POST", "/lineage", {}).status == 400
    wait_for(lambda: b"headwater_events_normalised_total 1\n" in open_client("GET", "/metrics", None, {}).content)
    text = open_client("GET", "/metrics", None, {}).content.decode()
    assert "headwater_events_received_total 1\n" in text
    assert "headwater_events_refused_total 1\n" in text
    assert "headwater_inbox_events 0\n" in text
    assert 'headwater_normalise_latency_seconds_bucket{producer="other",le="+Inf"} 1\n' in text
    assert open_client("GET", "/health", None, {}).body == {"status": "ok"}


def test_no_answer_has_a_secret(open_client: Client) -> None:
    event = factory.run_event("FAIL", outputs=[factory.dataset("users")])
    event["eventTime"] = datetime.now(UTC).isoformat()  # stats/set-aside has the jobs of the last week
    event["job"]["facets"] = {"sql": factory.facet(query="SELECT * FROM users WHERE password = 'hunter2'")}
    event["run"]["facets"] = {
        "environmentVariables": factory.facet(environmentVariables=[{"name": "DB_PASSWORD", "value": "hunter2"}]),
        "errorMessage": factory.facet(message="cannot open jdbc:postgresql://etl:hunter2@db/shop"),
    }
    assert open_client("POST", "/api/v1/lineage", event).status == 201
    source = {"type": "POSTGRESQL", "connectionUrl": "jdbc:postgresql://etl:hunter2@db/shop"}
    assert open_client("PUT", "/api/v1/sources/shop", source).body["connectionUrl"].endswith("***@db/shop")
    job, run = "namespaces/demo/jobs/load", f"jobs/runs/{factory.run_id(1)}"
    wait_for(lambda: open_client("GET", f"/api/v1/{run}").status == 200)
    paths = [job, run, f"{run}/facets?type=run", "events/lineage", "sources", "alerts", "stats/set-aside"]
    answers = [json.dumps(open_client("GET", f"/api/v1/{path}").body) for path in paths]
    assert not [path for path, answer in zip(paths, answers, strict=True) if "hunter2" in answer]
    assert "***password***" in answers[0]
    assert "job.facets.sql.query: redacted password" in answers[-1]


def test_a_full_disk_is_no_good_health(open_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    assert open_client("GET", "/health").status == 200
    monkeypatch.setattr(Database, "free_bytes", 4096)
    reply = open_client("GET", "/health")
    assert (reply.status, reply.body["message"]) == (
        503,
        "the disk of the file is full: 4096 bytes are free; make room",
    )
    assert "headwater_disk_free_bytes 4096" in open_client("GET", "/metrics").content.decode()


def test_no_answer_is_kept_by_others_or_taken_for_another_type(open_client: Client) -> None:
    for method, path, body in (
        ("GET", "/api/v1/namespaces", None),
        ("GET", "/api/v1/nothing", None),
        ("POST", "/api/v1/lineage", factory.run_event()),
        ("POST", "/api/v1/lineage", {}),
        ("GET", "/health", None),
        ("GET", "/", None),
    ):
        headers = open_client(method, path, body).headers
        assert headers["x-content-type-options"] == "nosniff", path
        assert headers["cache-control"] in ("no-store", "private, no-cache", "no-cache"), path
    assert open_client("GET", "/api/v1/namespaces").headers["cache-control"] == "private, no-cache"
    assert open_client("POST", "/api/v1/lineage", {}).headers["cache-control"] == "no-store"


def test_a_key_whose_requests_wait_already_is_told_when_to_come_again(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_key(database, "ingest", "read")
    assert client("GET", "/api/v1/namespaces").status == 200

    async def full(*_: object) -> None:
        raise ShareUsed

    monkeypatch.setattr(Shares, "run", full)
    refused = [client("GET", "/api/v1/namespaces"), client("POST", "/api/v1/lineage", factory.run_event())]
    assert [(reply.status, reply.headers["retry-after"]) for reply in refused] == [(429, "1"), (503, "1")]
    assert all("of this key wait" in reply.body["message"] for reply in refused)


@pytest.mark.parametrize(("behind", "pauses"), [(30.0, []), (35.0, [0.5]), (9_000.0, [posting.MAX_PAUSE_SECONDS])])
def test_a_key_whose_events_wait_for_long_gets_its_answers_later(
    client: Client, monkeypatch: pytest.MonkeyPatch, behind: float, pauses: list[float]
) -> None:
    home = client.application._home
    add_key(home.database, "ingest")  # type: ignore[attr-defined]
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    monkeypatch.setattr(home.inbox, "seconds_behind", lambda sender: behind if sender == "k" else 0)
    assert client("POST", "/api/v1/lineage", factory.run_event()).status == 201
    assert slept == pauses


@pytest.mark.parametrize(("behind", "status", "again"), [(60.0, 200, None), (62.5, 503, "3"), (9_000.0, 503, "60")])
def test_a_batch_of_a_key_that_is_too_far_ahead_is_refused(
    client: Client, monkeypatch: pytest.MonkeyPatch, behind: float, status: int, again: str | None
) -> None:
    home = client.application._home
    add_key(home.database, "ingest")  # type: ignore[attr-defined]
    monkeypatch.setattr(posting, "MAX_PAUSE_SECONDS", 0)
    monkeypatch.setattr(posting, "PATIENCE_SECONDS", 60)
    monkeypatch.setattr(home.inbox, "seconds_behind", lambda _: behind)
    for path in ("/api/v1/lineage/batch", "/lineage/batch?wait=1"):
        reply = client("POST", path, [factory.run_event()])
        assert (reply.status, reply.headers.get("retry-after")) == (status, again)
    assert home.inbox.depth() == 0 or status == 200
    assert client("POST", "/lineage", factory.run_event()).status == 201


class Large:
    """A request whose body comes in pieces, the rest of it once `goes_on`; `pieces` counts those that were taken."""

    PIECE = b" " * 65_536

    def __init__(self, client: Client, key: str) -> None:
        self.goes_on = asyncio.Event()
        self.pieces, self.sent = 0, list[MutableMapping[str, Any]]()
        headers = [(b"host", b"localhost"), (b"x-api-key", key.encode())]
        scope = {"type": "http", "method": "POST", "raw_path": b"/api/v1/lineage", "query_string": b""}
        self.task = asyncio.ensure_future(
            client.application.app({**scope, "headers": headers}, self._receive, self._send)
        )

    async def _receive(self) -> MutableMapping[str, Any]:
        if self.is_beyond_beginning:
            await self.goes_on.wait()
        self.pieces += 1
        return {"type": "http.request", "body": self.PIECE, "more_body": not self.goes_on.is_set()}

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        self.sent.append(message)

    @property
    def is_beyond_beginning(self) -> bool:
        return self.pieces * len(self.PIECE) > BEGINNING_BYTES


def test_bodies_do_not_fill_the_memory(client: Client, database: Database) -> None:
    """Of a request without a valid key only the beginning is read, and of one key eight are read at a time."""
    add_key(database, "ingest")

    async def scene() -> None:
        stranger = Large(client, "guess")
        await asyncio.wait_for(stranger.task, SECONDS)
        assert (stranger.sent[0]["status"], stranger.is_beyond_beginning) == (401, True)
        requests = [Large(client, "secret") for _ in range(LARGE_AT_ONCE + 1)]
        while not all(request.is_beyond_beginning for request in requests):  # noqa: ASYNC110
            await asyncio.sleep(0)
        (reading,) = client.application.app._large.values()
        assert reading.locked()
        requests[-1].goes_on.set()
        pieces = requests[-1].pieces
        for _ in range(100):
            await asyncio.sleep(0)
        assert requests[-1].pieces == pieces, "it waits for one of the eight"
        requests[0].goes_on.set()
        await asyncio.wait_for(requests[-1].task, SECONDS)
        for request in requests:
            request.goes_on.set()
            await asyncio.wait_for(request.task, SECONDS)
            assert request.sent[0]["status"] == 400, "spaces are no event"

    asyncio.run(scene())


def test_posts_that_pause_count_among_those_of_a_key_that_wait(client: Client, database: Database) -> None:
    add_key(database, "ingest")
    client.application.app._paused["secret"] = WAITING_EVENTS
    assert client("POST", "/api/v1/lineage", factory.run_event()).status == 503
    client.application.app._paused["secret"] -= 1
    assert client("POST", "/api/v1/lineage", factory.run_event()).status == 201


def test_a_key_that_becomes_known_while_a_body_is_cut_gets_no_400(
    client: Client, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_key(database, "ingest")
    monkeypatch.setattr(type(client.application.app._api), "is_known", lambda *_: False)
    event = json.dumps(factory.run_event()).encode()
    assert client("POST", "/api/v1/lineage", event + b" " * 2 * BEGINNING_BYTES).status == 401
    assert client("POST", "/api/v1/lineage", event).status == 201
