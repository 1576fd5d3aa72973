"""The schema of a Kafka topic by its schema registry.

A registry holds the schema that the records of a topic have. Jobs read or write some of the columns, in types of their
own: Flink's `STRING` may be an enum of Avro. Hence the schema of a registry counts before the schemas that jobs claim,
and what a job claims of such a topic is no schema change.
"""

from collections.abc import Mapping
from typing import Any

from headwater.openlineage.event import Facets

REGISTRY = "kafka_schemaRegistry"
"""The facet of a topic whose schema comes from a registry: its subjects, with versions, ids and compatibility
levels."""


def is_registered(facets: Facets) -> bool:
    """Whether the facets of a dataset say that a registry has its schema."""
    return facets.get(REGISTRY) is not None


def broken_promise(facets: Facets) -> Mapping[str, Any] | None:
    """What the newest version of a subject broke of the subject's compatibility; None if it broke nothing."""
    match facets.get(REGISTRY):
        case {"broken": {"subject": str(), "version": int(), "level": str(), "reasons": list()}}:
            broken: Mapping[str, Any] = facets[REGISTRY]["broken"]
            return broken
    return None
