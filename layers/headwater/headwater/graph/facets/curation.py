"""Curation: tags, deletions and declarations of nodes through the API, as facets.

A curation is an event: a tag on a dataset is a DatasetEvent with a facet of Headwater's, one facet a tag; removing the
tag is the facet's `_deleted`. So curation is ordered, archived, replayed and merged like any other event.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater.openlineage.event import AnyEvent, DatasetEvent, Facets, Name, RunEvent
from headwater.openlineage.instant import Instant, shown

PREFIX = "headwater_"
DELETED = "headwater_deleted"
"""`{"through": event time}`: the node is deleted, unless an event after that time names it."""
CATALOG = "headwater_catalog"
"""`{"table": ..., "owner": ..., ...}`: the owner and description of the dataset's table at the last Glue import."""
OWNED = "headwater_owners"
"""`{"owners": [{"name": ...}]}`: the owners set through the API, which stand in place of the owners that producers and
catalogues send: Airflow sends the owner of its DAG with each run."""
DECLARED = "headwater_declared"
"""`{"physicalName": ...}`: members of a dataset declared through the API that no facet of OpenLineage has."""
FOREIGN = "headwater_foreign"
"""On an input or output: the producer may not write the dataset's namespace, and only names the dataset."""
FOREIGN_SOURCES = "headwater_foreignSources"
"""`[[namespace, name], ...]` on the dataset of a DatasetEvent: the sources of its `lineage` facet that the producer may
not write."""
SET_ASIDE = "headwater_setAside"
"""`{"paths": [...], "key": ...}` on a job or dataset: what was left out of a producer's event because it is about other
people's namespaces or has no usable name."""
CALLED = "headwater_called"
"""`{"name": ...}` on a job: what its author calls it, if its producer sends another name."""
JUDGEMENT = "headwater_judgement"
"""`{"good": true, "by": ..., "note": ...}` on a run: a person says that the run was good, or takes it back."""
ACKNOWLEDGED = "headwater_acknowledged"
"""`{"at": time, "by": caller, "note": text}` on the dataset that stands for an alert."""
SILENCED = "headwater_silenced"
"""`{"since": time, "until": time, "by": caller, "note": text}` on the dataset that stands for the alerts of one type
about one node."""
SETTINGS_FACET = "headwater_settings"
"""`{"text": YAML, "document": the same as JSON, "at": time, "by": caller}` on the dataset that stands for
headwater.yml."""
_TAG = "headwater_tag"
SENT_TAGS = "tags"
"""The facet with the tags that a producer sends for a job, a dataset and its columns, or a run."""
CLIENT_TAGS = "OPENLINEAGE_CLIENT"
"""The source of the tags that OpenLineage's client adds to each run, such as its own version: nobody looks for them."""

NAMESPACES, SOURCES, TAGS = "headwater:namespaces", "headwater:sources", "headwater:tags"
INSIGHTS, ALERTS, SETTINGS = "headwater:insights", "headwater:alerts", "headwater:settings"
"""Reserved namespaces. A dataset in them stands for a namespace, a data source, a tag, a kind of insights, an alert,
the alerts of one type about one node, or the settings; its facets describe that."""
SETTINGS_NAME = Name(SETTINGS, "headwater.yml")
HIDDEN = "headwater:hidden"
"""The namespace of nodes that a caller may not read and never named."""
ALL_COLUMNS = "*"
"""The column that stands for the columns of a dataset that the caller does not read."""
RESERVED = frozenset({NAMESPACES, SOURCES, TAGS, INSIGHTS, ALERTS, SETTINGS, HIDDEN})


def is_curation(event: AnyEvent) -> bool:
    """Whether an event only curates its node and does not use it: a judgement is not an event of its run."""
    if isinstance(event, RunEvent):
        return JUDGEMENT in event.run_facets and event.type == "OTHER" and not (event.inputs or event.outputs)
    facets = event.dataset.facets if isinstance(event, DatasetEvent) else event.job.facets
    has_datasets = not isinstance(event, DatasetEvent) and bool(event.inputs or event.outputs)
    is_ours = CATALOG in facets or all(name.startswith(PREFIX) for name in facets)
    return bool(facets) and not has_datasets and is_ours


