"""The heads of jobs."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from headwater.graph.facets.dataset_reference import schema_register
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.register import Register, values
from headwater.graph.names.identity import DatasetId, JobRunId, dataset_id, derivation_id, job_id
from headwater.graph.producers import producer_of
from headwater.graph.producers.producer import Producer
from headwater.graph.states.edges import NO_EDGES, DatasetUsage, Edges, RunOrder, edges_of
from headwater.graph.states.generation import Generation, RunOfGeneration
from headwater.graph.states.job import JobFacts, JobHead, LatestRun
from headwater.graph.states.run import RunState
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store import keys
from headwater.store.items.codec import DOC, Codec, Members, Upgrade, unchanged, unpacked
from headwater.store.items.compression import pack, unpack_once
from headwater.store.items.values import (
    array,
    boolean,
    dataset_registers,
    digest,
    instant,
    instant_or_never,
    name,
    name_of,
    number,
    object_of,
    optional,
    register,
    register_json,
    registers,
    registers_json,
    run_id,
)
from headwater.store.items.values import dataset_id as to_dataset_id
from headwater.store.items.values import job_id as to_job_id
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
        "chosen": head.generation.newest.edges.stored,
        "isDerivation": facts.is_derivation,
        **_generation_json(head.generation),
    }
    labels = dict(_labels(head))
    if head.reselecting:
        labels[RESELECTING] = head.reselecting
    usages = pack({dataset: _usage_json(usage) for dataset, usage in facts.usages.items()})
    return JOB.item(keys.job_head(facts.id), document, labels, seen=usages)


def _labels(head: JobHead) -> Mapping[str, str]:
    facts = head.facts
    return _labels_in(keys.jobs_of(facts.name.namespace, facts.id), head.listed_at, head)


def _labels_before_version_4(head: JobHead) -> Mapping[str, str]:
    """The list of a namespace had no shards, and the end of a run moved its job, too."""
    ended_at = (head.latest and head.latest.ended_at) or head.listed_at
    return _labels_in(_only_list(head), max(head.listed_at, ended_at), head)


def _labels_before_version_3(head: JobHead) -> Mapping[str, str]:
    """Each event moved its job."""
    return _labels_in(_only_list(head), head.facts.updated, head)


def _only_list(head: JobHead) -> str:
    return keys.all_jobs_of(head.facts.name.namespace)[0]


def _labels_in(job_list: str, time: Instant, head: JobHead) -> Mapping[str, str]:
    facts = head.facts
    labels = {"namespace": facts.name.namespace, "name": facts.name.name}
    if facts.is_deleted or facts.is_derivation:
        return labels
    return labels | {"listed_in": job_list, "place": keys.time_key(time, facts.id)}


def _decode(item: Item, members: Members) -> JobHead:
    usages = Members({USAGES: unpacked(item, USAGES)}).read(USAGES, _usages)
    head = _decode_without_usages(item, members)
    producer = producer_of(values(head.facts.facets))
    judged = {dataset: _as_judged_today(usage, producer) for dataset, usage in usages.items()}
    return replace(head, facts=replace(head.facts, usages=judged))


def _as_judged_today(usage: DatasetUsage, producer: Producer) -> DatasetUsage:
    """The usage without the schema of an input that an older release took for complete: what Spark read by a query over
    JDBC. The schema that the job wrote counts instead."""
    read = schema_register(usage.facets)
    if read in (None, usage.wrote) or producer.strength_of_input(usage.name, usage.facets) is producer.inputs:
        return usage
    others = {facet: register for facet, register in usage.facets.items() if facet != SCHEMA}
    return replace(usage, facets={**others, SCHEMA: usage.wrote} if usage.wrote else others)


def _decode_without_usages(item: Item, members: Members) -> JobHead:
    own = keys.job_of(item.key)
    is_derivation = members.read("isDerivation", boolean, default=False)
    facts = JobFacts(
        name=members.read("name", name_of(derivation_id if is_derivation else job_id, own)),
        first=members.read("first", instant),
        last=members.read("last", instant_or_never),
        facets=members.read("facets", registers),
        run_facets=members.read("runFacets", registers),
        declared=members.read("declared", optional(_declared)),
        usages={},
        is_derivation=is_derivation,
    )
    latest, newest = members.read("latest", optional(_latest)), members.read("chosen", _edges)
    generation = members.read("generation", _generation_with(newest), _unknown_generation(newest))
    return JobHead(facts, latest, generation, item.labels.get(RESELECTING))


def _decode_unchecked(_: Item, members: Members) -> JobHead:
    return Members({DOC: members.document}).read(DOC, _as_stored)


def _as_stored(stored: Mapping[str, Any]) -> JobHead:
    declared, latest, newest = stored["declared"], stored["latest"], edges_of(stored["chosen"])
    runs = (
        RunOfGeneration(edges_of(edges[0]) if edges else newest, parent and JobRunId(*parent), has_failed, columns)
        for parent, has_failed, columns, *edges in stored.get("generation", ())
    )
    return JobHead(
        JobFacts(
            name=Name(*stored["name"]),
            first=stored["first"],
            last=stored["last"],
            facets={facet: Register(*register) for facet, register in stored["facets"].items()},
            run_facets={facet: Register(*register) for facet, register in stored["runFacets"].items()},
            declared=declared and Register(*declared),
            usages={},
            is_derivation=stored.get("isDerivation", False),
        ),
        latest and LatestRun(*latest),
        Generation(tuple(runs)) if "generation" in stored else _unknown_generation(newest),
    )


_UPGRADES: tuple[Upgrade, ...] = (unchanged, unchanged, unchanged)
_FORMER_LABELS = ((3, _labels_before_version_3), (4, _labels_before_version_4))
JOB = Codec("job", _decode, _UPGRADES, _labels, former_labels=_FORMER_LABELS)
JOB_WITHOUT_USAGES = replace(JOB, decode=_decode_without_usages)
"""Reads the head of a job without its usages."""
JOB_UNCHECKED = replace(JOB, decode=_decode_unchecked, unpack=unpack_once)
"""Reads the head of a job without its usages for somebody who does not keep it, and takes the members as they are: in
a third of the time."""


def _declared(value: Any) -> Register:
    """The register of a JobEvent's edges."""
    declared = register(value)
    return replace(declared, value=_edges([declared.time, "", *declared.value]).of_no_run)


