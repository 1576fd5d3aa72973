"""GET /aliases: the names of one dataset, and what says that they are names of one.

Those in a symlinks facet come first; then those that events used and the rules of naming understood as this dataset, in
the order in which they were first used.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import chain, islice

from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import SYMLINKS, symlinks
from headwater.graph.identity import NodeId, NodeKind, dataset_id
from headwater.graph.neighbours import ROOT
from headwater.http.paging import Part
from headwater.http.request import ApiRequest, PageRequest
from headwater.http.response import ApiResponse
from headwater.lookup.nodes import dataset_history
from headwater.lookup.request_nodes import node_from_query
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import Instant, shown
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.table import LOWEST, IndexEntry

SYMLINK = "symlink"
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
"""By rule: why a name that was sent stands for the dataset."""


@dataclass(frozen=True, slots=True)
class _Alias:
    """A name of a dataset, where it stands in the list, and what says so. A symlink's first use may not be known."""

    place: str
    name: Name
    rules: tuple[str, ...]
    evidence: str
    first: Instant

    def as_json(self) -> JsonObject:
        first = shown(self.first) if self.first else None
        return {**self.name.as_json(), "rules": self.rules, "evidence": self.evidence, "firstSeenAt": first}


def aliases(reader: Reader, request: ApiRequest) -> ApiResponse:
    """A page of a dataset's other names."""
    node = node_from_query(reader, request, {NodeKind.DATASET})
    page = request.page()
    head, ids = dataset_history.known_as(reader, node)
    part = _part(reader, ids, list(_linked(reader, head, ids)), page)
    found = [alias.as_json() for alias in _read(reader, part.entries)]
    answer = {"dataset": head.facts.name.as_json(), "aliases": found, "totalCount": part.total}
    return ApiResponse(200, answer | part.cursor(page))


def _part(
    reader: Reader, ids: Collection[NodeId], linked: list[_Alias], page: PageRequest
) -> Part[_Alias | IndexEntry]:
    """The part that a page asks for of the linked names and, behind them, of those that were sent."""
    wanted = page.offset + page.limit + 1
    rest = [alias for alias in linked if page.after is None or alias.place > page.after]
    if page.after is None:
        total = len(linked) + sum(reader.table.count(keys.names_of(each)) for each in ids)
    else:
        total = page.total or 0
    after = page.after.removeprefix(_SENT) if page.after and page.after.startswith(_SENT) else LOWEST
    lists = [reader.table.list_entries(keys.names_of(each), after=after, limit=wanted + 1) for each in ids]
    ordered = merge(*lists, key=lambda entry: entry.place)
    sent = (entry for entry in ordered if _place(entry) != page.after)
    both: Iterable[_Alias | IndexEntry] = chain(rest, sent)
    found = list(islice(both, page.offset, wanted))
    return Part(found[: page.limit], total, is_last=len(found) <= page.limit, place=_place)


_LINKED, _SENT = "0#", "1#"


def _place(alias: _Alias | IndexEntry) -> str:
    return alias.place if isinstance(alias, _Alias) else _SENT + alias.place


def _read(reader: Reader, entries: Sequence[_Alias | IndexEntry]) -> Iterator[_Alias]:
    wanted = [entry.key for entry in entries if isinstance(entry, IndexEntry)]
    items = reader.table.read(wanted) if wanted else {}
    for entry in entries:
        if isinstance(entry, _Alias):
            yield entry
        elif item := items.get(entry.key):
            sent = item_codec.read_alias(item)
            evidence = "; ".join(EVIDENCE.get(rule, rule) for rule in sent.rules)
            yield _Alias(_place(entry), sent.sent, sent.rules, evidence, Instant(item.labels["first"]))


def _linked(reader: Reader, head: DatasetHead, ids: Collection[NodeId]) -> Iterator[_Alias]:
    """The names that symlinks facets give the dataset, and those whose facet gives them this one."""
    pages = reader.table.read([keys.neighbours(each, ROOT) for each in ids]).values()
    others = {other for page in pages for other in item_codec.read_page(page).linked} | set(ids)
    heads = reader.datasets(others)
    found: dict[NodeId, tuple[Name, str]] = {
        node: (other.facts.name, "a symlinks facet said so") for node, other in heads.items()
    }
    for node in sorted(heads):
        named = heads[node].facts.name
        for name in symlinks(heads[node].facets.get(SYMLINKS)):
            meant = reader.naming.identify(name).shown
            found[dataset_id(meant)] = (meant, f"the symlinks facet of {named.namespace} {named.name} names it")
            if dataset_id(meant) in ids and node in found:
                found[node] = (named, f"its symlinks facet names {meant.namespace} {meant.name}")
    found.pop(dataset_id(head.facts.name), None)
    placed = {_LINKED + keys.name_key(name, node): (node, name, said) for node, (name, said) in found.items()}
    for place, (node, name, said) in sorted(placed.items()):
        created = heads[node].facts.created if node in heads else Instant("")
        yield _Alias(place, name, (SYMLINK,), said, created)
