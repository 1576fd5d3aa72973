"""Whether jobs read datasets, and when jobs last wrote them."""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from itertools import chain, islice, zip_longest
from typing import NamedTuple

from headwater.graph.facets.register import values
from headwater.graph.names.identity import DatasetId, JobId
from headwater.graph.producers import kind_of, producer_of
from headwater.graph.states.job import JobHead
from headwater.graph.states.neighbours import NO_NEIGHBOURS, Neighbours, Side
from headwater.read.good_writes import KnownWriters, LastWrite, last_writes
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader

LISTED, MAX_WRITERS = 100, 300
"""Jobs that are read for each hundred datasets of a list: three for each."""
ONE = 1


class JobUsages(NamedTuple):
    """What all jobs do with a dataset, by any of its names.

    is_read         whether a job reads the dataset or has ever read it, also a job that was deleted since. A job that
                    writes the dataset, too, does not count: a MERGE reads its own target
    written         the last write; unknown if more jobs write the dataset than were read
    is_inferred     whether nothing is known of the dataset but queries that read it, perhaps only to infer a schema
    """

    is_read: bool
    written: LastWrite
    is_inferred: bool


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
    written, inferred = last_writes(reader, known), _inferred(reader, around, users)
    return {
        dataset: JobUsages(
            bool(jobs[Side.READS] - writers[dataset]), written.get(dataset, LastWrite()), dataset in inferred
        )
        for dataset, jobs in users.items()
    }


def inferred_folders(reader: Reader, ids: Collection[DatasetId]) -> set[DatasetId]:
    """Those of some datasets of which nothing is known but queries that read them, perhaps only to infer a schema: two
    reads."""
    around = reader.neighbourhood(ids, (Side.READS,), ONE) if ids else Neighbourhood()
    users = {dataset: around.users.get(around.representative(dataset), NO_NEIGHBOURS) for dataset in ids}
    return _inferred(reader, around, users)


def _inferred(reader: Reader, around: Neighbourhood, users: Mapping[DatasetId, Neighbours]) -> set[DatasetId]:
    """The datasets without a writer, a schema and facets whose readers all may only infer a schema: one read, if there
    is a dataset of which nothing is known but its readers."""
    readers: dict[DatasetId, AbstractSet[JobId]] = {}
    for dataset, jobs in users.items():
        node = around.representative(dataset)
        head = around.heads.get(node)
        is_bare = head is not None and not (
            head.has_writer or head.schema_digest or head.facts.described or head.facts.own
        )
        if is_bare and node not in around.unread and jobs[Side.READS] and not jobs[Side.WRITES]:
            readers[dataset] = jobs[Side.READS]
    heads = reader.jobs({job for jobs in readers.values() for job in jobs}, usages=False) if readers else {}
    infer = {job for job, head in heads.items() if _infers(head)}
    return {dataset for dataset, jobs in readers.items() if jobs <= infer}


def _infers(head: JobHead) -> bool:
    facets = values(head.facts.facets)
    return producer_of(facets).infers_a_schema(kind_of(facets), head.facts.name.name)


def _first_of_each(lists: Iterable[list[JobId]], most: int) -> AbstractSet[JobId]:
    """The first writer of each dataset, then the second of each, and so on."""
    ranked = (job for job in chain.from_iterable(zip_longest(*lists)) if job is not None)
    return set(islice(dict.fromkeys(ranked), most))
