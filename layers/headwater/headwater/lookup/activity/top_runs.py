"""GET /runs: the runs without a parent, by the time of their end or else of their start, newest first.

A run that another run started is no entry of its own: its failure is shown with the run at the top.
"""

from collections.abc import Collection, Sequence

from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobRunId
from headwater.graph.states.run import Run, RunState
from headwater.http.request import ApiRequest
from headwater.lookup.activity.newest import newest_page
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import milliseconds_between, shown
from headwater.read.reader import Reader
from headwater.store.ranges import Entry

MAX_MESSAGE = 1_000
"""Characters of an error message. A message may be a long stack trace."""
DOCTOR = "https://github.com/headwater-lineage/headwater/doctor"
"""The producer of canaries (cli/doctor/canary.py), which are nobody's runs."""


def top_runs(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the runs in some states. The doctor's canaries are left out, unless a producer is asked for."""
    lists = [listing for outcome in _states(request) for listing in reader.store.top_runs(outcome)]
    producer = request.query.get("producer", "").lower()

    def by_producer(entries: Sequence[Entry[JobRunId]]) -> Collection[JobRunId]:
        runs = reader.runs([entry.id for entry in entries])
        return {run.id for run in runs if producer in run.producer.value.lower()}

    ids, cursor = newest_page(lists, request, namespaces, by_producer if producer else None)
    runs = [run for run in reader.runs(ids) if producer or run.producer.value != DOCTOR]
    return {"runs": _shown(reader, runs), **cursor}


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
