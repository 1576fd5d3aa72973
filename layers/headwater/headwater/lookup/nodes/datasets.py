"""Single datasets and lists of datasets, with the facets that their jobs report."""

from headwater.graph.states.dataset import DatasetHead
from headwater.http.marquez import datasets as marquez
from headwater.http.paging import next_cursor
from headwater.http.request import ApiRequest
from headwater.lookup.subjects import ListedDatasets
from headwater.openlineage.exact_json import JsonObject
from headwater.read.dataset_details import list_dataset_details, read_dataset_details
from headwater.read.dataset_usages import JobUsages, job_usages
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def datasets(reader: Reader, request: ApiRequest, listed: ListedDatasets) -> JsonObject:
    """The datasets of a namespace, by name: four reads for a hundred datasets. `withUsage` adds what their jobs do with
    them, for up to six reads more, and leaves out what Spark only infers a schema of."""
    page, ids = request.page(), [entry.id for entry in listed.entries]
    usages = job_usages(reader, ids) if request.flag("withUsage") else {}
    inferred = {dataset for dataset, usage in usages.items() if usage.is_inferred}
    details = list_dataset_details(reader, [each for each in ids if each not in inferred], with_cautions=not usages)
    documents = [marquez.listed_dataset(reader, each) | _usage(each.head, usages.get(each.head.id)) for each in details]
    return {
        "totalCount": listed.total - len(inferred),
        "datasets": documents,
        **next_cursor(page, listed.entries, listed.total),
    }


def _usage(head: DatasetHead, usage: JobUsages | None) -> JsonObject:
    """What jobs do with a dataset. "No readers" comes with what cannot be seen of them."""
    if usage is None:
        return {}
    unread = Frontier(head.facts.created, unseen=blind_spots((BlindSpot.READERS, 1)))
    frontier = {} if usage.is_read else {"frontier": unread.as_json()}
    return {"isRead": usage.is_read, **marquez.last_write(usage.written), **frontier}


def dataset(reader: Reader, _request: ApiRequest, dataset: NamedNode) -> JsonObject:
    return marquez.dataset(reader, read_dataset_details(reader, dataset.dataset))
