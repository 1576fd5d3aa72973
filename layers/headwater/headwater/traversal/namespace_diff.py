"""What differs between two times in some namespaces: their datasets and columns, their jobs, and what these read and
write. Only nodes that events have touched since the first time are looked at.

    dataset     a query for its writes until the first time; if they had another schema, one for those until the second
    job         a query for its runs until the first time; more if its runs did not go well, or the second is not now

A table that was changed and changed back does not differ, but the answer says that it was reported as changed.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.facets.curation import DELETED, RESERVED
from headwater.graph.facets.members import is_canary, is_drop
from headwater.graph.facets.register import Registers, values
from headwater.graph.facets.schema_diff import SchemaDiff, columns_diff, columns_of
from headwater.graph.names.identity import DatasetId, JobId, JobRunId, NodeKind, SchemaId, node_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.edges import DatasetRef, Edges
from headwater.graph.states.job import JobHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import DatasetWrite
from headwater.openlineage.event import Name
from headwater.openlineage.exact_json import JsonObject
from headwater.openlineage.instant import FOREVER, Instant
from headwater.read.activity import with_renames_between
from headwater.read.dataset_usages import inferred_folders
from headwater.read.edges_of_runs import settled_edges
from headwater.read.frontier import BlindSpot, Frontier, blind_spots
from headwater.read.good_writes import FIRST_LOOK, Standing, WriteOfRun
from headwater.read.neighbourhood import Neighbourhood
from headwater.read.reader import Reader
from headwater.read.schema_changes import versions_seen
from headwater.read.touched import Touched, touched
from headwater.read.window import Window
from headwater.store.snapshot import ReadRequest
from headwater.traversal.graph_diff import GraphEdge

CODE = ("url", "repoUrl", "path", "version", "branch", "tag", "pullRequestNumber")
"""Members of the facet sourceCodeLocation that distinguish one state of a job's code from another."""

Node = tuple[NodeKind, Name]


class ChangedDataset(NamedTuple):
    """A dataset with other columns, or another name, than before."""

    name: Name
    diff: SchemaDiff
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    renamed_from: Name | None


class ChangedJob(NamedTuple):
    """A job with other inputs, outputs or code than before: the members of its code's location that differ."""

    name: Name
    code: tuple[JsonObject, JsonObject] | None


@dataclass
class NamespaceDiff:
    """What differs. `changed_back` are nodes that differed in between, as far as alerts or a deletion show."""

    added: list[Node] = field(default_factory=list)
    removed: list[Node] = field(default_factory=list)
    datasets: list[ChangedDataset] = field(default_factory=list)
    jobs: list[ChangedJob] = field(default_factory=list)
    changed_back: list[Node] = field(default_factory=list)
    edges_added: list[GraphEdge] = field(default_factory=list)
    edges_removed: list[GraphEdge] = field(default_factory=list)
    unseen: list[tuple[BlindSpot, Collection[str] | int]] = field(default_factory=list)
    seen: tuple[int, int] = (0, 0)
    is_cut: bool = False

    def frontier(self, since: Instant) -> Frontier:
        return Frontier(since, *self.seen, unseen=blind_spots(*self.unseen))


class _Then(NamedTuple):
    """A dataset at a time: its last write that went well, whether that dropped it, and its schema."""

    write: DatasetWrite | None
    schema: SchemaId | None

    @property
    def is_dropped(self) -> bool:
        return self.write is not None and is_drop(values(self.write.output.facets))


def namespace_diff(
    reader: Reader, shown: Callable[[str], bool], readable: Collection[str], window: Window
) -> NamespaceDiff:
    """What differs between the times of a window in the namespaces that are `shown`. The datasets of one namespace are
    made by jobs of others: all jobs of the `readable` namespaces are looked at."""
    found = touched(reader, readable, window)
    diff = NamespaceDiff(is_cut=found.is_cut)
    _datasets(reader, shown, found, window, diff)
    _jobs(reader, {job: head for job, head in found.jobs.items() if _is_listed(head, shown)}, window, diff)
    for head in found.deleted_jobs.values():
        if _is_listed(head, shown) and _was_deleted(head.facts.facets, window):
            gone = diff.removed if head.facts.first <= window.since else diff.changed_back
            gone.append((NodeKind.JOB, head.facts.name))
    diff.unseen.append((BlindSpot.BEYOND, int(found.is_cut)))
    return diff


