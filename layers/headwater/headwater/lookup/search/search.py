"""Search: jobs and datasets by a part of their names, by words of their tags and texts, or by the id of a query.

A search scans the lists of all namespaces, since the entries of a list have the names. The work is the same for every
text, and bounded. Only the jobs of a dataset know the time of its last use. The jobs are read for the datasets of the
page, and for all matching datasets if the request filters or sorts by time.
"""

import time as clock
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from typing import ClassVar, Generic, NamedTuple, TypeVar

from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import RESERVED, called, current_tags, is_among
from headwater.graph.facets.dataset_reference import SYMLINKS, display_name, names_of, symlinks
from headwater.graph.facets.members import EXTERNAL_QUERY
from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, NodeKind, dataset_id, node_id
from headwater.graph.names.naming import table_path
from headwater.graph.names.search_words import words_of
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.search_terms import NameKind, searched_namespace
from headwater.http.paging import page_of
from headwater.http.request import ApiRequest
from headwater.lookup.search.names import NameSearch, matched_tags, matched_texts
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, shown
from headwater.read.dataset_details import tags_of_datasets
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader

DEFAULT_LIMIT = 10
MAX_MATCHES = 2_000
MAX_OTHERS = 100
"""Datasets that are looked at because one of their other names may contain the text."""
MAX_USERS = 1_000
"""Jobs that are read for the times of last use of the matching datasets."""
MAX_SECONDS = 10
SORTED_LENGTH = 200
"""Characters of a name in a cursor, which must fit into a URL."""


class Sort(StrEnum):
    NAME = "name"
    UPDATE_AT = "update_at"


@dataclass(frozen=True, slots=True)
class JobMatch:
    """A job that the text was found in, and where if not in its name; the time of its last event is None until the
    job is read, and `display` is what its author calls it. Of a query that the text is the id of, `run` is its run."""

    kind: ClassVar = NodeKind.JOB
    name: Name
    id: JobId
    updated: Instant | None = None
    display: str | None = None
    matched: tuple[str, ...] = ()
    run: str | None = None


@dataclass(frozen=True, slots=True)
class DatasetMatch:
    """A dataset that the text was found in, and where if not in a name; the time of its last use is None until its
    jobs are read, `display` is its name in a catalogue, and `others` are its other names, as far as they are known."""

    kind: ClassVar = NodeKind.DATASET
    name: Name
    id: DatasetId
    updated: Instant | None = None
    display: str | None = None
    matched: tuple[str, ...] = ()
    others: frozenset[Name] = frozenset()


Match = JobMatch | DatasetMatch
AnyMatch = TypeVar("AnyMatch", JobMatch, DatasetMatch, Match)
NodesIn = Callable[[Reader, str], Iterator[AnyMatch]]
"""Lists the jobs or the datasets of a namespace."""


class SearchResult(NamedTuple, Generic[AnyMatch]):
    """The matches, and whether these are all matches."""

    matches: list[AnyMatch]
    is_whole: bool


def jobs_in(reader: Reader, namespace: str) -> Iterator[JobMatch]:
    """The jobs of a namespace, the newest first."""
    for entry in reader.store.jobs_in(namespace).entries(newest_first=True):
        yield JobMatch(Name(namespace, entry.name), entry.id)


def datasets_in(reader: Reader, namespace: str) -> Iterator[DatasetMatch]:
    """The datasets of a namespace, by name."""
    for entry in reader.store.datasets_in(namespace).entries():
        yield DatasetMatch(Name(namespace, entry.name), entry.id)


class Filter(StrEnum):
    DATASET = "dataset"
    JOB = "job"


_LISTS: Mapping[Filter, NodesIn[Match]] = {Filter.JOB: jobs_in, Filter.DATASET: datasets_in}


