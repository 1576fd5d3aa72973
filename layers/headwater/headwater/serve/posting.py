"""Posts events; with `?wait=1`, the response comes once a lookup shows them, so that a test reads its own writes."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, error_response
from headwater.ingest.routes import ROUTER, Ingest
from headwater.store.home import Inbox
from headwater.store.messages import Message

MAX_SECONDS = 5.0
PAUSE_SECONDS = 0.005
PATIENCE_SECONDS = 30.0
"""How long a key's waiting events may take to be folded before its posts are slowed down: a burst is not."""
BEHIND_PER_PAUSE = 10.0
"""Beyond that, each further ten seconds make the pause a second longer."""
MAX_PAUSE_SECONDS = 3.0
"""Clients of OpenLineage wait five seconds for an answer."""
MAX_RETRY_SECONDS = 60.0
"""The longest `Retry-After` of a batch that is refused."""


@dataclass(frozen=True)
class _Noted:
    """The inbox, and the messages that a request put into it."""

    inbox: Inbox
    messages: list[Message] = field(default_factory=list)

    def send(self, messages: Sequence[Message]) -> list[bool]:
        self.messages.extend(messages)
        return self.inbox.send(messages)


@dataclass(frozen=True)
class Posting:
    """The use case of ingest over an inbox. A parameter of another value than 1 costs no event: nobody waits."""

    ingest: Ingest
    inbox: Inbox

    def respond(self, request: ApiRequest) -> ApiResponse:
        """The response of ingest; 202 in its place if events of the request still wait after `MAX_SECONDS`. Where no
        pause slows a key down enough, its batches are refused, and its clients send them again. Single events are not:
        Spark's listener sends none again."""
        sender = request.principal.key_id
        is_batch = request.path.rstrip("/").endswith("/batch")
        if is_batch and (late := self._pause(sender) - MAX_PAUSE_SECONDS) > 0:
            seconds = math.ceil(min(MAX_RETRY_SECONDS, late * BEHIND_PER_PAUSE))
            refused = error_response(503, "too many events of this key wait already; send this batch again later")
            return replace(refused, headers={"retry-after": str(seconds)}, pause=MAX_PAUSE_SECONDS)
        if request.query.get("wait") != "1":
            response = ROUTER.respond(self.ingest, request)
            return replace(response, pause=min(MAX_PAUSE_SECONDS, self._pause(sender)))
        noted = _Noted(self.inbox)
        response = ROUTER.respond(replace(self.ingest, queue=noted), request)
        return response if self._is_visible(noted.messages) else replace(response, status=202)

    def _pause(self, sender: str) -> float:
        """For how long the answer to a sender should wait: the longer, the further the fold is behind. So a client that
        waits for each answer comes to post as fast as its events are folded."""
        return max(0.0, (self.inbox.seconds_behind(sender) - PATIENCE_SECONDS) / BEHIND_PER_PAUSE)

    def _is_visible(self, messages: Sequence[Message]) -> bool:
        end = time.monotonic() + MAX_SECONDS
        while self.inbox.holds(messages):
            if time.monotonic() > end:
                return False
            time.sleep(PAUSE_SECONDS)
        return True
