"""A dataset: what is said of it, by the jobs that use it and by DatasetEvents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from headwater.graph.curation import SOURCES as NAMED_SOURCES
from headwater.graph.curation import deleted_through, is_curation
from headwater.graph.dataset_reference import (
    COLUMN_LINEAGE,
    DATA_SOURCE,
    QUALITY,
    SCHEMA,
    SOURCES,
    dataset_facets,
    dataset_references,
)
from headwater.graph.identity import NodeId
from headwater.graph.naming import Naming
from headwater.graph.register import Register, Registers, Stamp, join_registers, stamp, values
from headwater.openlineage import exact_json
from headwater.openlineage.event import AnyEvent, DatasetEvent, Facets, Name
from headwater.openlineage.instant import NEVER, Instant

_PLAIN = Naming()
KEPT_USERS = 3
ELSEWHERE = frozenset({COLUMN_LINEAGE, SOURCES}) | QUALITY
"""Facets that are a job's word on its output, or a run's on its data; they stay with those."""


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """What events say of a dataset directly: `created` is the earliest that names it, `own` is from DatasetEvents.

    A dataset of several spellings goes by its plain one, else by the one that was said first: `named` is when. `said`
    is the newest DatasetEvent that says something of the data, and not only what somebody thinks of it.
    """

    name: Name
    named: Instant
    created: Instant
    own: Registers
    said: Instant = NEVER

    @classmethod
    def all_of(cls, event: AnyEvent) -> "Iterable[DatasetFacts]":
        """What one event says of each dataset it names, and of the data sources that those name."""
        described = event.dataset if isinstance(event, DatasetEvent) else None
        for reference in dataset_references(event):
            own = dataset_facets(reference.facets, stamp(event)) if reference is described else {}
            said = event.time if reference is described and not is_curation(event) else NEVER
            yield cls(reference.name, event.time, event.time, own, said)
            source = _source(reference.facets)
            if source:
                yield cls(source[0], event.time, event.time, source[1])

    def join(self, other: "DatasetFacts | None") -> "DatasetFacts":
        if other is None or other == self:
            return self
        called = min(self, other, key=lambda facts: (not _is_plain(facts.name), facts.named, facts.name))
        created = min(self.created, other.created)
        own = join_registers(self.own, other.own)
        return DatasetFacts(called.name, called.named, created, own, max(self.said, other.said))


@dataclass(frozen=True, slots=True)
class DatasetHead:
    """A dataset's facts, and its facets: the newest of each name that any job or DatasetEvent has said.

    Who said what and when is in the heads of the jobs, which each run writes anyhow; the dataset's head holds only the
    outcome, so that a run which says nothing new does not write it. `schema` is the facet behind the digest in
    `facets`. `written` is the digest of the schema that it was last written with, or that a DatasetEvent gave it since:
    a reader may say another, for it may have looked before. `columns` has the digest of the column lineage that each
    job gives of it; `users` are a few of its jobs, writers first. `is_deleted` says that somebody deleted it and that
    nothing newer was heard of it since. `reselecting` marks a head whose facets are being chosen anew; it is never
    there once a fold is through.
    """

    facts: DatasetFacts
    facets: Mapping[str, Any] = field(default_factory=dict)
    schema: Any = None
    written: str | None = None
    columns: Mapping[NodeId, str] = field(default_factory=dict)
    users: tuple[tuple[int, NodeId], ...] = ()
    is_deleted: bool = False
    reselecting: str | None = None

    def disagrees_with(self, said: Registers) -> bool:
        """Whether someone who says this has another opinion of a facet, newer or older, than this head."""
        return any(self.facets.get(name) != said[name].value for name in _in_head(said))

    def was_written_otherwise(self, wrote: Iterable[Register]) -> bool:
        """Whether someone says that it has another schema than the one it was last written with, by this head."""
        return any(register.value != self.written for register in wrote)

    @property
    def column_lineage(self) -> Register | None:
        """The digest of the column lineage that a DatasetEvent gave, and when; mostly jobs give it."""
        register = self.facts.own.get(COLUMN_LINEAGE)
        return register if register and register.value is not None else None

    @property
    def schema_digest(self) -> str | None:
        digest = self.facets.get(SCHEMA)
        return digest if isinstance(digest, str) else None

    @property
    def deleted_through(self) -> Instant | None:
        return deleted_through(self.facets)


def newest_facets(said: Iterable[Registers]) -> dict[str, Any]:
    """The facets of a dataset: the newest of each name over everybody who said something of it."""
    newest = values(reduce(join_registers, said, {}))
    return {name: newest[name] for name in _in_head(newest)}


def newest_written(wrote: Iterable[Register]) -> str | None:
    """The digest of the schema that a dataset was last written with, of all that anybody says."""
    newest = max(wrote, key=lambda register: register.stamp, default=None)
    return newest.value if newest else None


def first_users(users: Iterable[tuple[int, NodeId]]) -> tuple[tuple[int, NodeId], ...]:
    """A few of a dataset's jobs, as (0 for a writer, 1 for a reader; the job), writers first."""
    best: dict[NodeId, int] = {}
    for rank, job in users:
        best[job] = min(rank, best.get(job, rank))
    return tuple(sorted((rank, job) for job, rank in best.items())[:KEPT_USERS])


def _source(facets: Facets) -> tuple[Name, Registers] | None:
    """The data source that a dataset names, as a node of its own. Of several URIs for one name, which one counts does
    not depend on time, so that no run writes it anew; what somebody says of the source itself is newer than any."""
    match facets.get(DATA_SOURCE):
        case {"name": str(name), "uri": str(uri)} if name:
            said = {"name": name, "uri": uri}
            at = Stamp("0" * 30 + exact_json.digest(said))
            return Name(NAMED_SOURCES, name), {DATA_SOURCE: Register(at, said)}
    return None


def _is_plain(name: Name) -> bool:
    return _PLAIN.identify(name).identity == name


def _in_head(names: Iterable[str]) -> list[str]:
    return [name for name in names if name not in ELSEWHERE]
