"""What OpenLineage's Spark listener leaves out, as far as it shows in what arrived: docs/producers/spark.md."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from headwater.cli.doctor.arrivals import Arrivals, Document
from headwater.cli.doctor.finding import Blame, DoctorFinding, first_few

LISTENER = re.compile(r"/tree/([^/]+)/integration/spark")
"""In the producer of an event: the version of the listener."""
SHUFFLED = ".adaptive_spark_plan."
"""In the name of a query that writes after a shuffle."""
OF_CATALOG = re.compile(
    r"\.(append_data|overwrite_\w+|replace_data|write_delta|atomic_(create|replace)_table_as_select)\."
)
"""Queries that write a table of a catalog such as Iceberg's."""
NAMELESS = re.compile(r"\.(drop_table|execute_(delete|update)_command|execute_\w+_hoodie_table\w*)\Z")
"""Statements whose table the listener may not name."""
RETOLD = re.compile(r"\.command_result\Z|_as_select\b")
"""Queries that another query repeats, usually with columns."""
OF_AWS = re.compile(r"s3[an]?://|arn:aws")
LACKING = {
    (1, 42): "what a DynamicFrame of Glue reads",
    (1, 46): "the Glue name of an Iceberg table",
    (1, 48): "the name of a table in S3 Tables",
}
"""What listeners before a version do not report on AWS, by the changes of OpenLineage."""
OF_JAR, BEAT, JAR_FAULT = "headwater_", "headwater_heartbeat", "headwater_agent"
"""Facets of runs that the jar beside the listener writes."""
WITHOUT_JAR = "failures of later jobs, streams, columns of Python and killed drivers"
PAGE = "docs/producers/spark.md"


@dataclass
class Query:
    """What the events of a run of a query say, taken together."""

    job: str = ""
    application: str = ""
    has_ended: bool = False
    is_stream: bool = False
    inputs: list[Document] = field(default_factory=list)
    outputs: list[Document] = field(default_factory=list)

    @property
    def counts_rows(self) -> bool:
        return any("outputStatistics" in (output.get("outputFacets") or {}) for output in self.outputs)

    def has(self, facet: str) -> bool:
        return any(facet in (output.get("facets") or {}) for output in self.outputs)


