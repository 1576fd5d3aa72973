"""Search terms: where a search finds the names of datasets, jobs, columns, owners and tags, and the words of texts.

A term is a place in a short list. It is complete in itself, so a search reads only a few lists, however large the table
is:

    list                place                               found by
    d:cu  d:or          `customer orders` and the dataset   the beginning of the name at any of its words; likewise of
                                                            the names in its symlinks facets
    c:un  c:pr          `unit price`, `price` and `unit`    likewise; a name of many columns is there once
    c=unit price        a dataset with such a column        the whole name
    w:ordrs  w:orders   `orders`                            the word, also with a letter mistyped
    x:lo                `loyalty` and the dataset           the beginning of a word of its description, of that of one
                                                            of its columns, of the name of an exposure, or of a job's
                                                            SQL text
    q=20261120 0812     the run, and the month              the id that the engine has of the run's query

A term is never changed, and none but those of queries is ever removed. A search reads the heads of the nodes that it
found, and leaves out what is deleted, what has no such column any more, and what the caller may not read.
"""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.graph.facets.curation import CALLED, OWNED, RESERVED, SENT_TAGS, all_tags, called, run_tags, tagging
from headwater.graph.facets.dataset_reference import SYMLINKS, dataset_references, symlinks
from headwater.graph.facets.long_facet import SCHEMA, digest_of
from headwater.graph.facets.members import (
    DOCUMENTATION,
    EXPOSURES,
    MAX_SQL,
    OWNERSHIP,
    SQL,
    exposures_of,
    facet_text,
    owners_of,
    query_of,
)
from headwater.graph.facets.register import Registers, is_deletion, values
from headwater.graph.facets.schema import PARTIAL, columns_among, fields_of
from headwater.graph.names.identity import (
    DatasetId,
    JobId,
    NamespaceId,
    NodeId,
    dataset_id,
    identity_of,
    job_id,
    namespace_id,
)
from headwater.graph.names.naming import catalog_name, plain_namespace
from headwater.graph.names.search_words import plain_name, variants, words_in, words_of
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, Facets, Name, RunEvent
from headwater.openlineage.exact_json import JsonObject

_WITH_NAMES = frozenset({CALLED, OWNERSHIP, OWNED, PARTIAL, SYMLINKS, DOCUMENTATION, SQL, EXPOSURES})
"""Facets with owners, with columns, with other names, or with a text."""
_OF_QUERIES = "q="
"""The beginning of the lists of queries."""

END = "\x1f"
"""Ends the phrase of a place. It sorts before every letter and is in no word: `orders` sorts before `orders daily`."""


class NameKind(StrEnum):
    """What has a name that is searched."""

    DATASET = "d"
    JOB = "j"
    COLUMN = "c"
    OWNER = "o"
    TAG = "t"
    TEXT = "x"


class SearchTerm(NamedTuple):
    list: str
    place: str

    @property
    def id(self) -> "SearchTerm":
        return self

    def join(self, _same: "SearchTerm | None") -> "SearchTerm":
        return self


class Holder(NamedTuple):
    """A dataset or job that has a name, or a column, an owner or a tag of a name. Its namespace is the same for all
    spellings (`s3a://lake` and `s3://lake`)."""

    namespace: NamespaceId
    kind: NameKind
    node: NodeId

    @classmethod
    def of_dataset(cls, name: Name) -> "Holder":
        return cls(searched_namespace(name.namespace), NameKind.DATASET, dataset_id(name))

    @classmethod
    def of_job(cls, name: Name) -> "Holder":
        return cls(searched_namespace(name.namespace), NameKind.JOB, job_id(name))

    def __str__(self) -> str:
        return "#".join(self)


@lru_cache(maxsize=100)
def searched_namespace(namespace: str) -> NamespaceId:
    return namespace_id(plain_namespace(namespace))


def holder_of(text: str) -> Holder:
    namespace, kind, node = text.split("#")
    searched = NameKind(kind)
    return Holder(NamespaceId(namespace), searched, JobId(node) if searched is NameKind.JOB else DatasetId(node))


def names_list(kind: NameKind, phrase: str) -> str:
    """The list of the names of a kind that have a word with the first two letters of a phrase."""
    return f"{kind}:{phrase[:2]}"


def holders_list(kind: NameKind, plain_name: str) -> str:
    """The list of the nodes with a column, an owner or a tag of a name."""
    return f"{kind}={plain_name}"