def _edges(value: Any) -> Edges:
    edges = edges_of(value)
    for dataset in edges.inputs + edges.outputs:
        _check_name(dataset.id, dataset.name)
    for output, made_of in edges.sources:
        array(to_dataset_id)([output, *made_of])
    array(to_dataset_id)(list(edges.foreign))
    is_of_run = edges.run_id != NO_EDGES.run_id
    return edges._replace(time=instant_or_never(edges.time), run_id=run_id(edges.run_id) if is_of_run else "")


def _generation_json(generation: Generation) -> dict[str, Any]:
    """The runs of a generation: the newest without its edges, which are the member `chosen`. The previous release
    ignores this member. If it drops it, the next event of the job has the runs read again."""
    if not generation.runs or not generation.is_known:
        return {}
    runs = [[run.parent, run.has_failed, run.columns, run.edges.stored] for run in generation.runs]
    return {"generation": [runs[0][:-1], *runs[1:]]}


def _generation_with(newest: Edges) -> Callable[[Any], Generation]:
    """Reads a generation, whose newest run has these edges."""

    def run(value: Any) -> RunOfGeneration:
        parent, has_failed, columns, *edges = value
        digests = tuple((to_dataset_id(output), digest(lineage)) for output, lineage in columns)
        own = _edges(edges[0]) if edges else newest
        return RunOfGeneration(own, optional(_job_run)(parent), boolean(has_failed), digests)

    return lambda value: Generation(array(run)(value))


def _unknown_generation(newest: Edges) -> Generation:
    """The generation in an item of a release that knew only the newest run."""
    is_none = newest.run_id == NO_EDGES.run_id
    return Generation() if is_none else Generation((RunOfGeneration(newest),), is_known=False)


def _job_run(value: Any) -> JobRunId:
    job, its_run = value
    return JobRunId(to_job_id(job), run_id(its_run))


def _latest(value: Any) -> LatestRun:
    started_at, latest_id, state, created, updated, ended_at, failed_children = value
    return LatestRun(
        instant(started_at),
        run_id(latest_id),
        RunState(state).value,
        instant(created),
        instant(updated),
        optional(instant)(ended_at),
        number(failed_children),
    )


def _usage_json(usage: DatasetUsage) -> list[Any]:
    wrote = register_json(usage.wrote) if usage.wrote else None
    return [usage.name, usage.reads, usage.writes, usage.last, registers_json(usage.facets), usage.quality, wrote]


def _usages(value: Any) -> dict[DatasetId, DatasetUsage]:
    usages = {DatasetId(dataset): usage for dataset, usage in object_of(_usage)(value).items()}
    for dataset, usage in usages.items():
        _check_name(dataset, usage.name)
    return usages


def _check_name(dataset: DatasetId, own_name: Name) -> None:
    if dataset_id(own_name) != dataset:
        raise ValueError(f"expected the name of the dataset {dataset}")


def _usage(value: Any) -> DatasetUsage:
    """A usage. Older entries lack the last member or the last two."""
    dataset_name, reads, writes, last, facets, quality, wrote = [*value, None, None][:7]
    return DatasetUsage(
        name(dataset_name),
        boolean(reads),
        boolean(writes),
        instant_or_never(last),
        dataset_registers(facets),
        optional(_run_order)(quality),
        optional(_schema_register)(wrote),
    )


def _run_order(value: Any) -> RunOrder:
    started_at, checked_by = value
    return RunOrder(instant(started_at), run_id(checked_by))


def _schema_register(value: Any) -> Register:
    schema = register(value)
    digest(schema.value)
    return schema
