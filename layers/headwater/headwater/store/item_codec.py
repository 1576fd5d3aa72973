"""From states to items and back: what each item of the table holds. docs/table.md lists them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from headwater.graph.dataset import DatasetFacts, DatasetHead
from headwater.graph.dataset_reference import SCHEMA, DatasetUse, Document, Uses
from headwater.graph.identity import NodeId, dataset_id, job_id, sent_id, version_of_event
from headwater.graph.job import DatasetUsage, JobFacts, JobHead, LatestRun, RunOrder, edges_of
from headwater.graph.latency import Latency
from headwater.graph.neighbours import NeighbourPage, Side
from headwater.graph.normalised_event import Alias, FirstWriter
from headwater.graph.register import Register, Registers
from headwater.graph.run import Ending, ParentRef, Run, RunState
from headwater.openlineage.event import AnyEvent, EventType, JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant, to_datetime
from headwater.store import keys
from headwater.store.compression import pack, pack_text, unpack
from headwater.store.table import Item

DOC, SEEN = "doc", "seen"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long what grows without bound is kept, counted from event times."""

    runs: timedelta
    events: timedelta


def run_item(run: Run, retention: Retention) -> Item:
    """A run. `at` puts it among its job's runs, `place` among its parent's; `run_id` finds it without its job. Until it
    ends, `open_in` has it watched, if it sent any event itself: one of sixteen places, so that none is hot."""
    document = {
        "job": run.job,
        "run": run.run_id,
        "first": run.first,
        "last": run.last,
        "started": run.started,
        "ending": run.ending,
        "producer": _from_register(run.producer),
        "facets": _from_registers(run.facets),
        "jobFacets": _from_registers(run.job_facets),
        "inputs": _from_uses(run.inputs),
        "outputs": _from_uses(run.outputs),
        "named": run.named,
        "parents": sorted(run.parents),
        "failedChildren": run.failed_children,
    }
    node = job_id(run.job)
    labels = {
        "kind": "run",
        "namespace": run.job.namespace,
        "name": run.job.name,
        "state": run.state,
        "run_id": run.run_id,
        "at": keys.time_key(*run.order),
    }
    if run.state is RunState.RUNNING and run.last:
        labels["open_in"] = keys.open_runs(run.run_id[-1])
    if run.parent:
        labels |= {"listed_in": keys.children_of(run.parent.run_id), "place": keys.time_key(*run.order, node)}
    return Item(keys.run(node, run.run_id), labels, {DOC: pack(document)}, _expiry(run.updated, retention.runs))


def read_run(item: Item) -> Run:
    document = unpack(item.parts[DOC])
    ending = document["ending"]
    return Run(
        job=Name(*document["job"]),
        run_id=document["run"],
        first=document["first"],
        last=document["last"],
        started=document["started"],
        ending=Ending(ending[0], ending[1], ending[2], EventType(ending[3])) if ending else None,
        producer=Register(*document["producer"]),
        facets=_to_registers(document["facets"]),
        job_facets=_to_registers(document["jobFacets"]),
        inputs=_to_uses(document["inputs"]),
        outputs=_to_uses(document["outputs"]),
        named=document["named"],
        parents=frozenset(_to_parents(document["parents"])),
        failed_children=tuple(_to_parents(document["failedChildren"])),
    )


def write_item(run: Run, use: DatasetUse, retention: Retention) -> Item:
    """A version of a dataset: what a run said of this output. Its time is that of the first event that named it."""
    key = keys.write(dataset_id(use.name), run.run_id, job_id(run.job))
    return _write_item(key, use, retention)


def version_item(event: AnyEvent, use: DatasetUse, job: Name | None, retention: Retention) -> Item:
    """A version of a dataset by an event without a run."""
    version = version_of_event(event.digest)
    key = keys.write(dataset_id(use.name), version, job_id(job) if job else NodeId(""))
    return _write_item(key, use, retention)


def quality_item(run: Run, dataset: NodeId, found: Registers, retention: Retention) -> Item:
    """What a run found out about a dataset's data, dated by the newest event that says so."""
    time = max(register.time for register in found.values())
    labels = {"kind": "quality", "at": keys.QUALITY + keys.time_key(time, run.run_id, job_id(run.job))}
    key = keys.quality(dataset, run.run_id, job_id(run.job))
    return Item(key, labels, {DOC: pack(_from_registers(found))}, _expiry(time, retention.runs))


def read_quality(item: Item) -> Registers:
    return _to_registers(unpack(item.parts[DOC]))


def read_write(item: Item) -> DatasetUse:
    """What a run said of a version of a dataset."""
    return _to_use(unpack(item.parts[DOC]))


def _write_item(key: keys.Key, use: DatasetUse, retention: Retention) -> Item:
    labels = {"kind": "write", "at": keys.time_key(use.first, *keys.run_of(key.sk))}
    return Item(key, labels, {DOC: pack(_from_use(use))}, _expiry(use.first, retention.runs))


