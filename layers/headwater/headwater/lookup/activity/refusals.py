"""GET /stats/refusals: what was refused and what was set aside in the last week, by producer.

A caller sees what was refused to its own key; a caller who reads every namespace sees all, with the requests that had
no valid key. Refusals are read newest first, and no more than `MAX_ENTRIES`.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice

from headwater.graph.states.audit import KEPT, RefusalEntry, RefusalKind
from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.request import ApiRequest
from headwater.lookup.activity.set_aside import NotedJob, noted_jobs
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.reader import Reader

MAX_ENTRIES, READ_AT_A_TIME = 5_000, 500


def refusals(reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]) -> JsonObject:
    """The refused events by producer, key, status and fault, and the jobs of which something was set aside, by
    producer; the newest first. `truncated` says that there are more."""
    entries = list(islice(_entries(reader, request), MAX_ENTRIES + 1))
    jobs, is_cut = noted_jobs(reader, request, namespaces)
    answer = {"refusals": _refused(entries[:MAX_ENTRIES], request), "setAside": _by_producer(jobs)}
    return answer | ({"truncated": True} if len(entries) > MAX_ENTRIES or is_cut else {})


def _entries(reader: Reader, request: ApiRequest) -> Iterator[RefusalEntry]:
    since = instant_of(request.received_at - KEPT)
    for number in range(-1, KEPT.days + 1):
        day = (request.received_at - timedelta(days=number)).date().isoformat()
        yield from reader.store.refusals(day, after=since, limit=READ_AT_A_TIME)


def _refused(entries: Sequence[RefusalEntry], request: ApiRequest) -> list[JsonObject]:
    caller = request.principal
    counts: dict[tuple[str, RefusalKind], int] = defaultdict(int)
    times: dict[tuple[str, RefusalKind], list[Instant]] = defaultdict(list)
    for entry in entries:
        if caller.reads_everything or entry.key == caller.key_id:
            for kind, count in entry.counts:
                counts[entry.key, kind] += count
                times[entry.key, kind].append(entry.time)
    return [
        {
            "producer": kind.producer or None,
            "key": key or None,
            "status": kind.status,
            "path": kind.path or None,
            "count": counts[key, kind],
            "firstAt": shown(min(times[key, kind])),
            "lastAt": shown(max(times[key, kind])),
        }
        for key, kind in sorted(counts, key=lambda refused: (max(times[refused]), refused), reverse=True)
    ]


def _by_producer(jobs: Sequence[NotedJob]) -> list[JsonObject]:
    """The number of jobs of which something was set aside, for each producer, and the time of the last."""
    of_producer: dict[str | None, list[Instant]] = defaultdict(list)
    for job in jobs:
        of_producer[job.read("producer")].append(job.note.time)
    return [
        {"producer": producer, "jobs": len(times), "lastAt": shown(max(times))}
        for producer, times in of_producer.items()
    ]