def spark_gaps(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """What the listener left out; for applications with the jar beside it, what the jar does not report either."""
    events = of_listener(arrivals)
    beside = with_jar(events)
    ended = [query for query in queries_in(events) if query.has_ended]
    queries = [query for query in ended if query.application not in beside]
    versions = first_few(sorted({LISTENER.findall(event["producer"])[0] for event in events}))
    yield from old_listeners(events)
    yield from hidden_failures(queries, versions)
    yield from unnamed_tables(ended)
    yield from unnamed_statements(ended)
    yield from silent_streams(queries)
    yield from unknown_columns(queries)


def jar_gaps(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Applications without the jar beside the listener, with one of an earlier release, or with one that failed. Of an
    application whose START is not among the events, only what its other events say is known."""
    events = of_listener(arrivals)
    beside, starts = with_jar(events), [event for event in events if is_start_of_application(event)]
    bare = {event["job"]["name"] for event in starts if event["run"]["runId"] not in beside}
    old = {event["job"]["name"] for event in starts if event["run"]["runId"] in beside and BEAT not in facets_of(event)}
    faults = {str(facets_of(event)[JAR_FAULT].get("fault")) for event in events if JAR_FAULT in facets_of(event)}
    fix = f"put headwater-spark.jar of this release beside the listener: {PAGE}"
    if bare:
        where = first_few(sorted(bare))
        yield DoctorFinding(f"no jar beside the listener in {where}: {WITHOUT_JAR} are not reported", fix)
    if old:
        yield DoctorFinding(
            f"an old jar beside the listener, which sends no heartbeats, in {first_few(sorted(old))}", fix
        )
    if faults:
        yield DoctorFinding(f"the jar beside the listener failed: {first_few(sorted(faults))}", fix)


def of_listener(arrivals: Arrivals) -> list[Document]:
    return [event for event in arrivals.events if "run" in event and LISTENER.search(event["producer"])]


def with_jar(events: Iterable[Document]) -> set[str]:
    """The run ids of the applications in which the jar beside the listener has said something."""
    told = [event for event in events if any(name.startswith(OF_JAR) for name in facets_of(event))]
    parents = (facets_of(event).get("parent") or {} for event in told)
    above = {parent.get("run", {}).get("runId", "") for parent in parents}
    return {*above, *(event["run"]["runId"] for event in told)} - {""}


def facets_of(event: Document) -> Document:
    """The facets of the run of an event."""
    return event["run"].get("facets") or {}


def is_start_of_application(event: Document) -> bool:
    kind = (event["job"].get("facets") or {}).get("jobType") or {}
    return event.get("eventType") == "START" and kind.get("jobType") == "APPLICATION"


def queries_in(events: Iterable[Document]) -> list[Query]:
    queries: dict[str, Query] = defaultdict(Query)
    for event in events:
        facets, parent = event["job"].get("facets") or {}, (event["run"].get("facets") or {}).get("parent", {})
        query = queries[event["run"]["runId"]]
        query.job = event["job"]["name"]
        query.application = parent.get("run", {}).get("runId", "")
        query.has_ended |= event.get("eventType") == "COMPLETE"
        query.is_stream |= facets.get("jobType", {}).get("processingType") == "STREAMING"
        query.inputs += event.get("inputs") or []
        query.outputs += event.get("outputs") or []
    return list(queries.values())


def old_listeners(events: Iterable[Document]) -> Iterator[DoctorFinding]:
    """Listeners that are bundled with EMR or Glue, and older than what their jobs may need. Elsewhere they lack nothing
    of this."""
    of_aws = [event for event in events if any(map(OF_AWS.match, namespaces_of(event)))]
    for version in sorted({LISTENER.findall(event["producer"])[0] for event in of_aws}):
        number = re.match(r"(\d+)\.(\d+)", version)
        found = (int(number[1]), int(number[2])) if number else max(LACKING)
        lacking = [f"{what} (since {since[0]}.{since[1]})" for since, what in LACKING.items() if found < since]
        if lacking:
            yield DoctorFinding(
                f"the listener {version} is old, and does not report {'; '.join(lacking)}",
                "a cluster may bring a newer jar than its release has: docs/emr.md, emr_jobs/cluster/README.md",
            )


def namespaces_of(event: Document) -> Iterator[str]:
    """The namespaces of the datasets of an event, and of their other names."""
    for dataset in [*(event.get("inputs") or []), *(event.get("outputs") or [])]:
        yield dataset["namespace"]
        symlinks = (dataset.get("facets") or {}).get("symlinks") or {}
        yield from (symlink["namespace"] for symlink in symlinks.get("identifiers") or [])


def hidden_failures(queries: list[Query], versions: str) -> Iterator[DoctorFinding]:
    """Writes after a shuffle: if one fails, the listener says COMPLETE. What succeeded usually has a row count."""
    shuffled = [query for query in queries if SHUFFLED in query.job and query.outputs]
    if shuffled:
        suspects = names(query for query in shuffled if not query.counts_rows)
        doubtful = f"; without a count of rows, so perhaps failed: {first_few(suspects)}" if suspects else ""
        yield DoctorFinding(
            f"writes after a shuffle: the listener ({versions}) says COMPLETE also if one fails{doubtful}",
            f"it reports only a failure of a query's first job: watch the exit status of the jobs, too; {PAGE}",
        )


def unnamed_tables(queries: list[Query]) -> Iterator[DoctorFinding]:
    """Writes of a catalog's tables without an output. If no query names an output, the graph stays empty."""
    if jobs := names(query for query in queries if OF_CATALOG.search(query.job) and not query.outputs):
        yield DoctorFinding(
            f"writes whose table the listener does not name: {first_few(jobs)}",
            "the listener knows no Iceberg catalog with type=jdbc, and no SQL of Hudi: use another type of catalog, "
            f"or report the datasets with layers/headwater/headwater/spark; {PAGE}",
            None if any(query.outputs for query in queries) else Blame.LISTENER,
        )


def unnamed_statements(queries: list[Query]) -> Iterator[DoctorFinding]:
    if jobs := names(query for query in queries if NAMELESS.search(query.job) and not query.outputs):
        yield DoctorFinding(
            f"statements whose table the listener does not name: {first_few(jobs)}",
            f"Delta's catalog and SQL of Hudi hide the table: delete a dropped one by the API; {PAGE}",
        )


def silent_streams(queries: list[Query]) -> Iterator[DoctorFinding]:
    """Streams that write nothing, also by no query of their application, as a foreachBatch does."""
    writing = {query.application for query in queries if query.outputs}
    if jobs := names(query for query in queries if query.is_stream and query.application not in writing):
        yield DoctorFinding(
            f"streams that name no output: {first_few(jobs)}",
            f"the listener names no folder that a stream writes: write in a foreachBatch; {PAGE}",
        )


def unknown_columns(queries: list[Query]) -> Iterator[DoctorFinding]:
    """Outputs that are made of inputs, and of whose columns nothing is said."""
    made = (query for query in queries if query.inputs and query.has("schema") and not query.has("columnLineage"))
    if jobs := names(query for query in made if not RETOLD.search(query.job)):
        yield DoctorFinding(
            f"writes without column lineage: {first_few(jobs)}",
            f"a Python function makes the rows (mapInPandas), or a foreachBatch: impacts say `may break`; {PAGE}",
        )


def names(queries: Iterable[Query]) -> list[str]:
    return sorted({query.job for query in queries})