def spelling_list(variant: str) -> str:
    return f"w:{variant}"


def query_list(query_id: str) -> str:
    """The list of the runs of a query, in any case of its id. An engine's id usually belongs to one run."""
    return f"{_OF_QUERIES}{plain_name(query_id.casefold())}"


def query_terms(event: AnyEvent) -> list[SearchTerm]:
    """The term of the id that an engine has of the query of an event's run. It expires with the run: its place has the
    month."""
    if not isinstance(event, RunEvent) or not (query := query_of(event.run_facets)):
        return []
    job = Holder.of_job(event.job.name)
    return [SearchTerm(query_list(query["id"]), f"{job}#{event.run_id}#{event.time[:7]}")]


def run_of(place: str) -> tuple[Holder, str]:
    """The job and the run id in a place of a list of queries."""
    holder, run_id, _ = place.rsplit("#", 2)
    return holder_of(holder), run_id


def month_of(term: SearchTerm) -> str | None:
    """The month of the event that a term goes with, `2026-11`; None for a term that stays."""
    return term.place[-7:] if term.list.startswith(_OF_QUERIES) else None


def job_terms(name: Name) -> list[SearchTerm]:
    return _node_terms(name.name, Holder.of_job(name))


def dataset_terms(name: Name) -> list[SearchTerm]:
    """The terms of a dataset's name, the same for all its spellings; none of what a reserved namespace describes."""
    if name.namespace in RESERVED:
        return []
    identity = identity_of(name)
    return _node_terms(identity.name, Holder.of_dataset(identity))


class KnownLabels(NamedTuple):
    """What is stored of a node: the registers of its head, the digests of its schemas, and a job's registers of its
    runs. The rest is worked out for the few nodes that have more than a schema."""

    registers: Registers
    schemas: Collection[Any]
    of_runs: Registers

    @property
    def facets(self) -> Facets:
        return values(self.registers)

    @property
    def columns(self) -> Mapping[str, JsonObject]:
        """The columns of its partial schemas."""
        return columns_among(self.registers)

    @property
    def tags(self) -> set[str]:
        return all_tags(self.facets) | all_tags(values(self.of_runs))


_NOTHING = KnownLabels({}, (), {})


Label = tuple[NameKind, str, Holder]
"""A column, an owner or a tag, another name of a dataset or job, or a word of a text, and the node that has it."""


class NodeFacets(NamedTuple):
    """A dataset or job in an event, with the event's facets of it."""

    holder: Holder
    facets: Facets

    @property
    def key(self) -> Hashable:
        """The same whenever the node has the same columns, owners, tags and texts."""
        schema = self.facets.get(SCHEMA)
        named = {name: self.facets[name] for name in _WITH_NAMES & self.facets.keys()} | tagging(self.facets)
        digest = digest_of(SCHEMA, schema) if schema is not None else None
        return self.holder.kind, self.holder.node, digest, exact_json.dumps(named) if named else None

    def labels(self, known: KnownLabels = _NOTHING) -> list[Label]:
        """The columns, owners, tags and words, except those already known."""
        facets, holder = self.facets, self.holder
        columns, texts = set[str](), list[str]()
        if _is_new(schema := facets.get(SCHEMA), known):
            columns.update(field["name"] for field in fields_of(schema))
            texts += [text for _, text in column_texts(schema)]
        found: list[Label] = []
        if not _WITH_NAMES.isdisjoint(facets) or tagging(facets):
            before = known.facets
            found += [(NameKind.OWNER, owner, holder) for owner in set(owners_of(facets)) - set(owners_of(before))]
            found += [(NameKind.TAG, tag, holder) for tag in all_tags(facets) - known.tags]
            if (own := called(facets)) and own != called(before):
                found.append((NameKind.JOB, own, holder))
            if (linked := facets.get(SYMLINKS)) != before.get(SYMLINKS):
                found += [(NameKind.DATASET, catalog_name(name) or name.name, holder) for name in symlinks(linked)]
            texts += _texts(facets, known)
            columns |= {field["name"] for field in fields_of(facets.get(PARTIAL))} - known.columns.keys()
        words = {word for text in texts for word in words_in(text)}
        found += [(NameKind.TEXT, word, holder) for word in words]
        return found + [(NameKind.COLUMN, column, holder) for column in columns]


