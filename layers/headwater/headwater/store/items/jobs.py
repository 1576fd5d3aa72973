"""The heads of jobs, and their emission latency."""

from typing import Any

from headwater.graph.dataset_usage import DatasetUsage, RunOrder
from headwater.graph.edges import Edges, edges_of
from headwater.graph.identity import DatasetId, derivation_id, job_id
from headwater.graph.job import JobFacts, JobHead, LatestRun
from headwater.graph.latency import Latency
from headwater.graph.register import Register
from headwater.store import keys
from headwater.store.codec import Codec, Members, unchanged, unpacked
from headwater.store.compression import pack
from headwater.store.decoders import (
    boolean,
    instant,
    name,
    name_of,
    number,
    object_of,
    optional,
    register,
    registers,
    text,
)
from headwater.store.encoders import register_json, registers_json
from headwater.store.table import Item

USAGES = "seen"
"""The part of a job's item with the job's usages."""
RESELECTING = "settling"


def encode(head: JobHead) -> Item:
    """The item of a job's head. The usages are a part of their own, which a traversal does not read."""
    facts = head.facts
    document = {
        "name": facts.name,
        "first": facts.first,
        "last": facts.last,
        "facets": registers_json(facts.facets),
        "runFacets": registers_json(facts.run_facets),
        "declared": register_json(facts.declared) if facts.declared else None,
        "latest": head.latest,
        "chosen": head.chosen,
        "isDerivation": facts.is_derivation,
    }
    labels = {"namespace": facts.name.namespace, "name": facts.name.name}
    if head.reselecting:
        labels[RESELECTING] = head.reselecting
    if not facts.is_deleted and not facts.is_derivation:
        labels["listed_in"] = keys.jobs_of(facts.name.namespace)
        labels["place"] = keys.time_key(facts.updated, facts.id)
    usages = pack({dataset: _usage_json(usage) for dataset, usage in facts.usages.items()})
    return JOB.item(keys.job_head(facts.id), document, labels, seen=usages)


def _decode(item: Item, members: Members) -> JobHead:
    """A job's head; without usages, if that part was not read."""
    usages = Members(item.key, {USAGES: unpacked(item, USAGES)} if USAGES in item.parts else {USAGES: {}})
    own = keys.job_of(item.key)
    is_derivation = members.read("isDerivation", boolean, default=False)
    facts = JobFacts(
        name=members.read("name", name_of(derivation_id if is_derivation else job_id, own)),
        first=members.read("first", instant),
        last=members.read("last", instant),
        facets=members.read("facets", registers),
        run_facets=members.read("runFacets", registers),
        declared=members.read("declared", optional(_declared)),
        usages={DatasetId(dataset): usage for dataset, usage in usages.read(USAGES, object_of(_usage)).items()},
        is_derivation=is_derivation,
    )
    latest, chosen = members.read("latest", optional(_latest)), members.read("chosen", _edges)
    return JobHead(facts, latest, chosen, item.labels.get(RESELECTING))


JOB = Codec("job", _decode, (unchanged,))


def _declared(value: Any) -> Register:
    """The register of a JobEvent's edges. The value stays JSON; a wrong value is refused here, not at its first use."""
    declared = register(value)
    edges_of([declared.time, "", *declared.value])
    return declared


def _edges(value: Any) -> Edges:
    edges = edges_of(value)
    return edges._replace(time=instant(edges.time), run_id=text(edges.run_id))


def _latest(value: Any) -> LatestRun:
    started_at, run_id, state, created, updated, ended_at, failed_children = value
    return LatestRun(
        instant(started_at),
        text(run_id),
        text(state),
        instant(created),
        instant(updated),
        optional(instant)(ended_at),
        number(failed_children),
    )


def _usage_json(usage: DatasetUsage) -> list[Any]:
    wrote = register_json(usage.wrote) if usage.wrote else None
    return [usage.name, usage.reads, usage.writes, usage.last, registers_json(usage.facets), usage.quality, wrote]


def _usage(value: Any) -> DatasetUsage:
    """A usage. Older entries lack the last member or the last two."""
    dataset_name, reads, writes, last, facets, quality, wrote = [*value, None, None][:7]
    checked = RunOrder(instant(quality[0]), text(quality[1])) if quality else None
    written = optional(register)(wrote)
    return DatasetUsage(
        name(dataset_name), boolean(reads), boolean(writes), instant(last), registers(facets), checked, written
    )


def encode_latency(latency: Latency) -> Item:
    """The item of a job's emission latency. Only readers of the table's stream use it."""
    document = {
        "job": latency.job,
        "run": latency.run_id,
        "at": latency.at,
        "millis": latency.millis,
        "threshold": latency.threshold,
        "isExceeded": latency.is_exceeded,
    }
    labels = {"namespace": latency.job.namespace, "name": latency.job.name}
    return LATENCY.item(keys.latency(job_id(latency.job)), document, labels)


def _decode_latency(item: Item, members: Members) -> Latency:
    return Latency(
        job=members.read("job", name_of(job_id, keys.job_of(item.key))),
        run_id=members.read("run", text),
        at=members.read("at", instant),
        millis=members.read("millis", number),
        threshold=members.read("threshold", number),
        is_exceeded=members.read("isExceeded", boolean),
    )


def _latency_with_names(document: Any) -> Any:
    """Version 1 of the document was an array."""
    return dict(zip(("job", "run", "at", "millis", "threshold", "isExceeded"), document, strict=True))


LATENCY = Codec("latency", _decode_latency, (_latency_with_names,))
