"""Whether jobs read datasets, and when jobs last wrote them."""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader

MAX_WRITERS = 300
"""Jobs that are read for a list of datasets: three for each of a hundred."""
ONE = 1


class JobUsages(NamedTuple):
    """What all jobs do with a dataset, by any of its names.

    is_read         whether a job reads the dataset or has ever read it, also a job that was deleted since. A job that
                    writes the dataset, too, does not count: a MERGE reads its own target
    last_written    the last event time of the jobs that write the dataset; None if no job writes it, or more jobs than
                    were read
    """

    is_read: bool
    last_written: Instant | None


def job_usages(reader: Reader, ids: Collection[DatasetId]) -> dict[DatasetId, JobUsages]:
    """What jobs do with each of some datasets. A hundred datasets take two reads, and one for each hundred of their
    writers, of which `MAX_WRITERS` are read. Datasets with other names, or with more readers than fit into a page, take
    a read more: one level of pages has a reader.
    """
    around = reader.neighbourhood(ids, (Side.READS,), ONE)
    users = {dataset: around.users.get(around.representative(dataset), NO_NEIGHBOURS) for dataset in ids}
    writers = {dataset: jobs[Side.WRITES] for dataset, jobs in users.items()}
    asked = _first_of_each(map(sorted, writers.values()))
    heads = reader.jobs(asked)

    def last_written(dataset: DatasetId) -> Instant | None:
        names = around.ids_of(around.representative(dataset))
        return _last_written(heads, writers[dataset], names) if writers[dataset] <= asked else None

    return {
        dataset: JobUsages(bool(jobs[Side.READS] - writers[dataset]), last_written(dataset))
        for dataset, jobs in users.items()
    }


def _first_of_each(lists: Iterable[list[JobId]]) -> AbstractSet[JobId]:
    """The first writer of each dataset, then the second of each, and so on."""
    ranked = (job for job in chain.from_iterable(zip_longest(*lists)) if job is not None)
    return set(islice(dict.fromkeys(ranked), MAX_WRITERS))


def _last_written(
    heads: Mapping[JobId, JobHead], writers: Collection[JobId], ids: Collection[DatasetId]
) -> Instant | None:
    usages = [heads[job].facts.usages for job in writers if job in heads]
    uses = (used[dataset] for used in usages for dataset in ids if dataset in used)
    return max((use.last for use in uses if use.writes and use.last), default=None)
