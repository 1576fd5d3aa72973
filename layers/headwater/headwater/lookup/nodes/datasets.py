"""Single datasets and lists of datasets, with the facets that their jobs report."""

from headwater.http.marquez import datasets as marquez
from headwater.http.paging import next_cursor
from headwater.http.request import ApiRequest
from headwater.lookup.subjects import ListedDatasets
from headwater.openlineage.exact_json import JsonObject
from headwater.read.dataset_details import list_dataset_details, read_dataset_details
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader


def datasets(reader: Reader, request: ApiRequest, listed: ListedDatasets) -> JsonObject:
    """The datasets of a namespace, by name: four reads for a hundred datasets."""
    page = request.page()
    details = list_dataset_details(reader, [entry.id for entry in listed.entries])
    documents = list(map(marquez.listed_dataset, details))
    return {"totalCount": listed.total, "datasets": documents, **next_cursor(page, listed.entries, listed.total)}


def dataset(reader: Reader, _request: ApiRequest, dataset: NamedNode) -> JsonObject:
    return marquez.dataset(read_dataset_details(reader, dataset.dataset))
