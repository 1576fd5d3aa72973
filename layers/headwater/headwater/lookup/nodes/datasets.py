"""Single datasets and lists of datasets, with the facets that their jobs report."""

from collections.abc import Collection, Iterator
from operator import is_

from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.http.marquez import datasets as marquez
from headwater.http.paging import next_cursor
from headwater.http.request import ApiRequest
from headwater.lookup.subjects import ListedDatasets
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import DocumentText, JsonObject
from headwater.openlineage.instant import Instant, instant_of
from headwater.read.dataset_details import DatasetDetails, list_dataset_details, read_dataset_details
from headwater.read.dataset_usages import JobUsages, job_usages
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.store.graph_store import GraphReader


def datasets(reader: Reader, request: ApiRequest, listed: ListedDatasets) -> JsonObject:
    """The datasets of a namespace, by name: four reads for a hundred datasets. `withUsage` adds what their jobs do with
    them, for up to six reads more, and leaves out what Spark only infers a schema of."""
    page, ids = request.page(), [entry.id for entry in listed.entries]
    usages = job_usages(reader, ids) if request.flag("withUsage") else {}
    inferred = {dataset for dataset, usage in usages.items() if usage.is_inferred}
    details = list_dataset_details(reader, [each for each in ids if each not in inferred], with_cautions=not usages)
    documents = [_text(reader, each, usages.get(each.head.id)) for each in details]
    return {
        "totalCount": listed.total - len(inferred),
        "datasets": documents,
        **next_cursor(page, listed.entries, listed.total),
    }


class _Content:
    """What the JSON of a listed dataset is made of, beside its head. States count as the same only if they are one:
    two that are equal may write a number with other digits."""

    def __init__(self, details: DatasetDetails, usage: JobUsages | None) -> None:
        self.details, self.usage = details, usage
        owners = exact_json.encode(details.ownership)
        self._facts = (details.last_used, details.is_dropped, details.written, usage, owners)
        self._states = (details.last_write, details.quality, details.input_statistics, *details.column_lineage)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Content) or len(self._states) != len(other._states):
            return False
        return self._facts == other._facts and all(map(is_, self._states, other._states))

    __hash__ = None  # type: ignore[assignment]


def _text(reader: Reader, details: DatasetDetails, usage: JobUsages | None) -> DocumentText:
    """The JSON of a listed dataset, kept for what it is made of."""
    return DocumentText(reader.store.made(_encoded, details.head, _Content(details, usage)))


def _encoded(head: DatasetHead, told: _Content) -> str:
    return exact_json.encode(marquez.listed_dataset(told.details) | _usage(head, told.usage)).decode()


def _usage(head: DatasetHead, usage: JobUsages | None) -> JsonObject:
    """What jobs do with a dataset. "No readers" comes with what cannot be seen of them."""
    if usage is None:
        return {}
    unread = Frontier(head.facts.created, unseen=blind_spots((BlindSpot.READERS, 1)))
    frontier = {} if usage.is_read else {"frontier": unread.as_json()}
    return {"isRead": usage.is_read, **marquez.last_write(usage.written), **frontier}


def dataset(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """A dataset, with the facets that its jobs report."""
    heads = [head for node, head in reader.datasets([dataset.dataset]).items() if head.id == node]
    if not heads:
        return marquez.dataset(reader, read_dataset_details(reader, dataset.dataset))
    (document,) = reader.store.made_of_reads(_documents, heads, instant_of(request.received_at), reader.naming)
    return document


def _documents(store: GraphReader, heads: Collection[DatasetHead], _: Instant, naming: Naming) -> Iterator[JsonObject]:
    """The JSON of datasets. It is kept until something is written where it was read."""
    reader = Reader(store, naming)
    return (marquez.dataset(reader, read_dataset_details(reader, head.id)) for head in heads)
