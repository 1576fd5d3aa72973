"""GET /jobs/runs/RUN/events: the events of a run as they were posted, newest first.

A stream sends an event each minute, so the list is not counted, and a page is short. The list goes by run id only: if
jobs of several namespaces use one run id, the events of the run's own namespace are returned, and up to a bound of
others are skipped.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from headwater.graph.names.identity import EventId
from headwater.graph.states.run import Run
from headwater.http.paging import within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store.ranges import run_event_position

DEFAULT_LIMIT = 20
MAX_LIMIT = 100
MAX_SCANNED = 2_000
"""Events that a page looks at. A client gets further events with the cursor."""


def run_events(reader: Reader, request: ApiRequest, run: Run) -> JsonObject:
    """A page of the events of a run. A page may be short, or empty, and still have a cursor."""
    page = request.page_by_cursor(DEFAULT_LIMIT, MAX_LIMIT)
    stored = reader.store.newest_events_of_run(run.run_id, MAX_SCANNED + 1, page.after, at_a_time=page.limit + 1)
    scanned: list[EventId] = []
    own: list[EventId] = []

    def events() -> Iterator[dict[str, Any]]:
        for event_id, event in islice(stored, MAX_SCANNED if page.limit else 0):
            scanned.append(event_id)
            if event is not None and event["job"]["namespace"] == run.job.namespace:
                own.append(event_id)
                yield event
            if len(own) == page.limit:
                return

    shown = within_size_limit(events())
    is_cut = len(shown) < len(own)
    if not is_cut and (not scanned or next(stored, None) is None):
        return {"events": shown}
    last = own[len(shown) - 1] if is_cut else scanned[-1]
    return {"events": shown, "cursor": page.cursor(run_event_position(last), 0)}