def _was_deleted(facets: Registers, window: Window) -> bool:
    deletion = facets.get(DELETED)
    return deletion is not None and deletion.value is not None and window.has(deletion.time)


def _is_shown(head: DatasetHead, shown: Callable[[str], bool]) -> bool:
    namespace = head.facts.name.namespace
    return not head.is_foreign and namespace not in RESERVED and shown(namespace) and not is_canary(head.facets)


def _is_listed(head: JobHead, shown: Callable[[str], bool]) -> bool:
    return shown(head.facts.name.namespace) and not is_canary(values(head.facts.facets))


def _is_look(head: JobHead) -> bool:
    """Whether a job is a query of an application that writes nothing. Spark runs many, to look at schemas."""
    is_query = is_query_job(values(head.facts.facets)) and head.parent_name is not None
    return is_query and not any(usage.writes for usage in head.facts.usages.values())


def _datasets(
    reader: Reader, shown: Callable[[str], bool], found: Touched, window: Window, diff: NamespaceDiff
) -> None:
    stored = reader.store.read_heads(datasets=found.datasets).datasets.all()
    own = {node: head for node, head in stored.items() if _is_shown(head, shown)}
    deleted = {node: head for node, head in own.items() if head.is_deleted and not head.renamed}
    for head in deleted.values():
        if _was_deleted(head.facts.own, window):
            gone = diff.removed if head.facts.created <= window.since else diff.changed_back
            gone.append((NodeKind.DATASET, head.facts.name))
    present = own.keys() - deleted.keys()
    now, then = reader.neighbourhood(present, ()), reader.neighbourhood(present, (), as_of=window.since)
    heads = {node: head for node, head in now.heads.items() if _is_shown(head, shown)}
    former = {node: name for node in heads if (name := then.representative(node)) != node}
    ids = {node: now.ids_of(node) for node in heads}
    before, after = _before_and_after(reader, heads, ids, former, window)
    old = {node: head for node, head in heads.items() if _was_there(node, head, before[node], former, window)}
    looked_at = inferred_folders(reader, [node for node in heads if node not in old and not _has_schemas(heads[node])])
    schemas = {node: (before[node].schema, after[node].schema) for node in old}
    changes = _columns(reader, schemas, ids, window)
    unknown = {node for node in old if not ((before[node].schema and after[node].schema) or after[node].is_dropped)}
    for node, head in sorted(heads.items(), key=lambda each: each[1].facts.name):
        named = (NodeKind.DATASET, head.facts.name)
        renamed_from = _name(then, former.get(node)) if node in former else None
        if after[node].is_dropped:
            if not before[node].is_dropped:
                (diff.removed if node in old else diff.changed_back).append(named)
        elif node not in old:
            diff.added += [named] if node not in looked_at else []
        elif node in changes or renamed_from:
            columns = changes.get(node, (SchemaDiff((), (), ()), {}, {}))
            diff.datasets.append(ChangedDataset(head.facts.name, *columns, renamed_from))
        elif node not in unknown and any(found.alerts.get(name) for name in ids[node]):
            diff.changed_back.append(named)
    diff.unseen.append((BlindSpot.SCHEMAS, [node_id(NodeKind.DATASET, heads[node].facts.name) for node in unknown]))
    diff.seen = (diff.seen[0], len(heads) + len(deleted))


def _was_there(
    node: DatasetId, head: DatasetHead, before: _Then, former: Mapping[DatasetId, DatasetId], window: Window
) -> bool:
    """Whether a dataset was there at the first time, under this name or another. A name that another dataset had then
    belongs to a new dataset, and so does a name that was dropped or deleted by then and came back."""
    if before.is_dropped or (head.facts.created > window.since and node not in former):
        return False
    deletion, through = head.facts.own.get(DELETED), head.deleted_through
    written = before.write.output.first if before.write else head.facts.created
    if deletion and through and deletion.time <= window.since and written <= through:
        return False
    return node in former or node not in former.values()


