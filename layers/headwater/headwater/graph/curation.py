"""What people say of nodes through the API, as facets: tags and deletions.

Curation is events too: a tag that is put on a dataset is a DatasetEvent with a facet of ours, one facet a tag, and
taking it away is the facet's `_deleted`. So curation is ordered, archived, replayed and merged like everything else.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.openlineage.event import AnyEvent, DatasetEvent, Facets, RunEvent
from headwater.openlineage.instant import Instant

PREFIX = "headwater_"
DELETED = "headwater_deleted"
"""`{"through": event time}`: the node is deleted, unless an event after that time names it."""
CATALOG = "headwater_catalog"
"""`{"table": ..., "owner": ..., ...}`: what the Glue Data Catalog last said of the dataset's table."""
DECLARED = "headwater_declared"
"""`{"physicalName": ...}`: what was declared of a dataset through the API and no facet of OpenLineage has room for."""
_TAG = "headwater_tag"

NAMESPACES, SOURCES, TAGS = "headwater:namespaces", "headwater:sources", "headwater:tags"
"""Reserved namespaces: a dataset in them is a namespace, a data source or a tag, and its facets describe it."""
RESERVED = frozenset({NAMESPACES, SOURCES, TAGS})


def is_curation(event: AnyEvent) -> bool:
    """Whether an event only says what somebody thinks of a node, and not that it was used."""
    if isinstance(event, RunEvent):
        return False
    facets = event.dataset.facets if isinstance(event, DatasetEvent) else event.job.facets
    has_datasets = not isinstance(event, DatasetEvent) and bool(event.inputs or event.outputs)
    is_ours = CATALOG in facets or all(name.startswith(PREFIX) for name in facets)
    return bool(facets) and not has_datasets and is_ours


def curating(event: AnyEvent) -> Iterator[str]:
    """The facets by which an event would curate a node: whoever sends one deletes and tags as the API does."""
    named = [event.dataset.facets] if isinstance(event, DatasetEvent) else [event.job.facets]
    if not isinstance(event, DatasetEvent):
        named += [reference.facets for reference in event.inputs + event.outputs]
    return (name for facets in named for name in facets if name.startswith(PREFIX))


def tag_facet(tag: str, field: str | None = None) -> str:
    """The name of the facet that stands for a tag, on a node or on one of its fields.

    The tag's length keeps the tag `a:b` apart from the tag `a` on the field `b`.
    """
    return f"{_TAG}:{len(tag)}:{tag}" if field is None else f"{_TAG}:{len(tag)}:{tag}:{field}"


def tags(facets: Mapping[str, Any], field: str | None = None) -> list[str]:
    """The tags of a node or of one of its fields: those put on it through the API, and those that producers sent but
    for the ones that were taken off through the API (`isRemoved`), however often they are sent."""
    ours = [facet for name, facet in facets.items() if name.startswith(f"{_TAG}:") and isinstance(facet, dict)]
    of_field = [each for each in ours if each.get("field") == field]
    removed = {each.get("tag") for each in of_field if each.get("isRemoved")}
    put = {each.get("tag") for each in of_field} | sent_tags(facets, field)
    return sorted(each for each in put - removed if isinstance(each, str))


def tagging(facets: Mapping[str, Any]) -> dict[str, Any]:
    """The facets that tag a node or its fields: mostly none, which spares looking for each field's."""
    return {name: facet for name, facet in facets.items() if name == "tags" or name.startswith(f"{_TAG}:")}


def sent_tags(facets: Mapping[str, Any], field: str | None = None) -> set[str]:
    """The tags of a node or of one of its fields by its `tags` facet, as a producer sent it."""
    facet = facets.get("tags")
    entries = facet.get("tags") if isinstance(facet, dict) else None
    keys = [each for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    return {each["key"] for each in keys if each.get("field") == field and isinstance(each.get("key"), str)}


def deleted_through(facets: Mapping[str, Any]) -> Instant | None:
    """The event time up to which what is known of a node is deleted."""
    match facets.get(DELETED):
        case {"through": str(time)}:
            return Instant(time)
    return None


def without_curation(facets: Facets) -> dict[str, Any]:
    """Facets as a client sent them."""
    return {name: facet for name, facet in facets.items() if not name.startswith(PREFIX)}
