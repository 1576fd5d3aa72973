"""All names of a dataset, for whoever knows it by another one."""

from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import SYMLINKS, symlinks
from headwater.graph.identity import NodeId
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store import item_codec, keys

MOST = 20
"""Names that an alert holds; `/aliases` has all."""


def all_names(reader: Reader, dataset: NodeId, head: DatasetHead) -> list[JsonObject]:
    """Its own, those of its symlinks facet, those under which it is known too, and those that were sent for it."""
    neighbourhood = reader.neighbourhood([dataset], ())
    heads = [head, *(other for node, other in sorted(neighbourhood.heads.items()) if node != dataset)]
    names = [each.facts.name for each in heads]
    names += [name for each in heads for name in symlinks(each.facets.get(SYMLINKS))]
    sent = [each.key for each in reader.table.list_entries(keys.names_of(dataset), limit=MOST)][:MOST]
    names += [item_codec.read_alias(item).sent for item in (reader.table.read(sent).values() if sent else ())]
    return [name.as_json() for name in list(dict.fromkeys(names))[:MOST]]
