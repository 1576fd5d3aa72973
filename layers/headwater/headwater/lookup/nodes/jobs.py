"""Single jobs and lists of jobs."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice

from headwater.graph.facets.curation import is_among
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.names.naming import Naming
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import KnownNamespace
from headwater.http.marquez import jobs as marquez
from headwater.http.marquez.datasets import display_names
from headwater.http.marquez.runs import run as marquez_run
from headwater.http.paging import chunked, next_cursor, within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import DocumentText, JsonObject
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of
from headwater.read.job_details import newest_runs
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.run_details import RunDetails
from headwater.store.graph_store import GraphReader
from headwater.store.ranges import Entry

READ_AT_A_TIME = 100
DETAILED_AT_A_TIME = 25
"""Jobs whose newest runs are read together. If the response is full, no further runs are read."""
MAX_JOBS_READ = 5_000
"""Jobs that a request with `lastRunStates` or `tag` reads at most."""
STATES = frozenset({"NEW", "RUNNING", "COMPLETED", "ABORTED", "FAILED", "OTHER"})


def jobs(reader: Reader, request: ApiRequest, namespace: str) -> JsonObject:
    return _job_list(reader, request, [namespace])


def all_jobs(reader: Reader, request: ApiRequest, namespaces: Sequence[KnownNamespace]) -> JsonObject:
    return _job_list(reader, request, [known.name for known in namespaces])


def _job_list(reader: Reader, request: ApiRequest, names: Sequence[str]) -> JsonObject:
    """The jobs of namespaces, by the start of their newest run, newest first, each with its newest runs."""
    states, tag, page = _states(request), request.query.get("tag"), request.page()
    ahead = READ_AT_A_TIME if states or tag else page.offset + page.limit
    lists = [reader.store.jobs_in(name) for name in names]
    newest = [jobs.entries(before=page.after, newest_first=True, limit=max(ahead, 1)) for jobs in lists]
    merged = merge(*newest, key=lambda entry: entry.position, reverse=True)
    entries = list(islice(_fitting(reader, merged, states, tag), page.offset, page.offset + page.limit))
    heads = reader.jobs([entry.id for entry in entries], usages=False)
    present = [entry for entry in entries if entry.id in heads]
    listed = within_size_limit(
        _texts(reader, {entry.id: heads[entry.id] for entry in present}, instant_of(request.received_at))
    )
    total = sum(jobs.count() for jobs in lists) if page.total is None else page.total
    if len(listed) < len(present):
        return {"totalCount": total, "jobs": listed, "cursor": page.cursor(present[len(listed) - 1].position, total)}
    return {"totalCount": total, "jobs": listed, **next_cursor(page, entries, total)}


def _texts(reader: Reader, heads: Mapping[JobId, JobHead], now: Instant) -> Iterator[DocumentText]:
    """The JSON of each job."""
    for chunk in chunked(heads.values(), DETAILED_AT_A_TIME):
        with_runs = [head for head in chunk if head.latest]
        runs = iter(reader.store.made_of_reads(_newest_runs, with_runs, now, reader.naming))
        for head in chunk:
            yield DocumentText(reader.store.made(_encoded, head, next(runs) if head.latest else ()))


def _newest_runs(
    store: GraphReader, heads: Collection[JobHead], now: Instant, naming: Naming
) -> Iterator[tuple[str, ...]]:
    """The JSON of the newest runs of each job."""
    details = newest_runs(Reader(store, naming), [head.facts.id for head in heads], now)
    return (tuple([_run_text(store, each) for each in of_job]) for of_job in details)


def _run_text(store: GraphReader, details: RunDetails) -> str:
    """The JSON of a run. A run hardly changes once it has ended, so its text is cached, for the given input versions,
    failure and silence."""
    versions = tuple(details.input_versions.items())
    return store.made(_encoded_run, details.run, versions, details.message, details.no_contact_since)


def _encoded_run(
    run: Run, versions: Iterable[tuple[DatasetId, str]], message: str, no_contact_since: Instant | None
) -> str:
    return exact_json.encode(marquez_run(RunDetails(run, dict(versions), message, no_contact_since))).decode()


def _encoded(head: JobHead, runs: Sequence[str]) -> str:
    return exact_json.encode(_document(head, runs)).decode()


def _document(head: JobHead, runs: Sequence[str]) -> JsonObject:
    return marquez.job_with_runs(head, list(map(DocumentText, runs)))


def _fitting(
    reader: Reader, merged: Iterable[Entry[JobId]], states: frozenset[str], tag: str | None
) -> Iterable[Entry[JobId]]:
    """The jobs whose newest run is in one of the states, and that have the tag, or had it in their newest run with any,
    among the first `MAX_JOBS_READ`; without states and a tag, all jobs."""
    is_filtered = bool(states or tag)
    entries = islice(merged, MAX_JOBS_READ) if is_filtered else merged
    while is_filtered and (chunk := list(islice(entries, READ_AT_A_TIME))):
        heads = reader.jobs([entry.id for entry in chunk], usages=False)
        matching = {
            job
            for job, head in heads.items()
            if (not states or head.latest_state in states) and (not tag or is_among(tag, head.facts.tags))
        }
        yield from (entry for entry in chunk if entry.id in matching)
    yield from entries


def job(reader: Reader, request: ApiRequest, job: NamedNode) -> JsonObject:
    """A job. Inputs and outputs that are in a catalogue have their names there, too: one more read."""
    head = reader.jobs([job.job])[job.job]
    (runs,) = reader.store.made_of_reads(_newest_runs, [head], instant_of(request.received_at), reader.naming)
    edges = head.current
    used = reader.datasets(edges.input_ids | edges.output_ids) if edges else {}
    return _document(head, runs) | display_names(used.values())


def _states(request: ApiRequest) -> frozenset[str]:
    states = frozenset(state.upper() for state in request.values("lastRunStates"))
    if states - STATES:
        raise InvalidRequest(Fault("lastRunStates", f"expected some of {', '.join(sorted(STATES))}"))
    return states
