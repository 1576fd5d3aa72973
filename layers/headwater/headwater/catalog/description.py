"""The owner, description and classification of a table in the catalogue, as facets of the table's dataset.

Spark and Hive set a table's owner to the user that ran the job, usually `hadoop`. So the parameter `owner`, which a
person wrote, comes first. A classification becomes a tag: a crawler sets it to the data's format, and people set it to
any text. The tag has its own facet, so tags sent by producers stay.
"""

from collections.abc import Mapping
from typing import Any

from headwater.catalog.glue import Table
from headwater.catalog.identity import TableRef
from headwater.graph.facets.curation import CATALOG, tag_facet
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.openlineage.own_events import OwnProducer

PRODUCER = OwnProducer("catalog", "catalog.md")

TABLE, OWNER, DESCRIPTION, CLASSIFICATION = "table", "owner", "description", "classification"

Description = Mapping[str, str]
"""A table's name, and its owner, description and classification as far as the table has them."""


def description_of(table: TableRef, definition: Table) -> Description:
    parameters = definition.get("Parameters") or {}
    members = {
        OWNER: parameters.get("owner") or definition.get("Owner"),
        DESCRIPTION: definition.get("Description") or parameters.get("comment"),
        CLASSIFICATION: parameters.get("classification"),
    }
    return {TABLE: str(table), **{member: text for member, text in members.items() if isinstance(text, str) and text}}


def facets_between(before: Description, now: Description) -> dict[str, Any]:
    """The facets that bring a dataset in step with its table; none if the table's description has not changed."""
    if before == now or (not before and now.keys() == {TABLE}):
        return {}
    facets: dict[str, Any] = {CATALOG: PRODUCER.own_facet(**now)}
    if before.get(OWNER) != now.get(OWNER):
        facets["ownership"] = _ownership(now[OWNER]) if OWNER in now else _no_facet()
    if before.get(DESCRIPTION) != now.get(DESCRIPTION):
        facets["documentation"] = _documentation(now[DESCRIPTION]) if DESCRIPTION in now else _no_facet()
    if before.get(CLASSIFICATION) != now.get(CLASSIFICATION):
        if CLASSIFICATION in before:
            facets[tag_facet(before[CLASSIFICATION])] = _no_facet()
        if CLASSIFICATION in now:
            facets[tag_facet(now[CLASSIFICATION])] = PRODUCER.own_facet(tag=now[CLASSIFICATION])
    return facets


def event_of(name: Name, facets: Mapping[str, Any], at: Instant) -> dict[str, Any]:
    dataset = {"namespace": name.namespace, "name": name.name, "facets": facets}
    return {**PRODUCER.event("DatasetEvent", at), "dataset": dataset}


def _ownership(owners: str) -> dict[str, Any]:
    """The facet for owners in a text, separated by commas."""
    named = [owner.strip() for owner in owners.split(",") if owner.strip()]
    return PRODUCER.facet("1-0-1/OwnershipDatasetFacet", owners=[{"name": name, "type": "OWNER"} for name in named])


def _documentation(text: str) -> dict[str, Any]:
    return PRODUCER.facet("1-1-0/DocumentationDatasetFacet", description=text)


def _no_facet() -> dict[str, Any]:
    return PRODUCER.own_facet(_deleted=True)
