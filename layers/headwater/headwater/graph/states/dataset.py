"""A dataset: its facts and its head, by the claims of jobs and by DatasetEvents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, reduce
from typing import Any

from headwater.graph.facets.curation import DELETED, deleted_through, is_curation
from headwater.graph.facets.curation import SOURCES as NAMED_SOURCES
from headwater.graph.facets.dataset_reference import (
    DATA_SOURCE,
    QUALITY,
    SOURCES,
    Document,
    dataset_facets,
    dataset_references,
    is_foreign,
    schema_register,
)
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, LONG_FACETS, SCHEMA
from headwater.graph.facets.register import Register, Registers, Stamp, join_registers, stamp, values
from headwater.graph.facets.renaming import Rename, is_of_rename, renames_to
from headwater.graph.facets.schema import (
    COLUMN,
    ORDER,
    REGISTRY,
    WORD,
    columns_among,
    fields_of,
    gone_among,
    partial_schema,
    with_words,
)
from headwater.graph.names.identity import DatasetId, JobId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, Facets, Name
from headwater.openlineage.instant import NEVER, Instant

_PLAIN = Naming(of_ids=True)
KEPT_USERS = 3
ELSEWHERE = frozenset({COLUMN_LINEAGE, SOURCES}) | QUALITY
"""Facets that a dataset's head does not copy: they stay with the job's usage, or with the run's quality results."""


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """What events say of a dataset, apart from the claims of jobs.

    name        the name to show: of several spellings the plain one, else the spelling that an event used first
    named       the earliest event time of that spelling
    created     the earliest event time that names the dataset
    own         the facets of its DatasetEvents
    described   the time of its newest DatasetEvent, not counting curation
    is_foreign  whether all events only name the dataset (`headwater_foreign`). Names and times of such events count
                until another event names the dataset
    """

    name: Name
    named: Instant
    created: Instant
    own: Registers
    described: Instant = NEVER
    is_foreign: bool = False

    @classmethod
    def all_of(cls, event: AnyEvent) -> "Iterable[DatasetFacts]":
        """The facts in one event: of each dataset that the event names, and of the data sources that the datasets
        name."""
        described = event.dataset if isinstance(event, DatasetEvent) else None
        sources: list[tuple[Name, Registers]] = []
        for reference in dataset_references(event):
            own = dataset_facets(reference.facets, stamp(event)) if reference is described else {}
            described_at = event.time if reference is described and not is_curation(event) else NEVER
            yield cls(reference.name, event.time, event.time, own, described_at, is_foreign(reference))
            source = _source(reference.facets)
            if source and source not in sources:
                sources.append(source)
                yield cls(source[0], event.time, event.time, source[1])

    @property
    def has_registered_schema(self) -> bool:
        """Whether the schema comes from a schema registry."""
        registry = self.own.get(REGISTRY)
        return registry is not None and registry.value is not None and schema_register(self.own) is not None

    def join(self, other: "DatasetFacts | None") -> "DatasetFacts":
        if other is None or other == self:
            return self
        if other.includes(self):  # another event of a known dataset, as most are
            return other
        confirmed = [facts for facts in (self, other) if not facts.is_foreign] or [self, other]
        shown = min(confirmed, key=lambda facts: (not _is_plain(facts.name), facts.named, facts.name))
        created = min(facts.created for facts in confirmed)
        own, described = join_registers(self.own, other.own), max(self.described, other.described)
        is_foreign = self.is_foreign and other.is_foreign
        return DatasetFacts(shown.name, shown.named, created, own, described, is_foreign)

    def includes(self, later: "DatasetFacts") -> bool:
        """Whether a later event adds nothing to these facts."""
        return (
            self.name == later.name
            and self.named <= later.named
            and self.created <= later.created
            and self.described >= later.described
            and self.is_foreign == later.is_foreign
            and not later.own
        )


