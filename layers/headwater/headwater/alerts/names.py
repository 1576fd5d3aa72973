"""All names of a dataset, for whoever knows it by another one."""

from headwater.graph.dataset import DatasetHead
from headwater.graph.identity import NodeId
from headwater.graph.mention import SYMLINKS, symlinks
from headwater.lookup import shapes
from headwater.lookup.reader import Reader
from headwater.lookup.shapes import Shape
from headwater.store import keys, records

MOST = 20
"""Names that an alert holds; `/aliases` has all."""


def all_names(reader: Reader, dataset: NodeId, head: DatasetHead) -> list[Shape]:
    """Its own, those of its symlinks facet, those under which it is known too, and those that were sent for it."""
    around = reader.around([dataset], ())
    heads = [head, *(other for node, other in sorted(around.heads.items()) if node != dataset)]
    names = [each.facts.name for each in heads]
    names += [name for each in heads for name in symlinks(each.facets.get(SYMLINKS))]
    sent = [each.key for each in reader.table.listed(keys.names_of(dataset), limit=MOST)][:MOST]
    names += [records.read_alias(item).sent for item in (reader.table.read(sent).values() if sent else ())]
    return [shapes.name(name) for name in list(dict.fromkeys(names))[:MOST]]
