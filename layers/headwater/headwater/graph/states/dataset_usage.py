"""One job's use of one dataset over all its runs."""

from dataclasses import dataclass
from typing import NamedTuple

from headwater.graph.facets.register import Register, Registers, join_registers
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant


class RunOrder(NamedTuple):
    """A run by its start; sorts the runs of a job."""

    started_at: Instant
    run_id: str


@dataclass(frozen=True, slots=True)
class DatasetUsage:
    """A job's use of one dataset over all the job's runs.

    name       the dataset's name as the job sent it
    reads      whether the job ever read the dataset
    writes     whether the job ever wrote the dataset
    last       the time of the job's last event that names the dataset; empty if all of them only name it
               (`headwater_foreign`): such an event uses a dataset without the right to change what its owner sees
    facets     the newest facet of each name that the job sent for the dataset
    quality    the last run of the job that sent assertions or metrics for the dataset
    wrote      the digest of the schema with which the job last wrote the dataset: of a dataset that the job reads too,
               `facets` may have the schema that was read
    """

    name: Name
    reads: bool
    writes: bool
    last: Instant
    facets: Registers
    quality: RunOrder | None = None
    wrote: Register | None = None

    def join(self, other: "DatasetUsage | None") -> "DatasetUsage":
        if other is None:
            return self
        facets = join_registers(self.facets, other.facets)
        quality = max((run for run in (self.quality, other.quality) if run), default=None)
        name, last = min(self.name, other.name), max(self.last, other.last)
        wrote = self.wrote.join(other.wrote) if self.wrote else other.wrote
        return DatasetUsage(name, self.reads or other.reads, self.writes or other.writes, last, facets, quality, wrote)
