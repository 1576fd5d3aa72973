"""GET /runs: the runs without a parent, by the time of their end or else of their start, newest first.

A run that another run started is not an entry: its failure is shown with the run at the top. Nor is a run at the top
that never reported: only its children are known, and they stand for it. Its own item is listed as RUNNING, or as FAILED
if it has a failed child, by the start of its first child.
"""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import islice

from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import called, is_among
from headwater.graph.facets.members import environment_of, query_of, runtime_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobRunId
from headwater.graph.states.run import ParentRef, Run, RunState
from headwater.http.request import ApiRequest
from headwater.lookup.activity.newest import merged, newest_page, of_namespaces
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, milliseconds_between, moved_back, shown
from headwater.read.reader import Reader
from headwater.read.run_end import messages_of, silences
from headwater.store.ranges import Entry, top_run_position

LOOK_BACK, MAX_LOOKED_BACK = timedelta(days=1), 300
"""How long before the time `after`, and among how many runs, those are looked for that never reported and have started
others since."""
MAX_CHILDREN = 50
"""The newest children that stand for a run that never reported."""
LEVELS = 10
"""Levels of parents between a failed run and the run at the top."""
DOCTOR = "https://github.com/headwater-lineage/headwater/doctor"
"""The producer of canaries (cli/doctor/canary.py), which are nobody's runs."""
UNREPORTED = frozenset({RunState.RUNNING, RunState.FAILED})
"""The lists that have the runs that never reported. Those in the list of failures have failed children."""


def top_runs(reader: Reader, request: ApiRequest, namespaces: Collection[str] | None) -> JsonObject:
    """A page of the runs in some states. The doctor's canaries are left out, unless a producer is asked for."""
    states = _states(request)
    searched = states if states in (frozenset(RunState), frozenset({RunState.FAILED})) else states | UNREPORTED
    lists = [listing for outcome in sorted(searched) for listing in reader.store.top_runs(outcome)]
    producer, tag = request.query.get("producer", "").lower(), request.query.get("tag")

    def fits(run: Run) -> bool:
        has_tag = not tag or is_among(tag, run.tags)
        return has_tag and run.outcome in states and producer in run.producer.value.lower()

    def fitting(entries: Sequence[Entry[JobRunId]]) -> Collection[JobRunId]:
        return {run.id for run in reader.runs([entry.id for entry in entries]) if not run.last or fits(run)}

    ids, cursor = newest_page(lists, request, namespaces, fitting if producer or tag or searched != states else None)
    listed = [run for run in reader.runs(ids) if producer or run.producer.value != DOCTOR]
    in_place = [*filter(fits, _in_place_of(reader, [run for run in listed if not run.last], states))]
    after = request.time("after")
    if after and not cursor:
        before = request.time("before") or "~"
        earlier = _in_place_of(reader, _unreported_before(reader, after, searched, namespaces), states)
        in_place += [run for run in earlier if fits(run) and after <= run.outcome_at < before]
    shown = {run.id: run for run in (*(run for run in listed if run.last), *in_place)}
    return {"runs": _shown(reader, shown.values(), instant_of(request.received_at)), **cursor}


def _unreported_before(
    reader: Reader, after: Instant, states: Collection[RunState], namespaces: Collection[str] | None
) -> list[Run]:
    """The runs of the day before a time that never reported: they may have started others since, which have no list."""
    lists = [listing for outcome in sorted(UNREPORTED & {*states}) for listing in reader.store.top_runs(outcome)]
    entries = filter(of_namespaces(namespaces), merged(lists, moved_back(after, LOOK_BACK), after, MAX_LOOKED_BACK))
    return [run for run in reader.runs([entry.id for entry in islice(entries, MAX_LOOKED_BACK)]) if not run.last]


def _states(request: ApiRequest) -> frozenset[RunState]:
    named = {state.upper() for state in request.values("state")}
    if named - set(RunState):
        raise InvalidRequest(Fault("state", f"expected some of {', '.join(RunState)}"))
    return frozenset(state for state in RunState if not named or state in named)


def _in_place_of(reader: Reader, unreported: Sequence[Run], states: Collection[RunState]) -> Iterator[Run]:
    """The runs that stand for runs that never reported: those that failed, which take a call for each level, and of
    other states the children, which take a call for each run."""
    if not unreported:
        return
    yield from _failed_at_top(reader, {child.id for run in unreported for child in run.failed_children})
    if set(states) - {RunState.FAILED, RunState.ABORTED}:
        entries = concurrent_map(partial(_newest_children, reader), unreported)
        children = reader.runs([entry.id for of_run in entries for entry in of_run])
        yield from (child for child in children if any(child.is_child_of(run) for run in unreported))


def _newest_children(reader: Reader, run: Run) -> list[Entry[JobRunId]]:
    children = reader.store.children_of(run.run_id)
    return list(islice(children.entries(newest_first=True, limit=MAX_CHILDREN), MAX_CHILDREN))


def _failed_at_top(reader: Reader, failed: Collection[JobRunId]) -> Iterator[Run]:
    """The highest runs that reported, of failed runs and the runs above them, below one that never did."""
    known: dict[JobRunId, Run] = {}
    wanted = set(failed)
    for _ in range(LEVELS):
        known |= {run.id: run for run in reader.runs(sorted(wanted))}
        wanted = {run.parent.id for run in known.values() if run.parent} - known.keys() - wanted
        if not wanted:
            break
    for run in known.values():
        above = known.get(run.parent.id) if run.parent else None
        if above and not above.last:
            yield run


def _shown(reader: Reader, runs: Collection[Run], now: Instant) -> list[JsonObject]:
    messages, silent = messages_of(reader.store, runs), silences(reader.store, runs, now)
    in_order = sorted(runs, key=top_run_position, reverse=True)
    return [_as_json(run, messages[run.id], silent.get(run.id)) for run in in_order]


def _as_json(run: Run, message: str, lost: Instant | None) -> JsonObject:
    started, ended = None if run.state is RunState.NEW else run.started_at, run.ended_at
    facets = values(run.facets)
    return {
        "id": run.run_id,
        "job": run.job.as_json(),
        **({"displayName": display} if (display := called(values(run.job_facets))) else {}),
        "state": run.outcome,
        "ownState": run.state.value,
        "startedAt": shown(started) if started else None,
        "endedAt": shown(ended) if ended else None,
        "durationMs": milliseconds_between(started, ended) if started and ended else None,
        "producer": run.producer.value or None,
        "message": message or None,
        **({"noContactSince": shown(lost)} if lost else {}),
        "failedChildren": [_ref(child) for child in run.failed_children],
        "parent": _ref(run.parent) if run.parent else None,
        **({"runtime": runtime} if (runtime := runtime_of(facets)) else {}),
        **({"query": query} if (query := query_of(facets)) else {}),
        **({"environment": environment} if (environment := environment_of(facets)) else {}),
    }


def _ref(run: ParentRef) -> JsonObject:
    return {"runId": run.run_id, "job": run.job.as_json()}
