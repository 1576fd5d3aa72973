"""Reads nodes by their ids: one BatchGetItem for up to a hundred."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from headwater.concurrent import concurrent_map
from headwater.graph.dataset import DatasetHead
from headwater.graph.dataset_reference import COLUMN_LINEAGE, SCHEMA
from headwater.graph.identity import NodeId, job_id
from headwater.graph.job import NO_EDGES, Edges, JobHead
from headwater.graph.naming import Naming
from headwater.graph.neighbours import NOBODY, ROOT, NeighbourPage, Neighbours, Side, union
from headwater.graph.register import values
from headwater.graph.run import Run, joined
from headwater.graph.schema_diff import columns_diff, columns_of, without_metadata
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.read.inferred_run_end import heads_with_inferred_ends, with_inferred_ends
from headwater.store import item_codec, keys
from headwater.store.item_codec import DOC
from headwater.store.keys import Key
from headwater.store.neighbour_pages import read_below
from headwater.store.table import Item, Table

RUNS_AT_A_TIME = 5


@dataclass
class Neighbourhood:
    """Datasets, who uses them, and which ids are names of one: `same` leads from each to that which stands for all.

    `used` are the ids under which anything is stored; a symlink mostly leads to a name that nobody uses by itself.
    `is_cut` says that somebody uses them who is not among the users.
    """

    heads: dict[NodeId, DatasetHead] = field(default_factory=dict)
    users: dict[NodeId, Neighbours] = field(default_factory=dict)
    same: dict[NodeId, NodeId] = field(default_factory=dict)
    used: frozenset[NodeId] = frozenset()
    is_cut: bool = False

    def ids_of(self, dataset: NodeId) -> set[NodeId]:
        """The ids under which anything is stored of a dataset."""
        return {other for other, one in self.same.items() if one == dataset and other in self.used} | {dataset}


class Reader:
    """The table as questions see it."""

    def __init__(self, table: Table, naming: Naming) -> None:
        self.table = table
        self.naming = naming

    def jobs(self, ids: Collection[NodeId], *, usages: bool = True) -> dict[NodeId, JobHead]:
        """The heads of jobs that are known, but for deleted ones; an edge may be stored a moment before its job."""
        items = self.table.read([keys.job_head(job) for job in ids], None if usages else DOC) if ids else {}
        heads = {keys.node_of(key.pk): item_codec.read_job(item) for key, item in items.items()}
        return heads_with_inferred_ends(
            self.table, {job: head for job, head in heads.items() if not head.facts.is_deleted}
        )

    def datasets(self, ids: Collection[NodeId], *, deleted: bool = False) -> dict[NodeId, DatasetHead]:
        """The heads of datasets that are known, but for deleted ones unless those are asked for too."""
        items = self.table.read([keys.dataset_head(dataset) for dataset in ids], DOC) if ids else {}
        return self._as_written(_all_heads(items.values()) if deleted else _heads(items.values()))

    def neighbourhood(
        self, ids: Collection[NodeId], sides: Collection[Side] = tuple(Side), most: int | None = None
    ) -> Neighbourhood:
        """Datasets with those who read or write them: one read, unless some have other names or very many neighbours,
        of whom the first `most` may do.

        Names that a symlinks facet says are of one dataset are shown as one: whose head has the facet stands for all.
        """
        heads: dict[NodeId, DatasetHead] = {}
        roots: dict[NodeId, NeighbourPage] = {}
        unread = set(ids)
        while unread:
            items = self.table.read(
                [key for each in unread for key in (keys.dataset_head(each), keys.neighbours(each, ROOT))]
            )
            heads |= self._as_written(_heads(item for key, item in items.items() if key.sk == keys.HEAD))
            pages = {keys.node_of(k.pk): item_codec.read_page(item) for k, item in items.items() if k.sk != keys.HEAD}
            roots |= pages
            unread = {other for page in pages.values() for other in page.merged} - roots.keys() - unread
        users = read_below(self.table, roots, sides, most)
        return replace(_merged(heads, users.of, _groups(heads, roots)), is_cut=bool(users.cut))

    def _as_written(self, heads: dict[NodeId, DatasetHead]) -> dict[NodeId, DatasetHead]:
        """Datasets with all the columns that they were written with, also if the newest that was said of them is what
        somebody read: some of the columns, or those of an older snapshot."""
        written = {
            keys.schema(dataset, head.written): (dataset, head)
            for dataset, head in heads.items()
            if head.written and head.schema_digest not in (None, head.written)
        }
        items = self.table.read(written) if written else {}
        for key, item in items.items():
            dataset, head = written[key]
            schema = item_codec.read_document(item)
            diff = columns_diff(columns_of(schema), without_metadata(columns_of(head.schema)))
            if not (diff.added or diff.retyped):
                heads[dataset] = replace(head, schema=schema, facets={**head.facets, SCHEMA: head.written})
        return heads

    def edges_at(self, jobs: Mapping[NodeId, JobHead], time: Instant) -> dict[NodeId, Edges]:
        """What jobs read and wrote at a time: by each one's newest run until then that names a dataset."""

        def edges_of(job: NodeId) -> Edges:
            declared = jobs[job].facts.declared
            newest = self.table.newest(keys.job_head(job).pk, before=f"{time}$", limit=RUNS_AT_A_TIME)
            chosen = next((Edges.of(run) for run in self._in_turn(newest) if run.names_datasets), NO_EDGES)
            if declared and chosen.said_at <= declared.time <= time:
                return replace(jobs[job], chosen=NO_EDGES).current
            return chosen

        return dict(zip(jobs, concurrent_map(edges_of, jobs), strict=True))

    def columns_at(
        self, writers: Mapping[NodeId, Collection[NodeId]], ids: Mapping[NodeId, set[NodeId]], time: Instant
    ) -> set[tuple[NodeId, str]]:
        """What the newest run until a time of each of the datasets' writers said of their columns, if it said it.

        `ids` are the ids under which a writer may know each dataset; returned are those and the digests.
        """

        def said_by(asked: tuple[NodeId, NodeId]) -> set[tuple[NodeId, str]]:
            dataset, job = asked
            newest = self.table.newest(keys.job_head(job).pk, before=f"{time}$", limit=RUNS_AT_A_TIME)
            for run in self._in_turn(newest):
                said = {
                    (each, values(run.outputs[each].facets).get(COLUMN_LINEAGE))
                    for each in ids[dataset] & run.outputs.keys()
                }
                if any(digest for _, digest in said):
                    return {(each, digest) for each, digest in said if digest}
            return set()

        asked = [(dataset, job) for dataset, jobs in writers.items() for job in sorted(jobs)]
        return set().union(*concurrent_map(said_by, asked))

    def datasets_at(self, heads: Mapping[NodeId, DatasetHead], time: Instant) -> dict[NodeId, DatasetHead]:
        """Datasets with the schema that they had at a time: by the last write until then, else by the last one seen."""

        def head_at(dataset: NodeId) -> DatasetHead:
            schema = self._schema_at(dataset, time)
            facets = {name: facet for name, facet in heads[dataset].facets.items() if name != SCHEMA}
            return replace(heads[dataset], facets=facets, schema=schema)

        return dict(zip(heads, concurrent_map(head_at, heads), strict=True))

    def version_time(self, dataset: NodeId, version: str) -> Instant | None:
        """When a version of a dataset was last said something of; None if it is only known by its schema."""
        written = list(self.table.partition(keys.dataset_head(dataset).pk, f"W#{version}#"))
        runs = self.read_runs([keys.run(keys.run_of(key.sk)[1], version) for key in written])
        writes = [item_codec.read_write(item).first for item in self.table.read(written).values()]
        return max([*writes, *(run.updated for run in runs)], default=None)

    def newest_runs(self, of_job: NodeId, limit: int) -> list[Key]:
        """The keys of the newest runs of a job."""
        return list(islice(self.table.newest(keys.job_head(of_job).pk, limit=limit), limit))

    def runs_of(self, wanted: Mapping[NodeId, str]) -> dict[NodeId, Run]:
        """A run of each job, by its id."""
        runs = self.read_runs([keys.run(job, run_id) for job, run_id in wanted.items()])
        return {job_id(run.job): run for run in runs}

    def run(self, run_id: str) -> Run | None:
        """A run by its id alone. The index may not have a run of the last moments yet; its events tell its job."""
        found = self.read_runs(self.table.runs(run_id)) or self.read_runs(self._told_by_events(run_id))
        return joined(found) if found else None

    def _told_by_events(self, run_id: str) -> list[Key]:
        events = self.table.read(list(islice(self.table.partition(keys.events_of_run(run_id), "E#"), 1)))
        named = [item_codec.read_document(item)["job"] for item in events.values()]
        return [keys.run(job_id(Name(job["namespace"], job["name"])), run_id) for job in named]

    def read_runs(self, wanted: Sequence[Key]) -> list[Run]:
        items = self.table.read(wanted) if wanted else {}
        return with_inferred_ends(self.table, [item_codec.read_run(items[key]) for key in wanted if key in items])

    def column_lineage(self, wanted: Collection[tuple[NodeId, str]]) -> dict[tuple[NodeId, str], Any]:
        """Column lineage facets by dataset and digest."""
        named = {keys.column_lineage(*each): each for each in wanted}
        items = self.table.read(named) if named else {}
        return {named[key]: item_codec.read_document(item) for key, item in items.items()}

    def namespaces(self) -> list[tuple[str, str]]:
        """Every namespace, and the earliest event time that named it, by name."""
        items = self.table.read([each.key for each in self.table.list_entries(keys.ALL_NAMESPACES)])
        return sorted((item_codec.read_document(item)["name"], item.labels["first"]) for item in items.values())

    def _in_turn(self, newest: Iterable[Key]) -> Iterable[Run]:
        while page := list(islice(newest, RUNS_AT_A_TIME)):
            yield from self.read_runs(page)

    def _schema_at(self, dataset: NodeId, time: Instant) -> Any:
        pk = keys.dataset_head(dataset).pk
        for key in self.table.newest(pk, before=f"{time}$", limit=1):
            item = self.table.read([key]).get(key)
            digest = values(item_codec.read_write(item).facets).get(SCHEMA) if item else None
            if digest:
                return item_codec.read_document(
                    self.table.read([keys.schema(dataset, digest)])[keys.schema(dataset, digest)]
                )
            break
        schemas = self.table.read(list(self.table.partition(pk, "S#"))).values()
        known = [item for item in schemas if item.labels["first"] <= time]
        return item_codec.read_document(max(known, key=lambda item: item.labels["first"])) if known else None