def _name(then: Neighbourhood, node: DatasetId | None) -> Name | None:
    head = then.heads.get(node) if node else None
    return head.facts.name if head else None


def _before_and_after(
    reader: Reader,
    heads: Mapping[DatasetId, DatasetHead],
    ids: Mapping[DatasetId, Collection[DatasetId]],
    former: Mapping[DatasetId, DatasetId],
    window: Window,
) -> tuple[dict[DatasetId, _Then], dict[DatasetId, _Then]]:
    """The datasets at both times. New datasets are not read, nor unchanged ones a second time."""
    nothing = dict.fromkeys(heads, _Then(None, None))
    wanted = {
        node: {*names, former.get(node, node)}
        for node, names in ids.items()
        if (heads[node].facts.created <= window.since and _has_schemas(heads[node])) or len(names) > 1 or node in former
    }
    before = nothing | _states(reader, wanted, window.since)

    def may_differ(node: DatasetId, head: DatasetHead) -> bool:
        schema, digest = before[node].schema, head.written or head.schema_digest
        is_drop_known = is_drop(head.facets) or before[node].is_dropped
        return is_drop_known or (node in wanted and (bool(window.until) or schema is None or schema.digest != digest))

    after = _states(reader, {node: ids[node] for node, head in heads.items() if may_differ(node, head)}, window.until)
    return before, before | after


def _has_schemas(head: DatasetHead) -> bool:
    return head.has_writer or bool(head.facts.described) or head.schema_digest is not None


def _states(
    reader: Reader, ids: Mapping[DatasetId, Collection[DatasetId]], until: Instant | None
) -> dict[DatasetId, _Then]:
    """Datasets at a time, each by all its ids: by the newest writes that went well until then, else by the schemas that
    its readers had seen."""
    at = until or FOREVER
    pairs = [(node, name) for node, names in ids.items() for name in sorted(names)]
    newest = concurrent_map(
        lambda pair: list(islice(reader.store.writes_of(pair[1]).newest(until=at, limit=FIRST_LOOK), FIRST_LOOK)), pairs
    )
    read = reader.store.read(ReadRequest(writes=[write for writes in newest for write in writes])).writes
    runs = {run.id: run for run in reader.runs([write.run for writes in newest for write in writes])}
    found: dict[DatasetId, list[DatasetWrite]] = {node: [] for node in ids}
    for (node, _), writes in zip(pairs, newest, strict=True):
        for write in read.of(writes):
            run = runs.get(write.id.run)
            standing = WriteOfRun(write.output.first, write.id, run).standing(at) if run else Standing.GOOD
            if standing is Standing.GOOD:
                found[node].append(write)
    unwritten = [pair for pair in pairs if not found[pair[0]]]
    seen = versions_seen(reader, unwritten) if unwritten else {}
    states: dict[DatasetId, _Then] = {}
    for node, good in found.items():
        good.sort(key=lambda write: (write.output.first, write.id), reverse=True)
        schema = next((write.schema for write in good if write.schema), None)
        by_readers = max((version for version in seen.get(node, ()) if version.at <= at), default=None)
        states[node] = _Then(good[0] if good else None, schema or (by_readers.schema if by_readers else None))
    return states


def _columns(
    reader: Reader,
    schemas: Mapping[DatasetId, tuple[SchemaId | None, SchemaId | None]],
    ids: Mapping[DatasetId, Collection[DatasetId]],
    window: Window,
) -> dict[DatasetId, tuple[SchemaDiff, Mapping[str, Any], Mapping[str, Any]]]:
    """The datasets whose columns differ, each with its columns at both times."""
    pairs = {node: (old, new) for node, (old, new) in schemas.items() if old and new and old.digest != new.digest}
    read = reader.store.read(ReadRequest(schemas={schema for pair in pairs.values() for schema in pair})).schemas
    changes: dict[DatasetId, tuple[SchemaDiff, Mapping[str, Any], Mapping[str, Any]]] = {}
    for node, pair in pairs.items():
        before, after = (columns_of(document.value) for document in read.of(pair))
        if diff := columns_diff(before, after):
            changes[node] = diff, before, after
    renamed = with_renames_between(reader, {node: diff for node, (diff, *_) in changes.items()}, ids, window)
    return {node: (renamed[node], before, after) for node, (_, before, after) in changes.items()}


