"""The versions of a job: one for each set of inputs and outputs, of its newest generations and of its newest JobEvent.
A job that names no dataset has one version, that of its newest run, once this has ended.

Versions are not stored: the inputs and outputs of a generation give its version. Each run of a loop has its own
version, by which you can ask for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from headwater.graph.facets.register import values
from headwater.graph.states.edges import Edges, job_version
from headwater.graph.states.generation import Generation, Generations, RunOfGeneration
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.http.marquez import runs as marquez
from headwater.http.marquez.jobs import location, names_of
from headwater.http.paging import chunked, page_of, within_size_limit
from headwater.http.request import ApiRequest
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.faults import NotFound
from headwater.openlineage.instant import Instant, shown
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.read.run_details import RunDetails, read_run_details

MAX_RUNS = 1_000
READ_AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class JobVersion:
    """A set of inputs and outputs of a job.

    created  the end of the first run of the first generation with these datasets, as in Marquez; its start if the run
             has not ended
    latest   the start of the newest run of a generation with these datasets
    run      that newest run; None if a JobEvent declares the version and no run has it
    """

    id: str
    edges: Edges
    created: Instant
    latest: Instant
    run: Run | None = None

    @property
    def position(self) -> str:
        return f"{self.latest}#{self.id}"


def versions(reader: Reader, request: ApiRequest, job: NamedNode) -> JsonObject:
    """A page of a job's versions, newest first. `truncated` says that the job has more runs than were read."""
    head = reader.jobs([job.job])[job.job]
    known, is_whole = _versions(reader, head)
    page_request = request.page()
    page = page_of(known, page_request, lambda version: version.position, newest_first=True)
    documents = within_size_limit(_all_as_json(reader, head, page.entries))
    answer = {"versions": documents, "totalCount": page.total, **page.cursor(page_request, len(documents))}
    return answer if is_whole else answer | {"truncated": True}


def version(reader: Reader, request: ApiRequest, job: NamedNode) -> JsonObject:
    """One version, by its id. Raises NotFound."""
    version = request.parameters["version"]
    head = reader.jobs([job.job])[job.job]
    for each_run in (False, True):
        for known in _versions(reader, head, each_run=each_run)[0]:
            if known.id == version.lower():
                return next(_all_as_json(reader, head, [known]))
    raise NotFound(f"Job version '{version}' not found.")


def _versions(reader: Reader, head: JobHead, *, each_run: bool = False) -> tuple[list[JobVersion], bool]:
    """The versions, newest first, of generations or of each run; and whether all runs were read."""
    by_id: dict[str, JobVersion] = {}
    newest = list(islice(reader.store.runs_of(head.facts.id).newest(limit=MAX_RUNS + 1), MAX_RUNS + 1))
    generations = Generations()
    for chunk in chunked(newest[:MAX_RUNS], READ_AT_A_TIME):
        for run in reader.runs(chunk):
            if run.names_datasets:
                generations.add(run)
    for runs in generations.all:
        for together in [[run] for run in runs] if each_run else [runs]:
            _add(by_id, _of_runs(together))
    for declared in _declared(head):
        _add(by_id, declared)
    if not by_id:
        for run in reader.runs(newest[:1]):
            if run.ended_at:
                _add(by_id, _of_runs([run]))
    return sorted(by_id.values(), key=lambda version: version.position, reverse=True), len(newest) <= MAX_RUNS


def _add(by_id: dict[str, JobVersion], older: JobVersion) -> None:
    """Adds the version of a run or of a declaration. Newer runs were added before."""
    newer = by_id.get(older.id)
    if newer is None:
        by_id[older.id] = older
    else:
        created, latest = min(newer.created, older.created), max(newer.latest, older.latest)
        by_id[older.id] = replace(newer, created=created, latest=latest)


def _of_runs(runs: Sequence[Run]) -> JobVersion:
    edges, newest, first = Generation.of(map(RunOfGeneration.of, runs)).edges, runs[0], runs[-1]
    return JobVersion(
        job_version(newest.job, edges), edges, first.ended_at or first.started_at, newest.started_at, newest
    )


def _declared(head: JobHead) -> Iterable[JobVersion]:
    """The version that the job's newest JobEvent declares."""
    if declared := head.declared:
        id_ = job_version(head.facts.name, declared)
        yield JobVersion(id_, declared, declared.time, declared.time)


def _all_as_json(reader: Reader, head: JobHead, versions: Iterable[JobVersion]) -> Iterator[JsonObject]:
    for chunk in chunked(versions, READ_AT_A_TIME):
        runs = read_run_details(reader, [version.run for version in chunk if version.run])
        by_id = {details.run.run_id: details for details in runs}
        yield from (_as_json(head, version, by_id.get(version.run.run_id if version.run else "")) for version in chunk)


def _as_json(head: JobHead, version: JobVersion, newest: RunDetails | None) -> JsonObject:
    name = head.facts.name
    facets = values(head.facts.facets) | (values(version.run.job_facets) if version.run else {})
    return {
        "id": {**name.as_json(), "version": version.id},
        "name": name.name,
        "createdAt": shown(version.created),
        "version": version.id,
        "namespace": name.namespace,
        "location": location(facets),
        "inputs": names_of(version.edges.inputs),
        "outputs": names_of(version.edges.outputs),
        "latestRun": marquez.run(newest) if newest else None,
    }
