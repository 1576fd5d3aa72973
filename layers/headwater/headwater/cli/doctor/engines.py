"""Findings about whole engines: refused events, queries that are each a job, and datasets that no other engine uses."""

import re
from collections import defaultdict
from collections.abc import Iterator

from headwater.cli.api import Api
from headwater.cli.doctor.arrivals import Arrivals, Document, job_of
from headwater.cli.doctor.finding import DoctorFinding, first_few
from headwater.cli.doctor.isolated_jobs import dataset_ids

TOOLS = (
    *("airflow", "dagster", "dbt", "debezium", "expectations", "flink", "hive", "kafka", "presto", "snowflake"),
    *("spark", "sqlmesh", "trino"),
)
"""Words in the URLs of producers."""
MANY = 10
"""Jobs whose names differ only in numbers, each with one run: fewer may be a coincidence."""
NUMBER = re.compile(r"(?<![A-Za-z])[0-9a-f]{8,}(?![A-Za-z])|\d+")
REMEDIES = {
    400: "look at the member of the events that the path names: the answer to each event says what is wrong",
    401: "give the producer a valid key: of `headwater key add`, or of the secret of a stack (docs/operating.md, Keys)",
    403: "give the key the scope ingest, and the namespaces that its events are about: docs/access.md",
    413: "send smaller batches, or raise the parameter MaxBodyBytes",
}


def refusals(client: Api) -> Iterator[DoctorFinding]:
    """What was refused in the last week, by producer. A stack of an earlier release has no such statistics."""
    response = client.get("stats", "refusals")
    for refused in response.body["refusals"] if response.status == 200 else ():
        of = refused["producer"] or "an unknown producer"
        key = f"with the key {refused['key']}" if refused["key"] else "without a valid key"
        path = f" for {refused['path']}" if refused["path"] else ""
        times = "once" if refused["count"] == 1 else f"{refused['count']} times"
        yield DoctorFinding(
            f"refused in the last week: {of}, {key}, {times} {refused['status']}{path}, last at {refused['lastAt']}",
            REMEDIES.get(refused["status"], "see ingest's log"),
        )


def one_job_a_query(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Engines that name a new job for each query: many jobs whose names differ only in numbers, each with one run."""
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for job in arrivals.jobs:
        if not job["parentJobName"] and len(job.get("latestRuns") or []) == 1:
            alike[job["namespace"], NUMBER.sub("#", job["name"])].append(job["name"])
    for (namespace, pattern), names in sorted(alike.items()):
        if "#" in pattern and len(names) >= MANY:
            yield DoctorFinding(
                f"one job per query: {len(names)} jobs of {namespace} ran once each, and their names differ only in "
                f"numbers: {first_few(sorted(names))}",
                "give the job a name that stays from run to run, and let a parameter hold what changes; for a query "
                "engine, send the text of the query (the facet sql): docs/producers",
            )


def island_engines(arrivals: Arrivals) -> Iterator[DoctorFinding]:
    """Engines whose datasets no other engine uses, beside engines that share datasets."""
    used = datasets_by_engine(arrivals)
    shared = {engine for engine in used if used[engine] & everything_but(engine, used)}
    alone = sorted(engine for engine in used if used[engine] and engine not in shared)
    if alone and len(used) > 1:
        yield DoctorFinding(
            f"islands, engines whose datasets no other engine uses: {first_few(alone)}",
            "two engines may name one table differently: docs/identity.md has the line of NamespaceAliases for the "
            "commonest set-ups",
        )


def datasets_by_engine(arrivals: Arrivals) -> dict[str, set[tuple[str, str]]]:
    producers = {job_of(event): event["producer"] for event in arrivals.events}
    used: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for job in arrivals.jobs:
        if engine := engine_of(job, producers.get((job["namespace"], job["name"]), "")):
            used[engine] |= dataset_ids(job)
    return used


def everything_but(engine: str, used: dict[str, set[tuple[str, str]]]) -> set[tuple[str, str]]:
    return set().union(*(datasets for other, datasets in used.items() if other != engine))


def engine_of(job: Document, producer: str) -> str:
    """The engine of a job by its facet jobType, else by the producer of an event of that name; empty if unknown."""
    kind = (job.get("facets") or {}).get("jobType") or {}
    words = [str(kind.get("integration", "")).lower(), *reversed(re.findall(r"[a-z]+", producer.lower()))]
    return next((word for word in words if word in TOOLS), "")
