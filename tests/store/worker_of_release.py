"""The functions of one release, in a process of their own, on a file that other releases work on, too.

`python worker_of_release.py FILE FORMS` reads a line of JSON for each call and answers with one:

    ["fold", [EVENT...]]         normalises and folds events, each {"event": ..., "receivedAt": ...}
    ["announce"]                 turns the changes of items into alerts, and answers with their ids
    ["answer", [PATH...]]        answers lookups, with {"status": ..., "body": ...} for each

An item that the release cannot read is answered {"corrupt": its kind}. With the variable NEXT_RELEASE, this is the
release after this one: it brings a new form of jobs, and reads both.
"""

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from headwater.store import table

if "NEXT_RELEASE" in os.environ:
    table.FORMS += 1

from headwater.access.principal import Principal
from headwater.alerts.alert import Alert
from headwater.alerts.announce import Announcer
from headwater.fold.fold import fold
from headwater.graph.names.naming import Naming
from headwater.graph.names.thresholds import Thresholds
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.http.request import ApiRequest
from headwater.lookup.routes import Lookups, respond
from headwater.openlineage import exact_json
from headwater.openlineage.instant import Instant
from headwater.store.errors import CorruptItem
from headwater.store.graph_store import GraphReader, GraphStore
from headwater.store.items.codec import unchanged
from headwater.store.items.jobs import JOB_WITHOUT_USAGES
from headwater.store.kinds import CODECS
from headwater.store.sqlite.bodies import SqliteBodies
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.outbox import SqliteOutbox
from headwater.store.sqlite.table import SqliteTable

ANYONE = Principal("test", frozenset({"read"}), ("*",))


class Worker:
    """The functions normalise, alerts and lookup, each for one call: what a file keeps in memory is of one process."""

    def __init__(self, database: Database, forms: Sequence[int]) -> None:
        self._outbox, self._bodies = SqliteOutbox(database), SqliteBodies(database)
        self._table = SqliteTable(database, self._outbox)
        self._store = GraphStore(self._table, table.Retention(timedelta(days=90), timedelta(days=30), *forms))
        self._sent: list[str] = []

    def fold(self, events: Sequence[Mapping[str, Any]]) -> None:
        with self._table.transaction() as transaction:
            for line in events:
                event = normalise_event(exact_json.dumps(line["event"]), Naming(), Instant(line["receivedAt"]))
                fold([event], self._store.on(transaction), Thresholds(300_000, {}))

    def announce(self) -> list[str]:
        self._sent = []
        while records := self._outbox.take():
            assert Announcer(self._store, self._bodies, self, Naming(), _fail).announce(records).failed is None
            self._outbox.remove_before(None, records)
        return self._sent

    def put(self, alerts: Sequence[Alert]) -> None:
        self._sent += [alert.id for alert in alerts]

    def answer(self, paths: Sequence[str]) -> list[Any]:
        return list(map(self._answer, paths))

    def _answer(self, path: str) -> Any:
        url = urlsplit(path)
        query = dict(parse_qsl(url.query))
        lists = {name: (value,) for name, value in query.items()}
        request = ApiRequest(
            ANYONE, "GET", f"/api/v1/{url.path}", query, lists, received_at=datetime(2026, 11, 24, tzinfo=UTC)
        )
        return json.loads(respond(Lookups(GraphReader(self._table), Naming(), _fail), request).to_gateway()["body"])


def bring_a_new_form() -> None:
    """A version of jobs that the release before refuses, with the step back to the version that it knows."""
    for codec in CODECS.values():
        object.__setattr__(codec, "former", None)  # the step back of this release goes with the next
    for codec in (CODECS["job"], JOB_WITHOUT_USAGES):
        object.__setattr__(codec, "upgrades", (*codec.upgrades, unchanged))
        object.__setattr__(codec, "former", lambda item: item)


def _fail(message: str, error: BaseException, *, run: str | None = None) -> None:
    raise error


def main() -> None:
    file, *forms = sys.argv[1:]
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        with closing(Database(Path(file))) as database:
            worker = Worker(database, list(map(int, forms)))
            try:
                answer = {"answer": getattr(worker, name)(*arguments)}
            except CorruptItem as fault:
                answer = {"corrupt": fault.member}
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    if "NEXT_RELEASE" in os.environ:
        bring_a_new_form()
    main()
