"""A dataset: what is said of it, by the jobs that use it and by DatasetEvents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from headwater.graph.mention import COLUMN_LINEAGE, SCHEMA, dataset_facets, mentioned
from headwater.graph.register import Register, Registers, join_registers, stamp, values
from headwater.openlineage.event import AnyEvent, DatasetEvent, Name
from headwater.openlineage.instant import Instant


@dataclass(frozen=True, slots=True)
class DatasetFacts:
    """What events say of a dataset directly: `created` is the earliest that names it, `own` is from DatasetEvents."""

    name: Name
    created: Instant
    own: Registers

    @classmethod
    def all_of(cls, event: AnyEvent) -> "Iterable[DatasetFacts]":
        """What one event says of each dataset it names."""
        for mention in mentioned(event):
            own = dataset_facets(mention.facets, stamp(event)) if isinstance(event, DatasetEvent) else {}
            yield cls(mention.name, event.time, own)

    def join(self, other: "DatasetFacts | None") -> "DatasetFacts":
        if other is None or other == self:
            return self
        return DatasetFacts(self.name, min(self.created, other.created), join_registers(self.own, other.own))


@dataclass(frozen=True, slots=True)
class DatasetHead:
    """A dataset's facts, and its facets: the newest of each name that any job or DatasetEvent has said.

    Who said what and when is in the heads of the jobs, which each run writes anyhow; the dataset's head holds only the
    outcome, so that a run which says nothing new does not write it. `schema` is the facet behind the digest in
    `facets`. `settling` marks a head whose facets are being chosen anew; it is never there once a fold is through.
    """

    facts: DatasetFacts
    facets: Mapping[str, Any] = field(default_factory=dict)
    schema: Any = None
    settling: str | None = None

    def disagrees_with(self, said: Registers) -> bool:
        """Whether someone who says this has another opinion of a facet, newer or older, than this head."""
        return any(self.facets.get(name) != said[name].value for name in _in_head(said))

    @property
    def column_lineage(self) -> Register | None:
        """The digest of the column lineage that a DatasetEvent gave, and when; mostly jobs give it."""
        register = self.facts.own.get(COLUMN_LINEAGE)
        return register if register and register.value is not None else None

    @property
    def schema_digest(self) -> str | None:
        digest = self.facets.get(SCHEMA)
        return digest if isinstance(digest, str) else None


def newest_facets(said: Iterable[Registers]) -> dict[str, Any]:
    """The facets of a dataset: the newest of each name over everybody who said something of it."""
    newest = values(reduce(join_registers, said, {}))
    return {name: newest[name] for name in _in_head(newest)}


def _in_head(names: Iterable[str]) -> list[str]:
    """Column lineage is a job's word on its output; it stays with the job."""
    return [name for name in names if name != COLUMN_LINEAGE]
