"""Applications and their actions: a Spark application runs queries, each a run and a job of its own.

The Spark listener ends not all of them: not some of Spark ML's, and not a micro-batch that was cut off. An action does
not outlive its application, so one that nobody ended is taken to have ended with it, as that did.
"""

from headwater.openlineage.event import Facets

_INTEGRATIONS = {"SPARK", "FLINK", "HIVE", "TRINO"}
"""Integrations (jobType facet) whose runs are actions of an application."""


def is_query_job(job_facets: Facets) -> bool:
    """Whether a job is one of an application's actions."""
    match job_facets.get("jobType"):
        case {"integration": str(integration), **said}:
            return integration in _INTEGRATIONS and said.get("jobType") != "APPLICATION"
    return False
