"""A job, dataset or column that a change reaches, with the path there, and how the risk is known along it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from headwater.graph.facets.column_lineage import Steps
from headwater.graph.names.identity import DatasetId, JobId, NodeKind


class Granularity(StrEnum):
    """How the risk is known on the whole path; the weakest hop counts.

    COLUMN    by column lineage
    DATASET   a job on the path sends no column lineage for an output: the job may use the column
    UNKNOWN   a job on the path does not say what some columns of its output are made of, or its producer reports no
              filters and joins: the job may use the column for these
    """

    COLUMN = "column"
    DATASET = "dataset"
    UNKNOWN = "unknown"

    @property
    def weakness(self) -> int:
        return list(Granularity).index(self)


class ImpactedDataset(NamedTuple):
    """A dataset as a whole, or one of its columns."""

    id: DatasetId
    field: str | None = None

    @property
    def kind(self) -> NodeKind:
        return NodeKind.DATASET if self.field is None else NodeKind.FIELD


class ImpactedJob(NamedTuple):
    id: JobId

    @property
    def kind(self) -> NodeKind:
        return NodeKind.JOB


ImpactTarget = ImpactedJob | ImpactedDataset
"""The target of a propagation: a job, a dataset or a column."""


@dataclass(frozen=True, slots=True)
class ImpactedNode:
    """A target that the change reached from `origin` through `job`; `steps` are the transformations of the whole path.
    `guesses` counts the hops without a known column flow."""

    target: ImpactTarget
    distance: int
    granularity: Granularity
    is_indirect: bool = False
    origin: "ImpactedNode | None" = None
    job: JobId | None = None
    steps: tuple[Steps, ...] = ()
    guesses: int = 0

    @property
    def doubt(self) -> tuple[int, int, bool]:
        """The order of paths of the same length: columns before datasets, then known flows before hops that a job
        leaves open, then direct flows before indirect flows."""
        return self.granularity.weakness, self.guesses, self.is_indirect

    @property
    def as_table(self) -> "ImpactedNode":
        """The dataset in place of its column: a job may use any of its columns, and nobody knows which."""
        if not isinstance(self.target, ImpactedDataset):
            return self
        return replace(self, target=ImpactedDataset(self.target.id), steps=())

    @property
    def is_opened(self) -> bool:
        """Whether the job of the last hop is the first on the path that leaves open what it uses."""
        unknown = Granularity.UNKNOWN
        return self.granularity is unknown and self.origin is not None and self.origin.granularity is not unknown

    def is_surer_than(self, other: "ImpactedNode | None") -> bool:
        return other is None or self.granularity.weakness < other.granularity.weakness

    @property
    def path(self) -> list[ImpactTarget]:
        """The targets from the start to this target."""
        before = self.origin.path if self.origin else []
        return [*before, *([ImpactedJob(self.job)] if self.job else []), self.target]
