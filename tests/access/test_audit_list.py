"""GET /audit lists the entries for administrators of all namespaces, page by page, for what a page holds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from headwater.access.principal import Principal
from headwater.graph.states.audit import AuditEntry
from headwater.http.audit import audit_entry
from headwater.http.request import ApiRequest, AuditAnnotations
from headwater.lookup.activity import audit
from headwater.openlineage.instant import instant_of
from headwater.store.audit_log import AuditLog
from headwater.store.graph_store import GraphReader
from headwater.store.keys import AUDIT_SHARDS
from headwater.store.memory import MemoryTable
from headwater.store.table import Item
from tests.access.teams import ROOT, A, B
from tests.lookup.requests import NOON, LookupClient

DAY = timedelta(days=1)


def entry(number: int, at: datetime = NOON, **members: Any) -> AuditEntry:
    request = ApiRequest(B, "GET", "/api/v1/namespaces", {}, received_at=at, request_id=f"r{number:04}")
    return replace(audit_entry(replace(request, annotations=AuditAnnotations(B)), 200), **members)


def log_of(*entries: AuditEntry) -> MemoryTable:
    table = MemoryTable()
    AuditLog(table).write(*entries)
    return table


def ids(page: Any) -> list[str]:
    return [entry["requestId"] for entry in page["entries"]]


@pytest.fixture
def client() -> LookupClient:
    """Entries of three days, a minute apart, of two keys and a person."""
    callers = [("a", ""), ("b", ""), ("person ann", "sub-1")]
    made = []
    for number in range(60):
        caller, subject = callers[number % 3]
        method = "POST" if number % 10 == 0 else "GET"
        at = NOON - (number % 3) * DAY - timedelta(minutes=number)
        made.append(entry(number, at, caller=caller, subject=subject, method=method, namespaces=(f"team-{caller}",)))
    return LookupClient(log_of(*made), ROOT, at=NOON)


def pages(client: LookupClient, **query: Any) -> Iterator[Any]:
    page = client("audit", **query)
    yield page
    while "cursor" in page:
        page = client("audit", **query, cursor=page["cursor"])
        yield page


@pytest.mark.parametrize("limit", [1, 7, 20, 59, 60, 61])
def test_pages_have_every_entry_once_the_newest_first(client: LookupClient, limit: int) -> None:
    listed = [entry for page in pages(client, limit=limit) for entry in page["entries"]]
    assert len(listed) == 60
    assert len({entry["requestId"] for entry in listed}) == 60
    times = [entry["time"] for entry in listed]
    assert times == sorted(times, reverse=True)
    assert all(page["entries"] for page in pages(client, limit=limit)), "no page is empty"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"key": "a"}, 20),
        ({"key": "person ann"}, 20),
        ({"key": "sub-1"}, 20),
        ({"key": "nobody"}, 0),
        ({"key": ""}, 0),
        ({"namespace": "team-b"}, 20),
        ({"namespace": "team"}, 0),
        ({"method": "post"}, 6),
        ({"changes": "true"}, 6),
        ({"changes": "true", "key": "a"}, 2),
        ({"after": "2026-11-20T00:00:00Z"}, 20),
        ({"before": "2026-11-19T00:00:00Z"}, 20),
        ({"after": "2026-11-19T00:00:00Z", "before": "2026-11-20T00:00:00Z"}, 20),
    ],
)
def test_a_filter_leaves_out_what_was_not_asked_for(client: LookupClient, query: dict[str, str], count: int) -> None:
    assert len([entry for page in pages(client, limit=3, **query) for entry in page["entries"]]) == count


def test_times_are_bounds_from_the_first_on_and_before_the_second() -> None:
    client = LookupClient(log_of(entry(1), entry(2, NOON + timedelta(seconds=1))), ROOT)
    assert ids(client("audit", after="2026-11-20T12:00:00Z", before="2026-11-20T12:00:01Z")) == ["r0001"]


@pytest.mark.parametrize(
    ("namespace", "members"),
    [
        ("team-b", {"path": "/api/v1/namespaces/team-b/jobs/x", "status": 403}),
        ("s3://b-lake", {"path": "/api/v1/namespaces/s3:%2F%2Fb-lake", "status": 403}),
        ("s3://b-lake", {"path": "/lineage", "query": {"nodeId": "dataset:s3://b-lake:orders"}, "status": 403}),
        ("team-b", {"path": "/search", "query": {"namespace": "team-b"}, "status": 403}),
    ],
)
def test_a_refused_request_is_found_by_the_namespace_that_it_names(namespace: str, members: dict[str, Any]) -> None:
    assert ids(LookupClient(log_of(entry(1, **members), entry(2)), ROOT)("audit", namespace=namespace)) == ["r0001"]


ADMIN = frozenset({"admin"})


@pytest.mark.parametrize(
    "caller",
    [
        A,
        B,
        Principal("reader of all", frozenset({"read"}), ("*",)),
        Principal("producer of all", frozenset({"ingest", "read", "curate"}), ("*",)),
        Principal("administrator of a", ADMIN, A.namespaces),
        Principal("administrator of a who reads all", ADMIN, A.namespaces, reads=("*",)),
        Principal("administrator of a who writes all", ADMIN, A.namespaces, writes=("*",)),
        Principal("administrator of many", ADMIN, ("team-*", "s3://*", "**")),
        Principal("nobody", frozenset(), ("*",)),
    ],
    ids=lambda caller: caller.key_id,
)
@pytest.mark.parametrize("path", ["audit", "/audit", "/api/v1/audit/", "/api/v1/audit"])
def test_nobody_else_reads_the_audit(client: LookupClient, caller: Principal, path: str) -> None:
    status, body = LookupClient(client.table, caller).answer(path, limit=1)
    assert status == 403
    assert "entries" not in body


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "bm9uZQ",
        *("eyJhZnRlciI6IiIsInRvdGFsIjowfQ", "eyJhZnRlciI6Ii4uIiwidG90YWwiOjB9", "eyJhZnRlciI6MSwidG90YWwiOjB9"),
    ],
)
def test_a_cursor_that_no_answer_had_is_refused(client: LookupClient, cursor: str) -> None:
    assert client.refusal("audit", cursor=cursor) == "cursor"


@pytest.mark.parametrize("after", ["2026-02-31", "0000-00-00", "9999-99-99", "2026-11-20T99:99:99.999999999Z#x"])
def test_a_cursor_of_no_day_of_the_calendar_lists_what_is_before_it(client: LookupClient, after: str) -> None:
    answer = client("audit", cursor=ApiRequest(ROOT, "GET", "/audit", {}).page().cursor(after, 0))
    assert len(answer["entries"]) in (0, 60, 40)


@pytest.mark.parametrize(
    ("parameter", "text"),
    [("offset", "1"), ("after", "yesterday"), ("before", "x"), ("changes", "perhaps"), ("limit", "-1")],
)
def test_a_wrong_parameter_is_named(client: LookupClient, parameter: str, text: str) -> None:
    assert client.refusal("audit", **{parameter: text}) == parameter


class CountingTable(MemoryTable):
    def __init__(self) -> None:
        super().__init__()
        self.partitions: Counter[str] = Counter()
        self.read_items = 0

    def newest_items(self, pk: str, after: str, before: str, limit: int) -> Iterator[Item]:
        self.partitions[pk[:16]] += 1
        for number, item in enumerate(super().newest_items(pk, after, before, limit)):
            self.read_items += limit if number % limit == 0 else 0
            yield item


def counting(entries: int, days: int = 1) -> CountingTable:
    table = CountingTable()
    made = [entry(number, NOON - (number % days) * DAY - timedelta(seconds=number)) for number in range(entries)]
    AuditLog(table).write(*made)
    return table


def test_a_page_costs_what_it_holds_within_its_day() -> None:
    table = counting(2_000)
    client = LookupClient(table, ROOT)
    first = client("audit", limit=100, after="2026-11-20T00:00:00Z")
    assert len(first["entries"]) == 100
    assert table.read_items <= 300
    table.read_items = 0
    client("audit", limit=100, after="2026-11-20T00:00:00Z", cursor=first["cursor"])
    assert table.read_items <= 300, "a later page costs no more"


def test_a_page_reads_each_shard_of_the_days_that_it_shows_and_of_no_other() -> None:
    table = counting(1_000, days=5)
    page = LookupClient(table, ROOT)("audit", limit=250)
    assert {entry["time"][:10] for entry in page["entries"]} == {"2026-11-20", "2026-11-19"}
    assert table.partitions == dict.fromkeys(
        ["AUDIT#2026-11-21", "AUDIT#2026-11-20", "AUDIT#2026-11-19"], len(AUDIT_SHARDS)
    )


def test_the_entries_of_a_day_are_in_all_shards() -> None:
    sizes = Counter(key.pk for key in counting(1_000).items)
    assert len(sizes) == len(AUDIT_SHARDS)
    assert max(sizes.values()) < 330


def test_a_page_ends_early_after_many_entries_that_were_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_SCANNED", 100)
    client = LookupClient(log_of(*(entry(number, NOON - timedelta(seconds=number)) for number in range(250))), ROOT)
    answers = list(pages(client, key="nobody"))
    assert [answer["entries"] for answer in answers] == [[], [], []]
    assert [answer.get("truncated", False) for answer in answers] == [True, True, False]


def test_a_page_ends_early_after_its_time_and_goes_on_the_day_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "MAX_SECONDS", -1)
    client = LookupClient(log_of(*(entry(number, NOON - number * DAY) for number in range(3))), ROOT)
    answers = list(pages(client, after="2026-11-18T00:00:00Z"))
    assert [id_ for answer in answers for id_ in ids(answer)] == ["r0000", "r0001", "r0002"]
    assert [len(answer["entries"]) for answer in answers] == [0, 1, 1, 1, 0]


def test_an_entry_is_shown_without_what_it_lacks() -> None:
    made = entry(1, namespaces=("a", "b"), namespace_count=5, events=None, node="job:a:b")
    assert LookupClient(log_of(made), ROOT)("audit")["entries"] == [
        {
            "time": "2026-11-20T12:00:00Z",
            "requestId": "r0001",
            "key": "b",
            "method": "GET",
            "path": "/api/v1/namespaces",
            "status": 200,
            "namespaces": ["a", "b"],
            "moreNamespaces": 3,
            "node": "job:a:b",
        }
    ]


def test_entries_older_than_a_year_are_not_listed_though_they_are_still_stored() -> None:
    """DynamoDB removes an expired item within days."""
    client = LookupClient(log_of(entry(1, NOON - 370 * DAY), entry(2, NOON - 360 * DAY)), ROOT)
    assert ids(client("audit", after="2020-01-01T00:00:00Z")) == ["r0002"]


def test_the_answer_says_whether_requests_become_entries() -> None:
    assert LookupClient(MemoryTable(), ROOT)("audit") == {"entries": [], "isAudited": False}


def test_a_damaged_entry_is_left_out_and_reported() -> None:
    table = log_of(entry(1), entry(2))
    key = next(key for key in table.items if "r0001" in key.sk)
    table.items[key] = replace(table.items[key], parts={"doc": b"x"})
    faults: list[Any] = []
    reader = GraphReader(table).for_one_request(faults.append)
    found = reader.audit_entries(instant_of(NOON)[:10], after="", before="9", limit=10)
    assert [entry.request_id for entry in found] == ["r0002"]
    assert len(faults) == 1
