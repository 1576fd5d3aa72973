"""GET /aliases: the names of one dataset, each with the evidence for it.

Names in a symlinks facet, and those before a rename, come first. Then come the names that events sent and that the
rules of naming map to this dataset, in the order of their first use.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice

from headwater.graph.facets.dataset_reference import SYMLINKS, symlinks
from headwater.graph.facets.renaming import Rename
from headwater.graph.names.identity import AliasId, DatasetId, NeighbourPageId, dataset_id
from headwater.graph.names.naming import Naming
from headwater.graph.states.dataset import DatasetHead
from headwater.http.paging import Page
from headwater.http.request import ApiRequest, PageRequest
from headwater.lookup.nodes.dataset_history import head_and_ids
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import NEVER, Instant, shown
from headwater.read.name_resolution import NamedNode
from headwater.read.reader import Reader
from headwater.store.ranges import Entry, Position, name_position
from headwater.store.snapshot import ReadRequest

SYMLINK, RENAME = "symlink", "rename"
EVIDENCE: Mapping[str, str] = {
    "alias": "the deployment maps its namespace to this one",
    "temporary": "it is inside a folder that committers or table formats keep in the dataset's",
    "model": "it is a part of a saved model",
    "stream-file": "it is a file that a streaming job found in the dataset's folder",
    "part-file": "it is a file that one task wrote into the dataset's folder",
    "partition": "it is the folder of one partition",
    "scheme": "its scheme reaches the same store by another client",
    "slash": "it is the same path with other slashes",
}
"""By rule of naming: the evidence that a sent name means the dataset."""


@dataclass(frozen=True, slots=True)
class _Alias:
    """A name of a dataset, its position in the list, and the evidence. `first` is NEVER if the first use is unknown."""

    position: str
    name: Name
    rules: tuple[str, ...]
    evidence: str
    first: Instant

    def as_json(self) -> JsonObject:
        first = shown(self.first) if self.first else None
        return {**self.name.as_json(), "rules": self.rules, "evidence": self.evidence, "firstSeenAt": first}


_Entry = _Alias | Entry[AliasId]
"""An entry of the list: a name in a symlinks facet, or the entry of a sent name, which is not read yet."""
_SYMLINK_PREFIX, _SENT_PREFIX = "0#", "1#"
"""The prefixes of positions: of names in symlinks facets, and of sent names."""


def aliases(reader: Reader, request: ApiRequest, dataset: NamedNode) -> JsonObject:
    """A page of a dataset's other names."""
    page_request = request.page()
    head, ids = head_and_ids(reader, dataset)
    page = _page(reader, ids, _linked(reader, head, ids), page_request)
    documents = [alias.as_json() for alias in _aliases(reader, page.entries)]
    answer = {"dataset": head.facts.name.as_json(), "aliases": documents, "totalCount": page.total}
    return answer | page.cursor(page_request)


def _page(reader: Reader, ids: Collection[DatasetId], symlinked: list[_Alias], request: PageRequest) -> Page[_Entry]:
    """A page of the list: first the names in symlinks facets, then the names that events used."""
    wanted = request.offset + request.limit + 1
    remaining = [alias for alias in symlinked if request.after is None or alias.position > request.after]
    names = [reader.store.names_of(dataset) for dataset in ids]
    total = len(symlinked) + sum(listing.count() for listing in names) if request.after is None else request.total or 0
    is_after_symlinks = request.after is not None and request.after.startswith(_SENT_PREFIX)
    after = request.after.removeprefix(_SENT_PREFIX) if request.after and is_after_symlinks else None
    ordered = merge(*(listing.entries(after=after, limit=wanted + 1) for listing in names), key=_position)
    sent = (entry for entry in ordered if _list_position(entry) != request.after)
    all_entries: Iterable[_Entry] = chain(remaining, sent)
    entries = list(islice(all_entries, request.offset, wanted))
    return Page(entries[: request.limit], total, is_last=len(entries) <= request.limit, position_of=_list_position)


def _position(entry: Entry[AliasId]) -> Position:
    return entry.position


def _list_position(entry: _Entry) -> str:
    return entry.position if isinstance(entry, _Alias) else _SENT_PREFIX + entry.position


def _aliases(reader: Reader, entries: Sequence[_Entry]) -> Iterator[_Alias]:
    """The names of a page. Sent names are read; a name that has expired is left out."""
    read = reader.store.read(ReadRequest(aliases=[entry.id for entry in entries if isinstance(entry, Entry)]))
    for entry in entries:
        if isinstance(entry, _Alias):
            yield entry
        elif known := read.aliases.get(entry.id):
            rules = known.alias.rules
            evidence = "; ".join(EVIDENCE.get(rule, rule) for rule in rules)
            yield _Alias(_list_position(entry), known.alias.sent, rules, evidence, known.first)


def _linked(reader: Reader, head: DatasetHead, ids: Collection[DatasetId]) -> list[_Alias]:
    """The names in the dataset's symlinks facets, the datasets whose symlinks facets name this dataset, and the names
    before a rename."""
    pages = [NeighbourPageId(dataset) for dataset in ids]
    read = reader.store.read(ReadRequest(neighbours=pages))
    others = {other for page in read.neighbours.of(pages) for other in page.linked} | set(ids)
    heads = {node: linked for node, linked in reader.datasets(others).items() if not linked.is_foreign}
    linked = _with_evidence(reader.naming, heads, ids)
    linked.pop(dataset_id(head.facts.name), None)
    aliases = []
    for other, (name, evidence) in linked.items():
        known = heads.get(other)
        first = known.facts.created if known else NEVER
        position, rename = _SYMLINK_PREFIX + name_position(name, other), known.renamed if known else None
        told = (RENAME, _renamed(rename)) if rename else (SYMLINK, evidence)
        aliases.append(_Alias(position, name, told[:1], told[1], first))
    return sorted(aliases, key=lambda alias: alias.position)


def _renamed(rename: Rename) -> str:
    return f"it was renamed to {rename.other.namespace} {rename.other.name} at {shown(rename.at)}"


def _with_evidence(
    naming: Naming, heads: Mapping[DatasetId, DatasetHead], ids: Collection[DatasetId]
) -> dict[DatasetId, tuple[Name, str]]:
    """The linked datasets, each with its name and the symlinks facet that links it."""
    linked = {dataset: (head.facts.name, "a symlinks facet said so") for dataset, head in heads.items()}
    for dataset, head in sorted(heads.items(), key=lambda entry: entry[0]):
        named = head.facts.name
        for symlink in symlinks(head.facets.get(SYMLINKS)):
            meant = naming.identify(symlink).shown
            linked[dataset_id(meant)] = (meant, f"the symlinks facet of {named.namespace} {named.name} names it")
            if dataset_id(meant) in ids and dataset in linked:
                linked[dataset] = (named, f"its symlinks facet names {meant.namespace} {meant.name}")
    return linked
