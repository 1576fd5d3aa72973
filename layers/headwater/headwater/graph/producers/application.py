"""Applications and their queries: a Spark application runs queries, and each query is a job with a run of its own. So
does a model of dbt with structured logs.

The Spark listener does not end every query's run: some of Spark ML's stay open, and a micro-batch that was cut off. A
query does not outlive its application. Hence a query's run without an end takes the end time and the state of its
application's run.
"""

from headwater.openlineage.event import Facets

_INTEGRATIONS = {"SPARK", "FLINK", "HIVE", "TRINO"}
"""Integrations (jobType facet) whose jobs are queries of an application."""


def is_test(job_facets: Facets) -> bool:
    """Whether a job only checks data, as a test of dbt does."""
    match job_facets.get("jobType"):
        case {"jobType": "TEST"}:
            return True
    return False


def is_query_job(job_facets: Facets) -> bool:
    """Whether a job is a query of an application."""
    match job_facets.get("jobType"):
        case {"integration": str(integration), **others}:
            kind = others.get("jobType")
            return (integration in _INTEGRATIONS and kind != "APPLICATION") or (integration, kind) == ("DBT", "SQL")
    return False
