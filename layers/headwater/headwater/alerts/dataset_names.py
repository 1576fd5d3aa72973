"""All names of a dataset: the receiver of an alert may know the dataset by any of them."""

from itertools import islice

from headwater.graph.facets.dataset_reference import SYMLINKS, symlinks
from headwater.graph.names.identity import DatasetId
from headwater.graph.states.dataset import DatasetHead
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader
from headwater.store.snapshot import ReadRequest

MAX_NAMES = 20
"""Names that an alert holds; the lookup `/aliases` has all names."""


def all_names(reader: Reader, dataset: DatasetId, head: DatasetHead, at: Instant) -> list[JsonObject]:
    """The dataset's own name, the names of its symlinks, and its aliases, as far as events until a time used them."""
    neighbourhood = reader.neighbourhood([dataset], ())
    linked = (other for other_id, other in sorted(neighbourhood.heads.items()) if other_id != dataset)
    heads = [head, *(other for other in linked if other.facts.created <= at)]
    names = [each.facts.name for each in heads]
    names += [name for each in heads for name in symlinks(each.facets.get(SYMLINKS))]
    aliases = [entry.id for entry in islice(reader.store.names_of(dataset).entries(limit=MAX_NAMES), MAX_NAMES)]
    read = reader.store.read(ReadRequest(aliases=aliases))
    names += [known.alias.sent for known in read.aliases.of(aliases) if known.first <= at]
    return [name.as_json() for name in list(dict.fromkeys(names))[:MAX_NAMES]]