@dataclass(frozen=True, slots=True)
class DatasetHead:
    """A dataset as it is now: its facts, and the newest claims of its jobs.

    The claims with their stamps are in the heads of the jobs, which each run writes anyway. The dataset's head copies
    only the outcome, so a run that claims nothing new does not write it.

    facets         the newest facet of each name, by any job or DatasetEvent; the schema by its digest
    said_before    those facets that nobody has said since a rename took this name away, each with the time of the first
                   such rename: they are of the dataset that had the name until then
    schema         the schema facet of that digest; without a digest, the columns of partial schemas (partial_schema)
    gone           the columns of partial schemas that the dataset has no more (facets/schema.py)
    column_order   the stamp of the order of the columns of partial schemas
    written        the digest of the schema that the dataset was last written with, by a job or a DatasetEvent. A reader
                   may claim another schema: it may have begun to read before the write
    columns        the digests of the column lineage that each job claims: several if its runs differ
    users          a few of the dataset's jobs, writers first
    is_deleted     whether the dataset was deleted and no newer event names it, or renamed and no newer event writes it
    reselecting    the mark of a head whose facets are being chosen anew; no head has it once a fold is complete
    is_foreign     the mark of a dataset that the caller may not read (visibility.py); no stored head has it
    """

    facts: DatasetFacts
    facets: Mapping[str, Any] = field(default_factory=dict)
    said_before: Mapping[str, Instant] = field(default_factory=dict)
    schema: Any = None
    gone: tuple[str, ...] = ()
    column_order: str = ""
    written: str | None = None
    columns: Mapping[JobId, tuple[str, ...]] = field(default_factory=dict)
    users: tuple[tuple[int, JobId], ...] = ()
    is_deleted: bool = False
    reselecting: str | None = None
    is_foreign: bool = False

    @property
    def id(self) -> DatasetId:
        return dataset_id(self.facts.name)

    def disagrees_with(self, facets: Registers) -> bool:
        """Whether one of these facets, newer or older, has another value in this head."""
        return (
            any(self.facets.get(name) != facets[name].value for name in _in_head(facets))
            or (self.schema_digest is None and self._lacks_columns_of(facets))
            or any(name in facets and facets[name].time > until for name, until in self.said_before.items())
        )

    def _lacks_columns_of(self, facets: Registers) -> bool:
        """Whether the partial schemas among the facets of a job have a column that this head lacks, another type, or a
        better order, or whether a column of the head is gone. Only a writer brings a column back."""
        if ORDER in facets and facets[ORDER].stamp > self.column_order:
            return True
        known, words = {field["name"]: field for field in fields_of(self.schema)}, with_words(facets)
        columns = {name: column for name, column in columns_among(facets).items() if known.get(name) != column}
        return not gone_among(words) <= {*self.gone} - known.keys() or any(
            name not in self.gone or f"{WORD}{name}" in words for name in columns
        )

    def was_written_otherwise(self, schemas: Iterable[Register]) -> bool:
        """Whether one of these schemas, with which the dataset was written, differs from `written`."""
        return any(register.value != self.written for register in schemas)

    @property
    def column_lineage(self) -> Register | None:
        """The register of the column lineage's digest in a DatasetEvent; usually jobs send column lineage."""
        register = self.facts.own.get(COLUMN_LINEAGE)
        return register if register and register.value is not None else None

    @property
    def has_writer(self) -> bool:
        """Whether a job ever wrote the dataset, by this name: the writers are the first of the `users`."""
        return any(rank == 0 for rank, _ in self.users)

    @property
    def schema_digest(self) -> str | None:
        digest = self.facets.get(SCHEMA)
        return digest if isinstance(digest, str) else None

    @property
    def complete_schema(self) -> Any:
        """The schema, if an event had all columns; else None."""
        return None if self.schema_digest is None else self.schema

    @property
    def deleted_through(self) -> Instant | None:
        return deleted_through(self.facets)

    @property
    def renamed(self) -> Rename | None:
        """The rename that ended this name. A later write under it makes another dataset. Deleting the dataset deletes
        its old names, too."""
        rename = self._newest_rename if self.is_deleted else None
        return rename if rename and rename.at > (self.deleted_through or NEVER) else None

    @property
    def _newest_rename(self) -> Rename | None:
        return next(reversed(renames_to(self.facets)), None)

    @property
    def ended_through(self) -> Instant | None:
        """The event time up to which the dataset is deleted or renamed."""
        rename = self._newest_rename
        return min([time for time in (self.deleted_through, rename and rename.at) if time], default=None)

    def with_write(self, said: Registers, schema: Document | None) -> "DatasetHead":
        """The head, with what a write said of the dataset where nothing else is known."""
        elsewhere = (*LONG_FACETS, *ELSEWHERE, "version")
        facets = {name: facet for name, facet in values(said).items() if name not in elsewhere}
        head = replace(self, facets={**facets, **self.facets})
        if schema is None or self.schema is not None:
            return head
        return replace(head, facets={**head.facets, SCHEMA: schema.digest}, schema=schema.value)

    def with_deletion(self, last: Instant, last_write: Instant) -> "DatasetHead":
        """The head with `is_deleted`, by the times of the last event that names the dataset, and of the last that
        writes it. The job that reads an old name may have begun before the rename: it brings nothing back."""
        through, rename = self.deleted_through, self._newest_rename
        is_deleted = (through is not None and last <= through) or (rename is not None and last_write <= rename.at)
        return self if is_deleted == self.is_deleted else replace(self, is_deleted=is_deleted)


