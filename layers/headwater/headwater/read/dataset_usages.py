"""Whether jobs read datasets, and when jobs last wrote them."""

from collections.abc import Collection, Iterable
from collections.abc import Set as AbstractSet
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Side
from headwater.read.good_writes import KnownWriters, LastWrite, last_writes
from headwater.read.reader import Reader

LISTED, MAX_WRITERS = 100, 300
"""Jobs that are read for each hundred datasets of a list: three for each."""
ONE = 1


class JobUsages(NamedTuple):
    """What all jobs do with a dataset, by any of its names.

    is_read         whether a job reads the dataset or has ever read it, also a job that was deleted since. A job that
                    writes the dataset, too, does not count: a MERGE reads its own target
    written         the last write; unknown if more jobs write the dataset than were read
    """

    is_read: bool
    written: LastWrite


def job_usages(reader: Reader, ids: Collection[DatasetId]) -> dict[DatasetId, JobUsages]:
    """What jobs do with each of some datasets. A hundred datasets take two reads, and one for each hundred of their
    writers, of which `MAX_WRITERS` are read for each hundred. Datasets whose last write went amiss are looked up
    (`last_writes`). Datasets with other names, or with more readers than fit into a page, take
    a read more: one level of pages has a reader.
    """
    around = reader.neighbourhood(ids, (Side.READS,), ONE)
    users = {dataset: around.users.get(around.representative(dataset), NO_NEIGHBOURS) for dataset in ids}
    writers = {dataset: jobs[Side.WRITES] for dataset, jobs in users.items()}
    asked = _first_of_each(map(sorted, writers.values()), MAX_WRITERS * -(-len(ids) // LISTED))
    heads = reader.jobs(asked)
    known = {
        dataset: KnownWriters(
            around.ids_of(around.representative(dataset)),
            [heads[job] for job in sorted(jobs & heads.keys())],
            spans=around.renamed.get(around.representative(dataset), ()),
        )
        for dataset, jobs in writers.items()
        if jobs <= asked
    }
    written = last_writes(reader, known)
    return {
        dataset: JobUsages(bool(jobs[Side.READS] - writers[dataset]), written.get(dataset, LastWrite()))
        for dataset, jobs in users.items()
    }


def _first_of_each(lists: Iterable[list[JobId]], most: int) -> AbstractSet[JobId]:
    """The first writer of each dataset, then the second of each, and so on."""
    ranked = (job for job in chain.from_iterable(zip_longest(*lists)) if job is not None)
    return set(islice(dict.fromkeys(ranked), most))
