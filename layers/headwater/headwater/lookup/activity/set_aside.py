"""GET /stats/set-aside: the jobs whose producers spoke of the namespaces of others in the last week.

The note of what was set aside is a facet of the job (access/admission.py). A job is also listed by its note, so the
request reads the jobs of the last week, at most `MAX_JOBS`.
"""

from collections.abc import Sequence
from datetime import timedelta
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

from headwater.graph.facets.curation import SET_ASIDE
from headwater.graph.facets.register import Register
from headwater.graph.states.job import JobHead
from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.paging import chunked
from headwater.http.request import ApiRequest
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, instant_of, shown
from headwater.read.reader import Reader

KEPT = timedelta(days=7)
MAX_JOBS = 5_000
READ_AT_A_TIME = 100


class NotedJob(NamedTuple):
    """A job, with the last note of what was set aside of its events."""

    name: Name
    note: Register

    def read(self, member: str) -> Any:
        """A member of the note; None if a note of an earlier release lacks the member."""
        return self.note.value.get(member) if isinstance(self.note.value, dict) else None


def set_aside(reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]) -> JsonObject:
    """The jobs of which something was set aside, the newest first: its last time, its paths, and the key."""
    jobs, is_cut = noted_jobs(reader, request, namespaces)
    answer: JsonObject = {"jobs": [_document(job) for job in jobs]}
    return answer | ({"truncated": True} if is_cut else {})


def noted_jobs(
    reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]
) -> tuple[list[NotedJob], bool]:
    """The jobs of which something was set aside, the newest first, and whether there may be more."""
    since = instant_of(request.received_at - KEPT)
    lists = [reader.store.jobs_in(known.name).entries(after=since, newest_first=True) for known in namespaces]
    newest = merge(*lists, key=lambda entry: entry.position, reverse=True)
    ids = [entry.id for entry in islice(newest, MAX_JOBS + 1)]
    jobs = []
    for chunk in chunked(ids[:MAX_JOBS], READ_AT_A_TIME):
        heads = reader.jobs(chunk, usages=False)
        jobs += [_noted(heads[job]) for job in chunk if job in heads and _is_noted(heads[job], since)]
    return jobs, len(ids) > MAX_JOBS


def _is_noted(head: JobHead, since: Instant) -> bool:
    note = head.facts.facets.get(SET_ASIDE)
    return note is not None and note.time >= since


def _noted(head: JobHead) -> NotedJob:
    return NotedJob(head.facts.name, head.facts.facets[SET_ASIDE])


def _document(job: NotedJob) -> JsonObject:
    return {
        "job": job.name.as_json(),
        "lastAt": shown(job.note.time),
        "paths": job.read("paths"),
        "key": job.read("key"),
    }
