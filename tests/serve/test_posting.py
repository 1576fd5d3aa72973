"""Whoever waits for answers comes to post what is folded for its key, in batches or one by one."""

from itertools import count
from typing import Any

import pytest

from headwater.http.request import UNIDENTIFIED, ApiRequest
from headwater.http.response import ApiResponse
from headwater.openlineage.instant import Instant
from headwater.serve import posting
from headwater.serve.posting import BEHIND_PER_PAUSE, MAX_PAUSE_SECONDS, PATIENCE_SECONDS, Posting
from headwater.store.messages import Message, ReceivedMessage
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.inbox import SqliteInbox

FOLDED, TAKEN_IN = 20, 100
"""Events a second."""
MOST_SECONDS = PATIENCE_SECONDS + MAX_PAUSE_SECONDS * BEHIND_PER_PAUSE


class Posts:
    """Posts events without reading them, and counts seconds without waiting for them."""

    def __init__(self, database: Database) -> None:
        database.never_wait_for_disk()
        self.now = 1_800_000_000.0
        self.database, self.inbox = database, SqliteInbox(database, clock=lambda: self.now)
        self._numbers = map(str, count())

    def respond(self, _: Any, request: ApiRequest) -> ApiResponse:
        received = ReceivedMessage("", Instant("2026-11-20T08:00:00.000000000Z"))
        sender = request.principal.key_id
        numbers = [next(self._numbers) for _ in request.body]
        events = [Message("", number, number, received, sender) for number in numbers]
        return ApiResponse(200 if all(self.inbox.send(events)) else 503, {})

    def fold(self) -> None:
        taken = self.inbox.take(FOLDED)
        with self.database.writing() as connection:
            self.inbox.remove(connection, [message.number for message in taken])


@pytest.mark.parametrize(("connections", "events"), [(1, 1), (50, 1), (1, 40), (8, 5), (8, 40), (8, 200)])
def test_an_inbox_is_as_long_as_what_is_folded_in_a_minute(
    database: Database, monkeypatch: pytest.MonkeyPatch, connections: int, events: int
) -> None:
    posts, statuses, depths = Posts(database), set[int](), list[int]()
    monkeypatch.setattr(posting, "ROUTER", posts)
    use_case = Posting(posts, posts.inbox)  # type: ignore[arg-type]
    path = "/api/v1/lineage/batch" if events > 1 else "/api/v1/lineage"
    request = ApiRequest(UNIDENTIFIED, "POST", path, {}, body=b"." * events)
    free_at = [0.0] * connections
    for second in range(200):
        posts.now += 1
        posts.fold()
        for connection in range(connections):
            while free_at[connection] < second:
                answer = use_case.respond(request)
                statuses.add(answer.status)
                answered = max(answer.pause, events * connections / TAKEN_IN)
                free_at[connection] += answered + int(answer.headers.get("retry-after", 0))
        depths.append(posts.inbox.depth())
    assert max(depths) <= MOST_SECONDS * FOLDED + events * connections
    assert min(depths[60:]) > 0, "nobody is slowed down more than that"
    assert statuses == {200, 503} if connections * events > FOLDED * MAX_PAUSE_SECONDS else {200}