def _jobs(reader: Reader, heads: Mapping[JobId, JobHead], window: Window, diff: NamespaceDiff) -> None:
    new = [head for head in heads.values() if head.facts.first > window.since and not _is_look(head)]
    diff.added += [(NodeKind.JOB, head.facts.name) for head in new]
    old = {job: head for job, head in heads.items() if head.facts.first <= window.since}
    before, after = (settled_edges(reader, old, time, {}) for time in window)
    around = reader.neighbourhood({node for job in old for node, _ in _used(before[job]) ^ _used(after[job])}, ())
    code = changed_code(reader, before, after)
    unknown: list[str] = []
    for job, head in sorted(old.items(), key=lambda each: each[1].facts.name):
        own = node_id(NodeKind.JOB, head.facts.name)
        then, now = (_edges_of(own, edges[job], around) for edges in (before, after))
        if not then and now:
            unknown.append(own)
        added, removed = (now.keys() - then.keys(), then.keys() - now.keys()) if then and now else ((), ())
        diff.edges_added += [now[edge] for edge in added]
        diff.edges_removed += [then[edge] for edge in removed]
        if added or removed or job in code:
            diff.jobs.append(ChangedJob(head.facts.name, code.get(job)))
    diff.unseen.append((BlindSpot.JOBS_WITHOUT_RUNS, unknown))
    diff.seen = (len(heads), diff.seen[1])


def _used(edges: Edges) -> set[tuple[DatasetId, bool]]:
    return {*((ref.id, False) for ref in edges.inputs), *((ref.id, True) for ref in edges.outputs)}


def _edges_of(job: str, edges: Edges, around: Neighbourhood) -> dict[tuple[DatasetId, bool], GraphEdge]:
    """The edges of a job, by the representative of their datasets."""
    edges = edges.under_later_names(around.renamed_away)

    def shown(ref: DatasetRef) -> tuple[DatasetId, str]:
        node = around.representative(ref.id)
        head = around.heads.get(node)
        return node, node_id(NodeKind.DATASET, head.facts.name if head else ref.name)

    reads = {(node, False): (name, job) for node, name in map(shown, edges.inputs)}
    return reads | {(node, True): (job, name) for node, name in map(shown, edges.outputs)}


def changed_code(
    reader: Reader, before: Mapping[JobId, Edges], after: Mapping[JobId, Edges]
) -> dict[JobId, tuple[JsonObject, JsonObject]]:
    """The jobs whose code differs, by the runs that give their edges at two times."""
    ids = {
        job: (JobRunId(job, before[job].run_id), JobRunId(job, after[job].run_id))
        for job in before.keys() & after.keys()
    }
    wanted = {job: pair for job, pair in ids.items() if pair[0].run_id and pair[0] != pair[1]}
    runs = {run.id: run for run in reader.runs([run for pair in wanted.values() for run in pair])}
    found: dict[JobId, tuple[JsonObject, JsonObject]] = {}
    for job, pair in wanted.items():
        old, new = (_location(runs.get(run)) for run in pair)
        differing = [name for name in CODE if old.get(name) != new.get(name)] if old and new else []
        if differing:
            found[job] = _only(old, differing), _only(new, differing)
    return found


def _location(run: Run | None) -> JsonObject:
    facet = values(run.job_facets).get("sourceCodeLocation") if run else None
    return {name: text for name in CODE if isinstance(text := facet.get(name), str)} if isinstance(facet, dict) else {}


def _only(place: JsonObject, members: Collection[str]) -> JsonObject:
    return {name: place[name] for name in members if name in place}
