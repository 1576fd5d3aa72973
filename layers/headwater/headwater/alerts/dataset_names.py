"""All names of a dataset: the receiver of an alert may know the dataset by any of them."""

from itertools import islice

from headwater.graph.facets.dataset_reference import SYMLINKS, symlinks
from headwater.graph.names.identity import DatasetId
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

MAX_NAMES = 20
"""Names that an alert holds; the lookup `/aliases` has all names."""


def all_names(reader: Reader, dataset: DatasetId, head: DatasetHead) -> list[JsonObject]:
    """The dataset's own name, the names of its symlinks, and its aliases."""
    neighbourhood = reader.neighbourhood([dataset], ())
    heads = [head, *(other for other_id, other in sorted(neighbourhood.heads.items()) if other_id != dataset)]
    names = [linked.facts.name for linked in heads]
    names += [name for linked in heads for name in symlinks(linked.facets.get(SYMLINKS))]
    aliases = [entry.id for entry in islice(reader.store.names_of(dataset).entries(limit=MAX_NAMES), MAX_NAMES)]
    read = reader.store.read(ReadRequest(aliases=aliases))
    names += [known.alias.sent for known in read.aliases.of(aliases)]
    return [name.as_json() for name in list(dict.fromkeys(names))[:MAX_NAMES]]