def with_newest_facets(head: DatasetHead, claims: Iterable[Registers]) -> DatasetHead:
    """A dataset's head with its facets: the newest of each name among its jobs' claims and its DatasetEvents, and the
    columns of partial schemas if there is no schema."""
    newest: Registers = reduce(join_registers, claims, {})
    known = values(newest)
    facets = {name: known[name] for name in _in_head(known)}
    head = replace(head, facets=facets, said_before=_said_before(facets, newest))
    if SCHEMA in facets:
        return head
    gone, order = tuple(sorted(gone_among(newest))), newest.get(ORDER)
    return replace(head, schema=partial_schema(newest), gone=gone, column_order=order.stamp if order else "")


def _said_before(facets: Mapping[str, Any], registers: Registers) -> dict[str, Instant]:
    """`DatasetHead.said_before` of a head with these facets."""
    times = [rename.at for rename in renames_to(facets)]
    lasting = [name for name in facets if times and name != DELETED and not is_of_rename(name)]
    ended = {name: next((at for at in times if registers[name].time <= at), None) for name in lasting}
    return {name: at for name, at in ended.items() if at}


def without_schema(claimed: Registers) -> Registers:
    """The claims of jobs without those of the schema, or of single columns."""
    return {name: register for name, register in claimed.items() if name != SCHEMA and not name.startswith(COLUMN)}


def first_users(users: Iterable[tuple[int, JobId]]) -> tuple[tuple[int, JobId], ...]:
    """A few of a dataset's jobs, writers first. A user is a pair: 0 for a writer or 1 for a reader, and the job."""
    best: dict[JobId, int] = {}
    for rank, job in users:
        best[job] = min(rank, best.get(job, rank))
    return tuple(sorted((rank, job) for job, rank in best.items())[:KEPT_USERS])


def _source(facets: Facets) -> tuple[Name, Registers] | None:
    """The data source that a dataset names, as a dataset of a reserved namespace, with its facets.

    If a source has several URIs, the one with the greatest digest counts, whatever the event times, so that runs do not
    rewrite it. A description given through the API always wins.
    """
    match facets.get(DATA_SOURCE):
        case {"name": str(name), "uri": str(uri)} if name:
            return Name(NAMED_SOURCES, name), {DATA_SOURCE: _source_register(name, uri)}
    return None


@lru_cache(maxsize=1_000)
def _source_register(name: str, uri: str) -> Register:
    source = {"name": name, "uri": uri}
    return Register(Stamp("0" * 30 + exact_json.digest(source)), source)


def _is_plain(name: Name) -> bool:
    return _PLAIN.identify(name).identity == name


def _in_head(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in ELSEWHERE and not name.startswith(COLUMN)]