def tag_facet(tag: str, field: str | None = None) -> str:
    """The name of the facet that stands for a tag, on a node or on one of its fields.

    The tag's length keeps the tag `a:b` apart from the tag `a` on the field `b`.
    """
    return f"{_TAG}:{len(tag)}:{tag}" if field is None else f"{_TAG}:{len(tag)}:{tag}:{field}"


class SentTag(NamedTuple):
    """A tag in the `tags` facet of a producer, on a node or on one of its fields. `source` is who gave it."""

    key: str
    value: str | None
    source: str | None
    field: str | None

    @classmethod
    def of(cls, entry: Any) -> "SentTag | None":
        """The tag in an entry of the facet; None for an entry of another form. A tag without a value has the value
        `true`, as in Marquez."""
        match entry:
            case {"key": str(key)} if key:
                value = entry.get("value")
                told = "false" if value is False else str(value) if type(value) in (str, int) else ""
                source, field = (entry.get(member) for member in ("source", "field"))
                return cls(
                    key,
                    None if told.casefold() in ("", "true") else told,
                    source if source and isinstance(source, str) else None,
                    None if field is None else str(field),
                )
        return None

    @property
    def text(self) -> str:
        """The tag as it is shown and asked for: `classification=PII`, or `gold` of a tag without a value."""
        return self.key if self.value is None else f"{self.key}={self.value}"


def sent_tags(facets: Mapping[str, Any]) -> Iterator[SentTag]:
    """The tags in the `tags` facet of a producer."""
    facet = facets.get(SENT_TAGS)
    entries = facet.get("tags") if isinstance(facet, dict) else None
    return filter(None, map(SentTag.of, entries if isinstance(entries, list) else ()))


def run_tags(run_facets: Mapping[str, Any]) -> dict[str, Any] | None:
    """The `tags` facet of a run, without the tags that a client adds; None if none is left. It is kept with the job."""
    facet = run_facets.get(SENT_TAGS)
    entries = facet.get("tags") if isinstance(facet, dict) else None
    read = [(entry, SentTag.of(entry)) for entry in entries] if isinstance(entries, list) else []
    lasting = [entry for entry, tag in read if tag and tag.source != CLIENT_TAGS]
    return {"tags": lasting} if lasting else None


def tags(facets: Mapping[str, Any], field: str | None = None) -> list[str]:
    """The texts of the tags of a node or of one of its fields."""
    return list(_with_sources(facets, field))


def _with_sources(facets: Mapping[str, Any], field: str | None) -> dict[str, str | None]:
    """The tags of a node or of one of its fields, by their texts, each with its source: tags that producers sent, and
    tags put through the API, which have none. A tag that was removed through the API (`isRemoved`), by its text or its
    key, stays removed, however often a producer sends it."""
    ours = [facet for name, facet in facets.items() if name.startswith(f"{_TAG}:") and isinstance(facet, dict)]
    of_field = [facet for facet in ours if facet.get("field") == field and isinstance(facet.get("tag"), str)]
    removed = {facet["tag"] for facet in of_field if facet.get("isRemoved")}
    put: dict[str, str | None] = {facet["tag"]: None for facet in of_field if not facet.get("isRemoved")}
    sent = [tag for tag in sent_tags(facets) if tag.field == field and not {tag.key, tag.text} & removed]
    return dict(sorted({**put, **{tag.text: tag.source for tag in sent}}.items()))


def shown_tags(facets: Mapping[str, Any], field: str | None = None) -> dict[str, Any]:
    """The members of an answer: the tags of a node or of one of its fields as texts, as Marquez's clients read them,
    and the sources of those that have one."""
    own = _with_sources(facets, field)
    sources = {tag: source for tag, source in own.items() if source}
    return {"tags": list(own), **({"tagSources": sources} if sources else {})}


