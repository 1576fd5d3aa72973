"""The queries of applications, in a graph where an application stands for them.

*What an application only reads.* One query may hand what it reads to the driver, and another query uses it. Only their
application connects the two. Spark ML loads a model like that:

    query of the application `score`     reads       writes
    map_partitions_hadoop                model       nothing
    execute_insert_into_...              visitors    scores

So the model bears on everything that the application writes. What a query makes its outputs of has its own edges, and
what the application itself writes is not an input of it. What a job only may use (`candidateInputs`) is not used.

*Queries that an impact does not list*, since another node stands for them. An application that is at risk, too, stands
for its queries. Otherwise another query of the application stands for one that writes nothing: Spark reads or infers a
schema in a query of its own.

    query of the application `scores`          writes      listed
    map_partitions_parallel_collection         nothing     by the query below
    execute_insert_into_...                    scores      yes
"""

from collections.abc import Callable, Collection, Iterable, Mapping

from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId, job_id
from headwater.graph.producers import is_query_job, kind_of, producer_of
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.job import JobHead
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.traversal.rollup import jobs_of_runs

EdgesOf = Callable[[Mapping[JobId, JobHead]], Mapping[JobId, Edges]]


def with_application_reads(
    reader: Reader, heads: Mapping[JobId, JobHead], edges_of: EdgesOf, as_of: Instant | None
) -> dict[JobId, Edges]:
    """The edges of jobs; a query also has the flow between what its application only reads and what it writes."""
    edges = {**edges_of(heads)}
    application_of = {job: run for job, head in heads.items() if (run := _application_run(head))}
    if not application_of:
        return edges
    namespaces = {run: parent.namespace for job, run in application_of.items() if (parent := heads[job].parent_name)}
    started = jobs_of_runs(reader, namespaces)
    beside = reader.jobs(sorted({job for jobs in started.values() for job in jobs} - heads.keys()))
    beside = reader.in_the_past(beside, as_of) if as_of else beside
    others = edges_of(beside)
    doubtful = {job for job, head in {**heads, **beside}.items() if head.reads_candidates}
    for application, jobs in started.items():
        known = [
            found._replace(inputs=()) if job in doubtful else found
            for job in jobs
            if (found := edges.get(job) or others.get(job))
        ]
        queries = [job for job, run in application_of.items() if run == application]
        edges |= _connected({job: edges[job] for job in queries}, known)
    return edges


def _application_run(head: JobHead) -> str | None:
    """The run of the application whose query a job is."""
    return head.parent_run_id if is_query_job(values(head.facts.facets)) else None


def _connected(queries: Mapping[JobId, Edges], known: Collection[Edges]) -> dict[JobId, Edges]:
    """The edges of queries of one application, connected with those of all its queries."""
    writers = [edges for edges in known if edges.outputs]
    used = {
        dataset for edges in writers for output in edges.output_ids for dataset in {output, *edges.upstream_of(output)}
    }
    written = _by_id(output for edges in writers for output in edges.outputs)
    read = _by_id(source for edges in known for source in edges.inputs if source.id not in used)
    if not (read and written):
        return {}
    return {
        job: _reading(edges, read) if edges.outputs else _writing(edges, read, written)
        for job, edges in queries.items()
    }


def _reading(edges: Edges, read: Mapping[DatasetId, DatasetRef]) -> Edges:
    """The edges of a query that writes: it reads what its application only reads."""
    sources = tuple((output, tuple({*made_of, *read})) for output, made_of in edges.sources)
    inputs = {**_by_id(edges.inputs), **read}
    return edges._replace(inputs=tuple(inputs.values()), sources=sources)


def _writing(edges: Edges, read: Mapping[DatasetId, DatasetRef], written: Mapping[DatasetId, DatasetRef]) -> Edges:
    """The edges of a query that writes nothing: what only it reads bears on everything that its application writes."""
    own = tuple(sorted(edges.input_ids & read.keys()))
    if not own:
        return edges
    return edges._replace(outputs=tuple(written.values()), sources=tuple((output, own) for output in sorted(written)))


def _by_id(datasets: Iterable[DatasetRef]) -> dict[DatasetId, DatasetRef]:
    return {dataset.id: dataset for dataset in datasets}


def parts_of_applications(
    heads: Mapping[JobId, JobHead], edges: Mapping[JobId, Edges], jobs: Collection[JobId]
) -> set[JobId]:
    """The queries among these jobs that another node stands for."""
    queries: dict[JobId, list[JobId]] = {}
    for job in jobs:
        head = heads[job]
        application = head.parent_name
        if application and is_query_job(values(head.facts.facets)):
            queries.setdefault(job_id(application), []).append(job)
    return {
        query
        for application, parts in queries.items()
        for query in (parts if application in jobs else _beside_others(heads, edges, parts))
    }


def _beside_others(
    heads: Mapping[JobId, JobHead], edges: Mapping[JobId, Edges], queries: Collection[JobId]
) -> set[JobId]:
    """Those queries of an application that write nothing; except the one to show, if all of them write nothing."""

    def order(query: JobId) -> tuple[bool, Name]:
        facts = heads[query].facts
        facets = values(facts.facets)
        return producer_of(facets).is_preparation(kind_of(facets)), facts.name

    quiet = {query for query in queries if not edges[query].outputs}
    return quiet if len(quiet) < len(queries) else quiet - {min(quiet, key=order)}
