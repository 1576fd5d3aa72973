"""From states to items and back: what each item of the table holds. docs/table.md lists them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from headwater.graph.dataset import DatasetFacts, DatasetHead
from headwater.graph.identity import NodeId, dataset_id, job_id
from headwater.graph.job import Edges, JobFacts, JobHead, RunRef, Seen
from headwater.graph.mention import SCHEMA, DatasetUse, Document, Uses
from headwater.graph.neighbours import Neighbours, Page
from headwater.graph.register import Register, Registers
from headwater.graph.run import Ending, Run
from headwater.openlineage.event import AnyEvent, EventType, JobEvent, Name, RunEvent
from headwater.openlineage.instant import Instant, to_datetime
from headwater.store import keys
from headwater.store.documents import pack, pack_text, unpack
from headwater.store.table import Item

DOC, SEEN = "doc", "seen"


@dataclass(frozen=True, slots=True)
class Retention:
    """How long what grows without bound is kept, counted from event times."""

    runs: timedelta
    events: timedelta


def run_item(run: Run, retention: Retention) -> Item:
    """A run. `at` puts it among its job's runs, `run_id` finds it without its job."""
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
    }
    labels = {
        "kind": "run",
        "namespace": run.job.namespace,
        "name": run.job.name,
        "state": run.state,
        "run_id": run.run_id,
        "at": keys.time_key(*run.order),
    }
    key = keys.run(job_id(run.job), run.run_id)
    return Item(key, labels, {DOC: pack(document)}, _expiry(run.last, retention.runs))


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
    )


def write_item(job: Name, run_id: str, use: DatasetUse, retention: Retention) -> Item:
    """A version of a dataset: what a run said of this output. Its time is that of the first event that named it."""
    document = {"run": run_id, "use": _from_use(use)}
    labels = {"kind": "write", "at": keys.time_key(use.first, run_id)}
    key = keys.write(dataset_id(use.name), run_id, job_id(job))
    return Item(key, labels, {DOC: pack(document)}, _expiry(use.first, retention.runs))


def read_write(item: Item) -> tuple[str, DatasetUse]:
    """The run that wrote a version, and what it said."""
    document = unpack(item.parts[DOC])
    return document["run"], _to_use(document["use"])


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
    }
    seen = {
        node: [seen.reads, seen.writes, seen.last, _from_registers(seen.facets)] for node, seen in facts.seen.items()
    }
    node = job_id(facts.name)
    labels = _node_labels("job", facts.name, keys.jobs_of(facts.name.namespace), node, head.settling)
    return Item(keys.job_head(node), labels, {DOC: pack(document), SEEN: pack(seen)})


def read_job(item: Item) -> JobHead:
    document, seen = unpack(item.parts[DOC]), unpack(item.parts[SEEN])
    at, run_id, inputs, outputs = document["chosen"]
    facts = JobFacts(
        name=Name(*document["name"]),
        first=document["first"],
        last=document["last"],
        facets=_to_registers(document["facets"]),
        run_facets=_to_registers(document["runFacets"]),
        declared=Register(*document["declared"]) if document["declared"] else None,
        seen={
            node: Seen(reads, writes, last, _to_registers(facets))
            for node, (reads, writes, last, facets) in seen.items()
        },
    )
    latest = RunRef(*document["latest"]) if document["latest"] else None
    chosen = Edges(at, run_id, tuple(inputs), tuple(outputs))
    return JobHead(facts, latest, chosen, item.labels.get("settling"))


def dataset_item(head: DatasetHead) -> Item:
    """A dataset's head: its facets as they are now, and the schema behind the digest."""
    facts = head.facts
    document = {
        "name": facts.name,
        "created": facts.created,
        "own": _from_registers(facts.own),
        "facets": head.facets,
        "schema": head.schema,
    }
    node = dataset_id(facts.name)
    labels = _node_labels("dataset", facts.name, keys.datasets_of(facts.name.namespace), node, head.settling)
    return Item(keys.dataset_head(node), labels, {DOC: pack(document)})


def read_dataset(item: Item) -> DatasetHead:
    document = unpack(item.parts[DOC])
    own = _to_registers(document["own"])
    facts = DatasetFacts(Name(*document["name"]), document["created"], own)
    return DatasetHead(facts, document["facets"], document["schema"], item.labels.get("settling"))


def page_item(dataset: NodeId, prefix: str, page: Page) -> Item:
    """A page of a dataset's neighbours."""
    document = {
        "readers": sorted(page.jobs.readers),
        "writers": sorted(page.jobs.writers),
        "hasSplit": page.has_split,
    }
    return Item(keys.neighbours(dataset, prefix), {"kind": "neighbours"}, {DOC: pack(document)})


def read_page(item: Item) -> Page:
    document = unpack(item.parts[DOC])
    jobs = Neighbours(frozenset(document["readers"]), frozenset(document["writers"]))
    return Page(jobs, document["hasSplit"])


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
    return Item(key, {"kind": "event"}, {DOC: pack_text(canonical)}, _expiry(event.time, retention.events))


def namespace_item(name: str, first: Instant) -> Item:
    """A namespace that any job or dataset was named in; `first` is the earliest event time that named it."""
    key = keys.namespace(name)
    labels = {"kind": "namespace", "first": first, "listed_in": keys.ALL_NAMESPACES}
    labels["name_key"] = keys.name_key(Name("", name), NodeId(key.sk))
    return Item(key, labels, {DOC: pack({"name": name})})


def _node_labels(kind: str, name: Name, listed_in: str, node: NodeId, settling: str | None) -> dict[str, str]:
    labels = {"kind": kind, "namespace": name.namespace, "name": name.name, "listed_in": listed_in}
    labels["name_key"] = keys.name_key(name, node)
    if settling:
        labels["settling"] = settling
    return labels


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