def _heads(items: Iterable[Item]) -> dict[NodeId, DatasetHead]:
    return {dataset: head for dataset, head in _all_heads(items).items() if not head.is_deleted}


def _all_heads(items: Iterable[Item]) -> dict[NodeId, DatasetHead]:
    return {keys.node_of(item.key.pk): item_codec.read_dataset(item) for item in items}


def _groups(heads: Mapping[NodeId, DatasetHead], roots: Mapping[NodeId, NeighbourPage]) -> dict[NodeId, NodeId]:
    """For each id that is one of several of a dataset, the one that stands for all."""
    group: dict[NodeId, set[NodeId]] = {}
    for node, page in roots.items():
        of_node = {node, *page.linked}
        united = of_node.union(*(group.get(each, set()) for each in of_node))
        group |= dict.fromkeys(united, united)
    stands = {node: min(of_node, key=lambda each: _rank(each, heads)) for node, of_node in group.items()}
    return {node: one for node, one in stands.items() if len(group[node]) > 1 and one in heads}


def _rank(node: NodeId, heads: Mapping[NodeId, DatasetHead]) -> tuple[Any, ...]:
    head = heads.get(node)
    return (head is None, "symlinks" not in head.facets if head else True, head.facts.name if head else (), node)


def _merged(
    heads: dict[NodeId, DatasetHead], users: dict[NodeId, Neighbours], same: dict[NodeId, NodeId]
) -> Neighbourhood:
    found = Neighbourhood(same=same, used=frozenset({*heads, *users}))
    for node in {*heads, *users}:
        one = same.get(node, node)
        found.users[one] = union(found.users.get(one, NOBODY), users.get(node, NOBODY))
    for node, head in sorted(heads.items(), key=lambda each: same.get(each[0], each[0]) == each[0]):
        one = same.get(node, node)
        found.heads[one] = _united(head, found.heads.get(one))
    return found


def _united(head: DatasetHead, other: DatasetHead | None) -> DatasetHead:
    """A dataset with what is said of it under another name, as far as nothing else is said under this one."""
    if other is None:
        return head
    return replace(
        head,
        facts=replace(head.facts, created=min(head.facts.created, other.facts.created)),
        facets={**other.facets, **head.facets},
        schema=head.schema if head.schema is not None else other.schema,
        columns={**other.columns, **head.columns},
    )
