"""The queries of applications that an impact does not list, since another node tells them.

The application tells its queries, if it is at risk, too. Else a query that writes nothing is told by another query of
the application: Spark reads a schema, or infers one, in a query of its own.

    query of the application `scores`          writes      told
    map_partitions_parallel_collection         nothing     by the query below
    execute_insert_into_...                    scores      yes
"""

from collections.abc import Collection

from headwater.graph.facets.members import facet_text
from headwater.graph.facets.register import values
from headwater.graph.names.identity import JobId, job_id
from headwater.graph.producers.application import is_query_job
from headwater.openlineage.event import Name
from headwater.traversal.consumers import Consumers


def parts_of_applications(known: Consumers, jobs: Collection[JobId]) -> set[JobId]:
    """The queries among these jobs that another node tells."""
    queries: dict[JobId, list[JobId]] = {}
    for job in jobs:
        head = known.jobs[job]
        application = head.parent_name
        if application and is_query_job(values(head.facts.facets)):
            queries.setdefault(job_id(application), []).append(job)
    return {
        query
        for application, parts in queries.items()
        for query in (parts if application in jobs else _beside_others(known, parts))
    }


def _beside_others(known: Consumers, queries: Collection[JobId]) -> set[JobId]:
    """Those queries of an application that write nothing; without the one to tell, if all of them write nothing."""

    def order(query: JobId) -> tuple[bool, Name]:
        facts = known.jobs[query].facts
        return facet_text(values(facts.facets), "jobType", "jobType") == "RDD_JOB", facts.name

    quiet = {query for query in queries if not known.edges[query].outputs}
    return quiet if len(quiet) < len(queries) else quiet - {min(quiet, key=order)}
