"""Applications and their actions: a Spark application runs queries, each a run and a job of its own."""

from headwater.openlineage.event import Facets

_INTEGRATIONS = {"SPARK", "FLINK", "HIVE", "TRINO"}
"""Integrations (jobType facet) whose runs are actions of an application."""


def is_action(job_facets: Facets) -> bool:
    """Whether a job is one of an application's actions, of which the Spark listener ends not all."""
    match job_facets.get("jobType"):
        case {"integration": str(integration), **said}:
            return integration in _INTEGRATIONS and said.get("jobType") != "APPLICATION"
    return False