def job_item(head: JobHead) -> Item:
    """A job's head. What the job said of its datasets is a part of its own, which a traversal does not read."""
    facts = head.facts
    document = {
        "name": facts.name,
        "first": facts.first,
        "last": facts.last,
        "facets": _from_registers(facts.facets),
        "runFacets": _from_registers(facts.run_facets),
        "declared": _from_register(facts.declared) if facts.declared else None,
        "latest": head.latest,
        "chosen": head.chosen,
        "isDerivation": facts.is_derivation,
    }
    seen = {node: _from_usage(seen) for node, seen in facts.usages.items()}
    labels = _node_labels("job", facts.name, head.reselecting)
    if not facts.is_deleted and not facts.is_derivation:
        labels["listed_in"] = keys.jobs_of(facts.name.namespace)
        labels["place"] = keys.time_key(facts.updated, facts.node)
    return Item(keys.job_head(facts.node), labels, {DOC: pack(document), SEEN: pack(seen)})


def read_job(item: Item) -> JobHead:
    """A job's head; without what it said of its datasets, if that part was not read."""
    document, seen = unpack(item.parts[DOC]), unpack(item.parts[SEEN]) if SEEN in item.parts else {}
    facts = JobFacts(
        name=Name(*document["name"]),
        first=document["first"],
        last=document["last"],
        facets=_to_registers(document["facets"]),
        run_facets=_to_registers(document["runFacets"]),
        declared=Register(*document["declared"]) if document["declared"] else None,
        usages={node: _to_usage(each) for node, each in seen.items()},
        is_derivation=document["isDerivation"],
    )
    latest = LatestRun(*document["latest"]) if document["latest"] else None
    return JobHead(facts, latest, edges_of(document["chosen"]), item.labels.get("settling"))


def latency_item(latency: Latency) -> Item:
    """When a job's emission latency last turned; such an item is only for who follows the table."""
    labels = {"kind": "latency", "namespace": latency.job.namespace, "name": latency.job.name}
    document = [latency.job, latency.run_id, latency.at, latency.millis, latency.threshold, latency.is_exceeded]
    return Item(keys.latency(job_id(latency.job)), labels, {DOC: pack(document)})


def read_latency(item: Item) -> Latency:
    job, *rest = unpack(item.parts[DOC])
    return Latency(Name(*job), *rest)


def dataset_item(head: DatasetHead) -> Item:
    """A dataset's head: its facets as they are now, and the schema behind the digest."""
    facts = head.facts
    document = {
        "name": facts.name,
        "named": facts.named,
        "created": facts.created,
        "own": _from_registers(facts.own),
        "said": facts.said,
        "facets": head.facets,
        "schema": head.schema,
        "written": head.written,
        "columns": head.columns,
        "users": head.users,
        "isDeleted": head.is_deleted,
    }
    node = dataset_id(facts.name)
    labels = _node_labels("dataset", facts.name, head.reselecting)
    if not head.is_deleted:
        labels |= {"listed_in": keys.datasets_of(facts.name.namespace), "place": keys.name_key(facts.name, node)}
    return Item(keys.dataset_head(node), labels, {DOC: pack(document)})


def read_dataset(item: Item) -> DatasetHead:
    document = unpack(item.parts[DOC])
    own = _to_registers(document["own"])
    facts = DatasetFacts(Name(*document["name"]), document["named"], document["created"], own, document["said"])
    users = tuple((rank, job) for rank, job in document["users"])
    return DatasetHead(
        facts,
        document["facets"],
        document["schema"],
        document["written"],
        document["columns"],
        users,
        document["isDeleted"],
        item.labels.get("settling"),
    )


def page_item(dataset: NodeId, prefix: str, page: NeighbourPage) -> Item:
    """A page of a dataset's neighbours."""
    document: dict[str, Any] = {
        **{side: sorted(page.jobs[side]) for side in Side},
        "split": sorted(page.split),
        "linked": sorted(page.linked),
        "merged": sorted(page.merged),
        "isDescribed": page.is_described,
    }
    return Item(keys.neighbours(dataset, prefix), {"kind": "neighbours"}, {DOC: pack(document)})


def read_page(item: Item) -> NeighbourPage:
    document = unpack(item.parts[DOC])
    return NeighbourPage(
        {side: frozenset(document[side]) for side in Side},
        frozenset(map(Side, document["split"])),
        frozenset(document["linked"]),
        frozenset(document["merged"]),
        document["isDescribed"],
    )


def document_item(document: Document) -> Item:
    """A schema or a column lineage, kept once; `first` is the earliest event time that it was seen at."""
    if document.facet == SCHEMA:
        labels = {"kind": "schema", "first": document.time}
        return Item(keys.schema(document.dataset, document.digest), labels, {DOC: pack(document.value)})
    key = keys.column_lineage(document.dataset, document.digest)
    return Item(key, {"kind": "columnLineage"}, {DOC: pack(document.value)})


def read_document(item: Item) -> Any:
    """The schema, column lineage, event or namespace that an item holds."""
    return unpack(item.parts[DOC])