def labels_in(event: AnyEvent, known: Mapping[NodeId, KnownLabels]) -> list[Label]:
    """The columns, owners and tags in an event, except those already known of their node."""
    nodes = node_facets_in(event)
    return [label for node in nodes for label in node.labels(known.get(node.holder.node, _NOTHING))]


def terms_of_labels(labels: Iterable[Label]) -> list[SearchTerm]:
    """The terms of columns, owners, tags and words. A name that many tables share is split only once."""
    terms: list[SearchTerm] = []
    holders: dict[tuple[NameKind, str], set[Holder]] = {}
    for kind, name, holder in labels:
        if kind is NameKind.DATASET or kind is NameKind.JOB:
            terms += _node_terms(name, holder)
        elif kind is NameKind.TEXT:
            terms.append(SearchTerm(names_list(kind, name), f"{name}{END}{holder}"))
        else:
            holders.setdefault((kind, name), set()).add(holder)
    places = {holder: str(holder) for holder in set[Holder]().union(*holders.values())}
    words = {name: words_of(name) for _, name in holders}
    for (kind, name), holding in holders.items():
        give_way()
        for phrase, before in _phrases(words[name]):
            terms.append(SearchTerm(names_list(kind, phrase), f"{phrase}{END}{before}"))
            if not before:
                whole = holders_list(kind, phrase)
                terms += [SearchTerm(whole, places[holder]) for holder in holding]
    return terms + _spellings({word for of_name in words.values() for word in of_name})


def node_facets_in(event: AnyEvent) -> Iterator[NodeFacets]:
    """The nodes that an event describes, none of a reserved namespace."""
    if not isinstance(event, DatasetEvent) and event.job.name.namespace not in RESERVED:
        job = Holder.of_job(event.job.name)
        yield NodeFacets(job, event.job.facets)
        if isinstance(event, RunEvent) and (of_run := run_tags(event.run_facets)):
            yield NodeFacets(job, {SENT_TAGS: of_run})
    for reference in dataset_references(event):
        if reference.name.namespace not in RESERVED:
            yield NodeFacets(Holder.of_dataset(identity_of(reference.name)), reference.facets)


def _is_new(schema: Any, known: KnownLabels) -> bool:
    return schema is not None and not is_deletion(schema) and digest_of(SCHEMA, schema) not in known.schemas


def _texts(facets: Facets, known: KnownLabels) -> list[str]:
    """The texts of a node apart from its schema, except those already known."""
    before, columns = set(texts_of(known.facets)), known.columns
    texts = [text for place, text in texts_of(facets) if (place, text) not in before]
    described = column_texts(facets.get(PARTIAL))
    return texts + [text for column, text in described if columns.get(column, {}).get("description") != text]


def texts_of(facets: Facets) -> Iterator[tuple[str, str]]:
    """The texts by which a node is found, each with where it stands: `description`, `sql`, `exposure weekly_report`."""
    for place, facet, member in (("description", DOCUMENTATION, "description"), ("sql", SQL, "query")):
        if text := facet_text(facets, facet, member):
            yield place, text[:MAX_SQL]
    yield from ((f"exposure {exposure['name']}", exposure["name"]) for exposure in exposures_of(facets))


def column_texts(schema: Any) -> Iterator[tuple[str, str]]:
    """The columns of a schema that have a description, with it."""
    for field in fields_of(schema):
        if isinstance(text := field.get("description"), str):
            yield field["name"], text


def _node_terms(name: str, holder: Holder) -> list[SearchTerm]:
    words, kind, end = words_of(name), holder.kind, f"{END}{holder}"
    return [SearchTerm(names_list(kind, phrase), phrase + end) for phrase, _ in _phrases(words)] + _spellings(words)


def _phrases(words: list[str]) -> list[tuple[str, str]]:
    """The name from each of its words on, and the words before."""
    return [(" ".join(words[at:]), " ".join(words[:at])) for at in range(len(words))]


def _spellings(words: Iterable[str]) -> list[SearchTerm]:
    return [term for word in words for term in _spellings_of(word)]


@lru_cache(maxsize=1_000)
def _spellings_of(word: str) -> tuple[SearchTerm, ...]:
    """The terms of a word, cached: names are made of few words, each used many times."""
    return tuple(SearchTerm(spelling_list(variant), word) for variant in variants(word))
