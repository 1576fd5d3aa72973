"""Search: jobs and datasets by a part of their names.

The lists of all namespaces are looked through, whose entries carry the names; that is the same work for any request,
and bounded. When a dataset was last used is known to its jobs alone, so it is read for what is shown, and for all that
was found only if the request is about time.
"""

import time as clock
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.curation import RESERVED
from headwater.graph.identity import NodeId, NodeKind, node_id
from headwater.http.paging import part_of
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse
from headwater.lookup.request_nodes import permit
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, shown
from headwater.read.reader import Reader
from headwater.store import keys
from headwater.store.table import IndexEntry

DEFAULT_LIMIT = 10
MAX_MATCHES = 2_000
MAX_USERS = 1_000
"""Jobs that are asked when they used the datasets that were found."""
MAX_SECONDS = 10
SORTED_LENGTH = 200
"""Of a name; a cursor has to fit into a URL."""


class Filter(StrEnum):
    DATASET = "dataset"
    JOB = "job"


class Sort(StrEnum):
    NAME = "name"
    UPDATE_AT = "update_at"


@dataclass(frozen=True, slots=True)
class Match:
    """A job or dataset that was found, and when it was last used; of a dataset, its jobs have to be asked for that."""

    kind: NodeKind
    name: Name
    node: NodeId
    updated: Instant | None = None

    @property
    def by_name(self) -> str:
        return f"{self.name.name.casefold()[:SORTED_LENGTH]}\x1f{self.name.name[:SORTED_LENGTH]}\x1f{self.node}"

    @property
    def by_time(self) -> str:
        return f"{self.updated}#{self.node}"


class SearchResult(NamedTuple):
    """What was found, and whether that is all there is."""

    matches: list[Match]
    is_whole: bool


def search(reader: Reader, request: ApiRequest) -> ApiResponse:
    """What has a text in its name, by name, or by the time of its last use, the newest first."""
    text, page = text_of(request), request.page(DEFAULT_LIMIT)
    chosen, sort = request.choice("filter", Filter), request.choice("sort", Sort)
    after, before = _day(request, "after"), _day(request, "before")
    found = matching(reader, request, text, [NodeKind(chosen)] if chosen else [NodeKind.JOB, NodeKind.DATASET])
    matches = found.matches
    by_time = sort is Sort.UPDATE_AT
    if by_time or after or before:
        matches = [each for each in with_times(reader, matches) if after <= (each.updated or "") < (before or "~")]
    place: Callable[[Match], str] = (lambda each: each.by_time) if by_time else (lambda each: each.by_name)
    part = part_of(sorted(matches, key=place, reverse=by_time), page, place, newest_first=by_time)
    results = [_as_json(each) for each in with_times(reader, part.entries)]
    more = {} if found.is_whole else {"truncated": True}
    return ApiResponse(200, {"results": results, "totalCount": part.total, **part.cursor(page), **more})


def text_of(request: ApiRequest) -> str:
    """What is searched for. Raises InvalidRequest if it is blank."""
    text = request.query.get("q", "")
    if not text.strip():
        raise InvalidRequest(Fault("q", "must not be blank"))
    return text


def matching(reader: Reader, request: ApiRequest, text: str, kinds: Sequence[NodeKind]) -> SearchResult:
    """The jobs and datasets that the asker may see and whose name has the text, whatever its letters' case."""
    asked = request.query.get("namespace")
    if asked:
        permit(request, asked)
    namespaces = [asked] if asked else [name for name, _ in reader.namespaces() if request.principal.may_use(name)]
    lists = [(kind, name) for name in namespaces if name not in RESERVED for kind in kinds]
    deadline = clock.monotonic() + MAX_SECONDS
    found = concurrent_map(lambda each: _in_list(reader, *each, text.casefold(), deadline), lists)
    matches = [match for each in found for match in each.matches]
    ordered = sorted(matches, key=lambda match: match.by_name)[:MAX_MATCHES]
    return SearchResult(ordered, all(each.is_whole for each in found) and len(matches) <= MAX_MATCHES)


def with_times(reader: Reader, matches: Collection[Match]) -> list[Match]:
    """The matches with the times at which they were last used; of a job, its list tells."""
    untimed = [match.node for match in matches if not match.updated]
    times = _times(reader, untimed) if untimed else {}
    timed = [match if match.updated else replace(match, updated=times.get(match.node)) for match in matches]
    return [match for match in timed if match.updated]


def _in_list(reader: Reader, kind: NodeKind, namespace: str, text: str, deadline: float) -> SearchResult:
    """What a namespace's list of jobs or of datasets has."""
    found: list[Match] = []
    of = keys.jobs_of if kind is NodeKind.JOB else keys.datasets_of
    for entry in reader.table.list_entries(of(namespace), newest_first=kind is NodeKind.JOB):
        if text in entry.name.casefold():
            found.append(_match(kind, namespace, entry))
        if len(found) > MAX_MATCHES or clock.monotonic() > deadline:
            return SearchResult(found, is_whole=False)
    return SearchResult(found, is_whole=True)


def _match(kind: NodeKind, namespace: str, entry: IndexEntry) -> Match:
    updated = Instant(entry.place.partition("#")[0]) if kind is NodeKind.JOB else None
    return Match(kind, Name(namespace, entry.name), keys.node_of(entry.key.pk), updated)


def _times(reader: Reader, datasets: Collection[NodeId]) -> dict[NodeId, Instant]:
    """When datasets were last used, as a few of their jobs tell: as in the lists of datasets."""
    heads = reader.datasets(datasets)
    users = dict.fromkeys(head.users[rank][1] for rank in range(3) for head in heads.values() if rank < len(head.users))
    jobs = reader.jobs(list(users)[:MAX_USERS])
    times: dict[NodeId, Instant] = {}
    for node, head in heads.items():
        asked = [jobs[job].facts.usages for _, job in head.users if job in jobs]
        times[node] = max([head.facts.created, *(seen[node].last for seen in asked if node in seen)])
    return times


def _day(request: ApiRequest, name: str) -> str:
    """The beginning of a day, or nothing if the request does not name one. Raises InvalidRequest for what is none."""
    text = request.query.get(name, "")
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise InvalidRequest(Fault(name, "expected a day, YYYY-MM-DD")) from None


def _as_json(match: Match) -> JsonObject:
    return {
        "type": match.kind.value.upper(),
        "name": match.name.name,
        "updatedAt": shown(match.updated) if match.updated else None,
        "namespace": match.name.namespace,
        "nodeId": node_id(match.kind.value, match.name),
    }
