"""Datasets with their neighbours; several names of a dataset are merged into one.

A symlinks facet says that two ids are names of one dataset. Example: Spark names a table by its path `s3://lake/orders`,
and the facet gives the Glue name. Both ids have a head, neighbours and column lineage of their own. A lookup shows the
head with the facet (the representative), merged with the states under the other id.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.renaming import Rename, is_of_rename, next_rename, renames_from, renames_to
from headwater.graph.names.identity import DatasetId
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import RenamedAway, meant
from headwater.graph.states.neighbours import NO_NEIGHBOURS, NeighbourPage, Neighbours, NeighboursRead, Side, union
from headwater.openlineage.instant import NEVER, Instant

_NOW, _ENDED = Instant("~"), Instant("~~")
"""After all times: the name of now, then names that a rename ended before."""


class NameSpan(NamedTuple):
    """The time in which an id was a name of a dataset: between a rename and the next. None is now.

    At the time of a rename, the old name is an output of the renaming run, but not a version of the dataset."""

    id: DatasetId
    since: Instant = NEVER
    end: Instant | None = None

    def has(self, time: Instant) -> bool:
        return self.since < time and (self.end is None or time < self.end)


@dataclass
class Neighbourhood:
    """Datasets, their neighbours, and the ids of each dataset.

    heads              the heads, by representative
    users              the neighbours, by representative
    representatives    the representative of each id, for datasets with several ids
    used               the ids under which a state is stored; no event uses most symlinks
    unread             about how many neighbours of a side were not read, by representative
    renamed_away       names that another dataset has by now. The jobs that used the former dataset under such a name
                       are among the neighbours of both
    ended              the times of the renames that ended a name
    """

    heads: dict[DatasetId, DatasetHead] = field(default_factory=dict)
    users: dict[DatasetId, Neighbours] = field(default_factory=dict)
    representatives: dict[DatasetId, DatasetId] = field(default_factory=dict)
    used: frozenset[DatasetId] = frozenset()
    unread: dict[DatasetId, dict[Side, int]] = field(default_factory=dict)
    renamed_away: RenamedAway = field(default_factory=dict)
    ended: dict[DatasetId, Instant] = field(default_factory=dict)

    @property
    def is_cut(self) -> bool:
        """Whether there are neighbours that were not read."""
        return bool(self.unread)

    def representative(self, dataset: DatasetId) -> DatasetId:
        """The id that stands for all ids of a dataset."""
        return self.representatives.get(dataset, dataset)

    def of(self, datasets: Collection[DatasetId]) -> "Neighbourhood":
        """The neighbourhood of some of its datasets. The others were read for the names that they once had."""
        shown = set(map(self.representative, datasets))
        heads = {dataset: head for dataset, head in self.heads.items() if dataset in shown}
        users = {dataset: users for dataset, users in self.users.items() if dataset in shown}
        return replace(self, heads=heads, users=users)

    def ids_of(self, dataset: DatasetId) -> set[DatasetId]:
        """The ids under which a state of a dataset is stored, by the dataset's representative."""
        names = {other for other, shown in self.representatives.items() if shown == dataset}
        return names & self.used | {dataset}

    def spans_of(self, dataset: DatasetId) -> list[NameSpan]:
        """The ids of a dataset by its representative, each with its time. Some are ids of other datasets by now."""
        spans = []
        for name in sorted({*self.ids_of(dataset), *self.renamed_away}):
            since = NEVER
            for until, later in self.renamed_away.get(name, ()):
                spans += [NameSpan(name, since, until)] if self.representative(later) == dataset else []
                since = until
            spans += [NameSpan(name, since, self.ended.get(name))] if self.representative(name) == dataset else []
        return spans

    @property
    def renamed(self) -> dict[DatasetId, tuple[NameSpan, ...]]:
        """The spans of those of the datasets that were renamed, or have a name of another one."""
        if not self.renamed_away and not self.ended:
            return {}
        spans = {dataset: tuple(self.spans_of(dataset)) for dataset in self.heads}
        return {dataset: of for dataset, of in spans.items() if any(span.since or span.end for span in of)}

    def meant(self, name: DatasetId, time: Instant) -> DatasetId:
        """The representative of the dataset that a name meant at a time."""
        return self.representative(meant(name, time, self.renamed_away))