def search(reader: Reader, request: ApiRequest, namespaces: Sequence[str]) -> JsonObject:
    """The jobs and datasets whose name contains a text, sorted by name, or by the time of their last use, newest first.
    A dataset with several names is found by each of them and listed once. What its author calls a job is searched only
    if no name has the text, or if the request is for jobs only: most searches take one call less."""
    text, page_request = text_of(request), request.page(DEFAULT_LIMIT)
    chosen, sort = request.choice("filter", Filter), request.choice("sort", Sort)
    after, before = _day(request, "after"), _day(request, "before")
    search_result = matching(reader, namespaces, text, [_LISTS[chosen]] if chosen else list(_LISTS.values()))
    matches = search_result.matches
    kinds = [NameKind.JOB] if chosen is Filter.JOB else [NameKind.DATASET]
    kinds += [] if chosen or matches else [NameKind.JOB]
    matches = [*matches, *_by_other_names(reader, namespaces, text, {match.id for match in matches}, kinds)]
    if not matches and chosen is not Filter.JOB:
        matches = [*_by_rules(reader, namespaces, text)]
    told = _by_texts(reader, namespaces, text, {match.id for match in matches})
    matches = [*matches, *(match for match in told if not chosen or chosen.value == match.kind.value)]
    if tag := request.query.get("tag"):
        matches = _tagged(reader, matches, tag)
    is_by_time = sort is Sort.UPDATE_AT
    if is_by_time or after or before:
        timed = with_times(reader, matches)
        matches = [match for match in timed if after <= (match.updated or "") < (before or "~")]
    position_of = by_time if is_by_time else by_name
    page = page_of(
        sorted(matches, key=position_of, reverse=is_by_time), page_request, position_of, newest_first=is_by_time
    )
    timed = with_times(reader, page.entries)
    results = [_as_json(match) for match in _told_once(timed)]
    total = page.total - len(timed) + len(results)
    more = {} if search_result.is_whole else {"truncated": True}
    return {"results": results, "totalCount": total, **page.cursor(page_request), **more}


def _told_once(matches: Iterable[Match]) -> Iterable[Match]:
    """The matches, a dataset that was found by several names once."""
    told: dict[str, Match] = {}
    for match in matches:
        before = told.get(match.id)
        if isinstance(match, DatasetMatch) and isinstance(before, DatasetMatch):
            told[match.id] = replace(match, others=match.others | before.others)
        else:
            told[match.id] = match
    return told.values()


def _by_other_names(
    reader: Reader, namespaces: Sequence[str], text: str, known: Collection[str], kinds: Collection[NameKind]
) -> Iterator[Match]:
    """Datasets with a text in a name of their symlinks facets, and jobs that their authors call so: a call for each of
    the two, and one or two for what is found."""
    phrase = " ".join(words_of(text))
    search = NameSearch(reader.store, frozenset(map(searched_namespace, namespaces)))
    found = [holder for kind in kinds if phrase for holder in search.with_phrase(kind, phrase, MAX_OTHERS)]
    nodes = [holder for holder in found if holder.node not in known]
    datasets = [DatasetId(holder.node) for holder in nodes if holder.kind is NameKind.DATASET]
    jobs = [JobId(holder.node) for holder in nodes if holder.kind is NameKind.JOB]
    for node, head in (reader.datasets(datasets) if datasets else {}).items():
        if any(text.casefold() in name.casefold() for name in names_of(head.facts.name, head.facets)[1:]):
            yield DatasetMatch(head.facts.name, node)
    for job, job_head in (reader.jobs(jobs, usages=False) if jobs else {}).items():
        is_there = not (job_head.facts.is_deleted or job_head.is_foreign)
        if is_there and text.casefold() in (called(values(job_head.facts.facets)) or "").casefold():
            yield JobMatch(job_head.facts.name, job)


