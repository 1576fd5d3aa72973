"""GET /runs: the runs without a parent, by the time of their end or else of their start, newest first.

A run that another run started is no entry of its own: its failure is shown with the run at the top. The entries of a
list have the namespace, so that other namespaces are passed over without a read. A run has to be read for its producer.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from heapq import merge
from typing import Any

from headwater.concurrent import concurrent_map
from headwater.graph.facets import facet_text
from headwater.graph.identity import JobRunId, NamespaceId, namespace_id
from headwater.graph.register import values
from headwater.graph.run import Run, RunState
from headwater.http.paging import chunked
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import milliseconds_between, shown
from headwater.read.reader import Reader
from headwater.store.positions import namespace_of
from headwater.store.ranges import Entry, Listing

MAX_SCANNED = 5_000
"""Entries of other namespaces that a request passes over."""
MAX_READ = 1_000
"""Runs that a request reads for their producer."""
MAX_MESSAGE = 1_000
"""Characters of an error message. A message may be a long stack trace."""
READ_AT_A_TIME = 100


@dataclass
class _Scan:
    """The entries of the lists that fit a request.

    namespaces  the ids of the namespaces that count, None for every namespace
    producer    a part of the producer's URL, in lower case
    last        the position of the last scanned entry
    is_cut      whether the scan ended at a bound
    """

    reader: Reader
    namespaces: Collection[NamespaceId] | None
    producer: str
    last: str = ""
    is_cut: bool = False
    runs: dict[JobRunId, Run] = field(default_factory=dict)

    def fitting(self, entries: Iterator[Entry[JobRunId]]) -> Iterator[Entry[JobRunId]]:
        scanned = 0
        for chunk in chunked(entries, READ_AT_A_TIME):
            visible = [entry for entry in chunk if self._is_of_namespaces(entry)]
            made = self._by_producer(visible)
            for entry in chunk:
                self.last = entry.position
                if entry in made:
                    yield entry
            scanned += len(chunk)
            if scanned >= MAX_SCANNED or len(self.runs) >= MAX_READ:
                self.is_cut = len(chunk) == READ_AT_A_TIME
                return

    def _is_of_namespaces(self, entry: Entry[JobRunId]) -> bool:
        return self.namespaces is None or namespace_of(entry.position) in self.namespaces

    def _by_producer(self, entries: Sequence[Entry[JobRunId]]) -> Sequence[Entry[JobRunId]]:
        if not self.producer:
            return entries
        self.runs |= {run.id: run for run in self.reader.runs([entry.id for entry in entries])}
        runs = [(entry, self.runs.get(entry.id)) for entry in entries]
        return [entry for entry, run in runs if run and self.producer in run.producer.value.lower()]


def top_runs(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the runs in some states. The list is not counted: a count would cost the whole list."""
    page = request.page_by_cursor()
    after, before = request.time("after"), request.time("before")
    end = min(bound for bound in (before, page.after, "~") if bound)
    lists = [listing for outcome in _states(request) for listing in reader.store.top_runs(outcome)]
    of_lists = concurrent_map(lambda listing: _newest(listing, after, end, page.limit), lists)
    entries = merge(*of_lists, key=lambda entry: entry.position, reverse=True)
    ids = None if namespaces is None else set(map(namespace_id, namespaces))
    scan = _Scan(reader, ids, request.query.get("producer", "").lower())
    found: list[Entry[JobRunId]] = []
    more = False
    for entry in scan.fitting(entries):
        more = len(found) == page.limit
        if more:
            break
        found.append(entry)
    runs = {run.id: run for run in reader.runs([entry.id for entry in found])}
    answer: dict[str, Any] = {"runs": _shown(reader, [runs[entry.id] for entry in found if entry.id in runs])}
    position = found[-1].position if more and found else scan.last if scan.is_cut else ""
    return answer | ({"cursor": page.cursor(position, 0)} if position else {})


def _newest(listing: Listing[JobRunId], after: str | None, before: str, limit: int) -> Iterator[Entry[JobRunId]]:
    """The entries of one list. The first call is made now, beside those of the other lists."""
    entries = listing.entries(after=after, before=before, newest_first=True, limit=max(limit + 1, READ_AT_A_TIME))
    first = next(entries, None)
    return iter(()) if first is None else _chained(first, entries)


def _chained(first: Entry[JobRunId], rest: Iterator[Entry[JobRunId]]) -> Iterator[Entry[JobRunId]]:
    yield first
    yield from rest


def _states(request: ApiRequest) -> Collection[RunState]:
    named = {state.upper() for state in request.values("state")}
    if named - set(RunState):
        raise InvalidRequest(Fault("state", f"expected some of {', '.join(RunState)}"))
    return [state for state in RunState if not named or state in named]


def _shown(reader: Reader, runs: Sequence[Run]) -> list[JsonObject]:
    children = {run.id: run.failed_children[0].id for run in runs if run.failed_children and not _message(run)}
    failed = {run.id: run for run in reader.runs(list(children.values()))} if children else {}
    messages = {run.id: _message(run) or _message(failed.get(children.get(run.id, run.id))) for run in runs}
    return [_as_json(run, messages[run.id]) for run in runs]


def _message(run: Run | None) -> str | None:
    message = facet_text(values(run.facets), "errorMessage", "message") if run else None
    return message[:MAX_MESSAGE] if message else None


def _as_json(run: Run, message: str | None) -> JsonObject:
    started, ended = None if run.state is RunState.NEW else run.started_at, run.ended_at
    return {
        "id": run.run_id,
        "job": run.job.as_json(),
        "state": run.outcome.value,
        "ownState": run.state.value,
        "startedAt": shown(started) if started else None,
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(started, ended) if started and ended else None,
        "producer": run.producer.value or None,
        "message": message,
        "failedChildren": [{"runId": child.run_id, "job": child.job.as_json()} for child in run.failed_children],
    }