class PlainDataset(NamedTuple):
    """A dataset of which a graph needs nothing but its head and its first page of neighbours, as of nearly all: it has
    one name, which it always had, and few jobs."""

    head: DatasetHead
    users: Neighbours


def plain_dataset(head: DatasetHead | None, page: NeighbourPage | None) -> PlainDataset | None:
    """The dataset with this head and first page of neighbours, if it is plain."""
    if head is None or page is None or head.is_deleted or page.split or page.linked or page.merged:
        return None
    is_as_written = not head.written or head.schema_digest in (None, head.written)
    return PlainDataset(head, page.jobs) if is_as_written and not any(map(is_of_rename, head.facets)) else None


def renamed_ids(heads: Iterable[DatasetHead]) -> set[DatasetId]:
    """The ids that these datasets were renamed to, or from."""
    renamed = [head.facets for head in heads if any(map(is_of_rename, head.facets))]
    return {rename.id for facets in renamed for rename in (*renames_to(facets), *renames_from(facets))}


def merged(
    heads: dict[DatasetId, DatasetHead],
    read: NeighboursRead,
    first_pages: Mapping[DatasetId, NeighbourPage],
    as_of: Instant | None = None,
) -> Neighbourhood:
    """The neighbourhood of datasets; the several ids of a dataset are merged."""
    until = as_of or _NOW
    renamed = {node: head for node, head in heads.items() if any(map(is_of_rename, head.facets))}
    representatives, users = _representatives(heads, renamed, first_pages, until), read.by_dataset
    away = _renamed_away(renamed, until)
    ended = {node: rename.at for node, head in renamed.items() if (rename := _ended(head, until))}
    used = frozenset({*heads, *users})
    neighbourhood = Neighbourhood(representatives=representatives, used=used, renamed_away=away, ended=ended)
    for dataset in {*heads, *users}:
        give_way()
        shown, of_id = neighbourhood.representative(dataset), users.get(dataset, NO_NEIGHBOURS)
        known = neighbourhood.users.get(shown)
        neighbourhood.users[shown] = union(known, of_id) if known else of_id
    for name, later in away.items():
        for shown in {neighbourhood.representative(dataset) for _, dataset in later}:
            known = neighbourhood.users.get(shown, NO_NEIGHBOURS)
            neighbourhood.users[shown] = union(known, users.get(name, NO_NEIGHBOURS))
    for dataset, unread in read.unread.items():
        of_shown = neighbourhood.unread.setdefault(neighbourhood.representative(dataset), {})
        of_shown |= {side: of_shown.get(side, 0) + number for side, number in unread.items()}
    for dataset, head in sorted(heads.items(), key=lambda entry: neighbourhood.representative(entry[0]) == entry[0]):
        shown = neighbourhood.representative(dataset)
        neighbourhood.heads[shown] = _united(_of_now(head, away.get(dataset)), neighbourhood.heads.get(shown))
    for name, later in away.items():
        since = NEVER
        for at, dataset in later:
            shown, known_head = neighbourhood.representative(dataset), heads[name]
            said = {facet for facet, until in known_head.said_before.items() if until == at}
            if shown in neighbourhood.heads and shown != neighbourhood.representative(name):
                neighbourhood.heads[shown] = _united(neighbourhood.heads[shown], _only(known_head, said, since))
            since = at
    return neighbourhood


def _representatives(
    heads: Mapping[DatasetId, DatasetHead],
    renamed: Mapping[DatasetId, DatasetHead],
    first_pages: Mapping[DatasetId, NeighbourPage],
    until: Instant,
) -> dict[DatasetId, DatasetId]:
    """The representative of each id of a dataset with several ids: symlinks, and names before and after a rename."""
    group: dict[DatasetId, set[DatasetId]] = {}
    names = [
        *({node, _name_after(end, heads, until)} for node, head in renamed.items() if (end := _ended(head, until))),
        *({node, name} for node, head in renamed.items() if (name := _name_before(head, until))),
    ]
    for same in [*({dataset, *linked} for dataset, page in first_pages.items() if (linked := page.linked)), *names]:
        united = same.union(*(group.get(other, set()) for other in same))
        group |= dict.fromkeys(united, united)
    first = {dataset: min(ids, key=lambda other: _rank(other, heads, until)) for dataset, ids in group.items()}
    return {dataset: shown for dataset, shown in first.items() if len(group[dataset]) > 1 and shown in heads}