def _by_rules(reader: Reader, namespaces: Sequence[str], text: str) -> Iterator[DatasetMatch]:
    """Datasets that a rule of naming means by a text: by a name in the catalog of a query engine, or by a path within
    the folder of a table. The text is another name of theirs, even if nobody sent it."""
    meant = {dataset_id(reader.naming.identify(sent).identity): sent for sent in reader.naming.in_catalogs(text)}
    for node, head in (reader.datasets(sorted(meant)) if meant else {}).items():
        if head.facts.name.namespace in namespaces:
            yield DatasetMatch(head.facts.name, node, others=frozenset({meant[node]}))
    if table := table_path(text):
        for match in matching(reader, namespaces, table, [datasets_in]).matches:
            if f"/{match.name.name.strip('/')}".endswith(f"/{table}"):
                within = match.name.name.rstrip("/") + text.strip("/").removeprefix(table)
                yield replace(match, others=frozenset({Name(match.name.namespace, within)}))


def _by_texts(
    reader: Reader, namespaces: Sequence[str], text: str, known: Collection[str]
) -> Iterator[JobMatch | DatasetMatch]:
    """Jobs and datasets with the words of a text in a tag, a description or a SQL text; and the jobs of a query that
    the text is the id of."""
    words = words_of(text)
    search = NameSearch(reader.store, frozenset(map(searched_namespace, namespaces)))
    runs = search.runs_of_query(text)
    tagged = search.labels(NameKind.TAG, words, MAX_OTHERS) if words else []
    holders = {holder.node: holder for label in tagged for holder in label.holders}
    holders |= {holder.node: holder for holder in (*search.with_words(words, MAX_OTHERS), *(job for job, _ in runs))}
    found = [holder for node, holder in holders.items() if node not in known]
    jobs = [JobId(holder.node) for holder in found if holder.kind is NameKind.JOB]
    datasets = [DatasetId(holder.node) for holder in found if holder.kind is NameKind.DATASET]
    run_of = {job.node: run for job, run in runs}
    for job_id, job in (reader.jobs(jobs, usages=False) if jobs else {}).items():
        of_query = [EXTERNAL_QUERY] if job_id in run_of else []
        places = matched_texts(values(job.facts.facets), None, words) + matched_tags(job.facts.tags, words)
        if of_query or places:
            yield JobMatch(job.facts.name, job_id, matched=(*of_query, *places), run=run_of.get(job_id))
    for node, head in (reader.datasets(datasets) if datasets else {}).items():
        places = matched_texts(head.facets, head.schema, words) + matched_tags(current_tags(head.facets), words)
        if places:
            yield DatasetMatch(head.facts.name, node, matched=tuple(places))


def _tagged(reader: Reader, matches: Collection[Match], tag: str) -> list[Match]:
    """The matches that have a tag, or a column of which has it."""
    jobs = reader.jobs([match.id for match in matches if isinstance(match, JobMatch)], usages=False)
    datasets = tags_of_datasets(reader, [match.id for match in matches if isinstance(match, DatasetMatch)])
    tags = {job: head.facts.tags for job, head in jobs.items()}
    own = ((m, tags.get(m.id, ()) if isinstance(m, JobMatch) else datasets.get(m.id, ())) for m in matches)
    return [match for match, of_match in own if is_among(tag, of_match)]


def by_name(match: Match) -> str:
    """The position of a match in a list by name, which ignores case."""
    name = match.name.name
    return f"{name.casefold()[:SORTED_LENGTH]}\x1f{name[:SORTED_LENGTH]}\x1f{match.id}"


def by_time(match: Match) -> str:
    """The position of a match in a list by time."""
    return f"{match.updated}#{match.id}"


def text_of(request: ApiRequest) -> str:
    """The text to search for. Raises InvalidRequest if it is blank."""
    text = request.query.get("q", "")
    if not text.strip():
        raise InvalidRequest(Fault("q", "must not be blank"))
    return text