def all_tags(facets: Mapping[str, Any]) -> set[str]:
    """The tags that facets give a node or any of its fields, removed ones too, except those that a client adds."""
    ours = [facet.get("tag") for name, facet in facets.items() if name.startswith(_TAG) and isinstance(facet, dict)]
    sent = {tag.text for tag in sent_tags(facets) if tag.source != CLIENT_TAGS}
    return sent | {tag for tag in ours if isinstance(tag, str)}


def current_tags(facets: Mapping[str, Any]) -> set[str]:
    """The tags that a node or any of its fields has."""
    ours = [facet.get("field") for name, facet in facets.items() if name.startswith(_TAG) and isinstance(facet, dict)]
    fields = {field for field in ours if isinstance(field, str)} | {tag.field for tag in sent_tags(facets)}
    return {tag for field in (None, *fields) for tag in tags(facets, field)}


def is_among(asked: str, tags: Iterable[str]) -> bool:
    """Whether a tag is among those of a node, by its text or its key, in any case."""
    own = {tag.casefold() for tag in tags}
    return asked.casefold() in own | {tag.partition("=")[0] for tag in own}


def tagging(facets: Mapping[str, Any]) -> dict[str, Any]:
    """The facets that tag a node or its fields. Most nodes have none; then no field has to be looked at."""
    return {name: facet for name, facet in facets.items() if name == SENT_TAGS or name.startswith(f"{_TAG}:")}


def called(facets: Mapping[str, Any]) -> str | None:
    """What the author of a job calls it; None if that is the job's name."""
    match facets.get(CALLED):
        case {"name": str(name)}:
            return name
    return None


def deleted_through(facets: Mapping[str, Any]) -> Instant | None:
    """The event time up to which a node is deleted."""
    match facets.get(DELETED):
        case {"through": str(time)}:
            return Instant(time)
    return None


def acknowledgement(facets: Mapping[str, Any]) -> dict[str, Any] | None:
    """Who acknowledged an alert, when and why: the members for an answer."""
    match facets.get(ACKNOWLEDGED):
        case {"at": str(at), "by": str(by), "note": str(note)}:
            return {"at": shown(Instant(at)), "by": by, "note": note}
    return None


class AlertSilence(NamedTuple):
    """The newest silence of the alerts of one type about one node. It may be over."""

    since: Instant
    until: Instant
    by: str
    note: str

    @classmethod
    def of(cls, facets: Mapping[str, Any]) -> "AlertSilence | None":
        match facets.get(SILENCED):
            case {"since": str(since), "until": str(until), "by": str(by), "note": str(note)}:
                return cls(Instant(since), Instant(until), by, note)
        return None

    def covers(self, now: Instant) -> bool:
        return self.since <= now < self.until

    def as_json(self) -> dict[str, Any]:
        return {"since": shown(self.since), "until": shown(self.until), "by": self.by, "note": self.note}


def settings_as_json(facet: Mapping[str, Any] | None) -> dict[str, Any]:
    """The settings as text and as JSON, and who put them when; empty if nobody has."""
    match facet:
        case {"text": str(text), "document": document, "at": str(at), "by": str(by), **others}:
            settings = document | {name: others[name] for name in others.keys() & {"groups"}}
            return {"text": text, "settings": settings, "updatedAt": shown(Instant(at)), "updatedBy": by}
    return {"text": "", "settings": {}, "updatedAt": None, "updatedBy": None}


def without_curation(facets: Facets) -> dict[str, Any]:
    """Facets without those of curation. Owners that were set through the API are the `ownership` facet."""
    sent = {name: facet for name, facet in facets.items() if not name.startswith(PREFIX)}
    return {**sent, "ownership": facets[OWNED]} if facets.get(OWNED) else sent