def _renamed_away(heads: Mapping[DatasetId, DatasetHead], until: Instant) -> RenamedAway:
    """The names that another dataset has now, or at a time, among those of renamed datasets."""
    away: dict[DatasetId, tuple[tuple[Instant, DatasetId], ...]] = {}
    for dataset, head in heads.items():
        renames = [rename for rename in renames_to(head.facets) if rename != head.renamed and rename.at <= until]
        later = tuple((rename.at, _name_after(rename, heads, until)) for rename in renames)
        if any(name != dataset for _, name in later):
            away[dataset] = later
    return away


def _ended(head: DatasetHead, until: Instant) -> Rename | None:
    """The rename that ended a name until a time."""
    return head.renamed if head.renamed and head.renamed.at <= until else None


def _name_after(rename: Rename, heads: Mapping[DatasetId, DatasetHead], until: Instant) -> DatasetId:
    """The name that a dataset has after a rename and all that followed until a time."""
    head = heads.get(rename.id)
    following = next_rename(head.facets, rename.at) if head else None
    return _name_after(following, heads, until) if following and following.at <= until else rename.id


def _name_before(head: DatasetHead, until: Instant) -> DatasetId | None:
    """At a time at which no dataset had this name: the name of the dataset that a rename gave it next."""
    gone = max((rename.at for rename in renames_to(head.facets) if rename.at <= until), default=NEVER)
    given = renames_from(head.facets)
    if head.facts.created <= until and (not gone or any(gone < rename.at <= until for rename in given)):
        return None
    return next((rename.id for rename in given if rename.at > until), None)


def _rank(dataset: DatasetId, heads: Mapping[DatasetId, DatasetHead], until: Instant) -> tuple[Any, ...]:
    """The order of the ids of a dataset: the name that it has now or had at a time, then an id whose head has the
    symlinks facet."""
    head = heads.get(dataset)
    if head is None:
        return (True, "", True, (), dataset)
    return (False, _next_end(head, until), "symlinks" not in head.facets, head.facts.name, dataset)


def _next_end(head: DatasetHead, until: Instant) -> Instant:
    """The time of the rename that ends this name next. Of the names of a dataset, the one that ends first is its name
    at a time."""
    rename = next_rename(head.facets, until)
    return rename.at if rename else _ENDED if head.renamed else _NOW


def _of_now(head: DatasetHead, away: Sequence[tuple[Instant, DatasetId]] | None) -> DatasetHead:
    """The head of a name that another dataset had before, without what was said about that one."""
    if not away:
        return head
    said = _only(head, head.facets.keys() - head.said_before.keys(), away[-1][0])
    return said if SCHEMA in head.facets else replace(said, schema=head.schema)


def _only(head: DatasetHead, facets: AbstractSet[str], since: Instant) -> DatasetHead:
    """The head with some of its facets, of a dataset that was not there before a time."""
    known = {name: facet for name, facet in head.facets.items() if name in facets}
    facts = replace(head.facts, created=max(head.facts.created, since))
    return replace(head, facts=facts, facets=known, schema=head.schema if SCHEMA in known else None)


def _united(head: DatasetHead, other: DatasetHead | None) -> DatasetHead:
    """A head, completed with the facets, the schema and the column lineage of the dataset under another id."""
    if other is None:
        return head
    return replace(
        head,
        facts=replace(head.facts, created=min(head.facts.created, other.facts.created)),
        facets={**other.facets, **head.facets},
        schema=other.schema if head.schema is None or (other.schema_digest and not head.schema_digest) else head.schema,
        columns={**other.columns, **head.columns},
    )