def event_item(event: AnyEvent, canonical: str, retention: Retention) -> Item:
    """The event itself, as one canonical text."""
    if isinstance(event, RunEvent):
        key = keys.run_event(event.run_id, event.time, event.digest)
    elif isinstance(event, JobEvent):
        key = keys.job_event(job_id(event.job.name), event.time, event.digest)
    else:
        key = keys.dataset_event(dataset_id(event.dataset.name), event.time, event.digest)
    kind = event.type if isinstance(event, RunEvent) else type(event).__name__
    labels = {"kind": "event", "listed_in": keys.events_of(event.time[:10])}
    labels["place"] = keys.time_key(event.time, kind, event.digest)
    return Item(key, labels, {DOC: pack_text(canonical)}, _expiry(event.time, retention.events))


def day_item(time: Instant, retention: Retention) -> Item:
    """The mark of a day on which there are events; kept a day longer than they are."""
    midnight = Instant(f"{time[:10]}T00:00:00.000000000Z")
    return Item(keys.day(time), {"kind": "day"}, {}, _expiry(midnight, retention.events + timedelta(days=1)))


def alias_item(alias: Alias, first: Instant, first_writer: FirstWriter | None, retention: Retention) -> Item:
    """A name as it was sent that stands for a dataset of another name, the rules that say so, and the run that first
    wrote what it stands for, if it was not only read."""
    dataset = dataset_id(alias.dataset)
    sent = sent_id(alias.sent)
    labels = {"kind": "alias", "first": first, "listed_in": keys.names_of(dataset)}
    labels["place"] = keys.time_key(first, sent)
    document = {"sent": alias.sent, "dataset": alias.dataset, "rules": alias.rules, "writing": first_writer}
    return Item(keys.alias(sent, dataset), labels, {DOC: pack(document)}, _expiry(first, retention.runs))


def read_alias(item: Item) -> Alias:
    document = unpack(item.parts[DOC])
    return Alias(Name(*document["sent"]), Name(*document["dataset"]), tuple(document["rules"]))


def read_first_writer(item: Item) -> FirstWriter | None:
    """The run that first wrote what an alias stands for."""
    first_writer = unpack(item.parts[DOC]).get("writing")
    return FirstWriter(first_writer[0], first_writer[1], Name(*first_writer[2])) if first_writer else None


def glue_import_item(database: str, token: str) -> Item:
    """Where the reading of the Glue Data Catalog is to go on; at the beginning, if there is nothing to go on with."""
    document = {"database": database, "token": token}
    return Item(keys.glue_import(), {"kind": "catalogReading"}, {DOC: pack(document)})


def read_glue_import(item: Item | None) -> tuple[str, str]:
    document = unpack(item.parts[DOC]) if item else {"database": "", "token": ""}
    return document["database"], document["token"]


def namespace_item(name: str, first: Instant) -> Item:
    """A namespace that any job or dataset was named in; `first` is the earliest event time that named it."""
    key = keys.namespace(name)
    labels = {"kind": "namespace", "first": first, "listed_in": keys.ALL_NAMESPACES}
    labels["place"] = keys.name_key(Name("", name), NodeId(key.sk))
    return Item(key, labels, {DOC: pack({"name": name})})


def _node_labels(kind: str, name: Name, reselecting: str | None) -> dict[str, str]:
    labels = {"kind": kind, "namespace": name.namespace, "name": name.name}
    return labels | {"settling": reselecting} if reselecting else labels


def _from_usage(seen: DatasetUsage) -> list[Any]:
    wrote = _from_register(seen.wrote) if seen.wrote else None
    return [seen.name, seen.reads, seen.writes, seen.last, _from_registers(seen.facets), seen.quality, wrote]


def _to_usage(document: list[Any]) -> DatasetUsage:
    name, reads, writes, last, facets, quality, wrote = document
    checked, written = RunOrder(*quality) if quality else None, Register(*wrote) if wrote else None
    return DatasetUsage(Name(*name), reads, writes, last, _to_registers(facets), checked, written)


def _to_parents(document: list[Any]) -> list[ParentRef]:
    return [ParentRef(run_id, Name(*job)) for run_id, job in document]


def _expiry(time: Instant, kept: timedelta) -> int:
    """Epoch seconds, as DynamoDB's TTL wants them."""
    return int(to_datetime(time).timestamp() + kept.total_seconds())


def _from_register(register: Register) -> list[Any]:
    return [register.stamp, register.value]


def _from_registers(registers: Registers) -> dict[str, list[Any]]:
    return {name: _from_register(register) for name, register in registers.items()}


def _to_registers(document: Mapping[str, list[Any]]) -> Registers:
    return {name: Register(*register) for name, register in document.items()}


def _from_use(use: DatasetUse) -> list[Any]:
    return [use.name, use.first, _from_registers(use.facets), _from_registers(use.io_facets)]


def _to_use(document: list[Any]) -> DatasetUse:
    name, first, facets, io_facets = document
    return DatasetUse(Name(*name), first, _to_registers(facets), _to_registers(io_facets))


def _from_uses(uses: Uses) -> dict[NodeId, list[Any]]:
    return {node: _from_use(use) for node, use in uses.items()}


def _to_uses(document: Mapping[NodeId, list[Any]]) -> Uses:
    return {node: _to_use(use) for node, use in document.items()}