def matching(
    reader: Reader, namespaces: Sequence[str], text: str, lists: Sequence[NodesIn[AnyMatch]]
) -> SearchResult[AnyMatch]:
    """The jobs or datasets of namespaces whose names contain the text, in any case."""
    searched = [name for name in namespaces if name not in RESERVED]
    deadline = clock.monotonic() + MAX_SECONDS
    results = concurrent_map(
        lambda nodes: _matching_in(nodes, text.casefold(), deadline),
        [nodes_in(reader, namespace) for namespace in searched for nodes_in in lists],
    )
    matches = [match for result in results for match in result.matches]
    ordered = sorted(matches, key=by_name)[:MAX_MATCHES]
    return SearchResult(ordered, all(result.is_whole for result in results) and len(matches) <= MAX_MATCHES)


def _matching_in(nodes: Iterator[AnyMatch], text: str, deadline: float) -> SearchResult[AnyMatch]:
    """The matches among the jobs or datasets of one namespace."""
    matches: list[AnyMatch] = []
    for node in nodes:
        if text in node.name.name.casefold():
            matches.append(node)
        if len(matches) > MAX_MATCHES or clock.monotonic() > deadline:
            return SearchResult(matches, is_whole=False)
    return SearchResult(matches, is_whole=True)


def with_times(reader: Reader, matches: Collection[Match]) -> list[Match]:
    """The matches with the times of their last event or use, without deleted datasets."""
    untimed = [match for match in matches if not match.updated]
    datasets = [match.id for match in untimed if isinstance(match, DatasetMatch)]
    jobs = [match.id for match in untimed if isinstance(match, JobMatch)]
    heads = reader.jobs(jobs, usages=False) if jobs else {}
    around = reader.neighbourhood(datasets, ()) if datasets else Neighbourhood()
    used = _times(reader, around.heads)

    def timed(match: Match) -> Match:
        if match.updated:
            return match
        if isinstance(match, JobMatch):
            facts = heads[match.id].facts if match.id in heads else None
            return replace(match, updated=facts.updated, display=called(values(facts.facets))) if facts else match
        node = around.representative(match.id)
        if node not in around.heads:
            return match
        name, facets = around.heads[node].facts.name, around.heads[node].facets
        others = frozenset({match.name, *match.others, *symlinks(facets.get(SYMLINKS))} - {name})
        return DatasetMatch(name, node, used[node], display_name(name, facets), match.matched, others)

    return [each for each in map(timed, matches) if each.updated]


def _times(reader: Reader, heads: Mapping[DatasetId, DatasetHead]) -> dict[DatasetId, Instant]:
    """The last use of each dataset by a few of its jobs, as in the lists of datasets."""
    users = dict.fromkeys(head.users[rank][1] for rank in range(3) for head in heads.values() if rank < len(head.users))
    jobs = reader.jobs(list(users)[:MAX_USERS])
    times: dict[DatasetId, Instant] = {}
    for dataset, head in heads.items():
        usages = [jobs[job].facts.usages for _, job in head.users if job in jobs]
        times[dataset] = max([head.facts.created, *(seen[dataset].last for seen in usages if dataset in seen)])
    return times


def _day(request: ApiRequest, name: str) -> str:
    """The day in the query, empty without the parameter. Raises InvalidRequest for another text."""
    text = request.query.get(name, "")
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise InvalidRequest(Fault(name, "expected a day, YYYY-MM-DD")) from None


def _others(match: Match) -> frozenset[Name]:
    return match.others if isinstance(match, DatasetMatch) else frozenset()


def _as_json(match: Match) -> JsonObject:
    return {
        "type": match.kind.value.upper(),
        "name": match.name.name,
        **({"displayName": match.display} if match.display else {}),
        "updatedAt": shown(match.updated) if match.updated else None,
        "namespace": match.name.namespace,
        "nodeId": node_id(match.kind.value, match.name),
        **({"matchedIn": list(match.matched)} if match.matched else {}),
        **({"otherNames": [name.as_json() for name in sorted(others)]} if (others := _others(match)) else {}),
        **({"runId": match.run} if isinstance(match, JobMatch) and match.run else {}),
    }
