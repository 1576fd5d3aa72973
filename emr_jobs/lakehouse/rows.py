"""The rows of the tables, by the states of the fold. Each function gives the values of a row in the order of the
table's columns."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from emr_jobs.lakehouse.outputs import DROP, direction_of, other_drops
from emr_jobs.lakehouse.states import READ, WRITE, Declaration, ReceivedEvent, SentLineage
from headwater.graph.facets.column_lineage import Steps, column_flows, indirect_flows
from headwater.graph.facets.curation import tagging, tags
from headwater.graph.facets.dataset_reference import Document, IoDataset
from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.members import (
    assertions_of,
    error_message,
    error_summary,
    facet_text,
    owners_of,
    runtime_of,
    skewed_stage,
)
from headwater.graph.facets.register import values
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.identity import dataset_id, job_id
from headwater.graph.names.naming import Naming
from headwater.graph.producers import integration_of
from headwater.graph.states.dataset import DatasetFacts, DatasetHead
from headwater.graph.states.dataset_claims import DatasetClaims
from headwater.graph.states.job import JobFacts, JobHead
from headwater.graph.states.run import PARENT, Run, parent_reference
from headwater.openlineage.event import DatasetEvent, EventKind, JobEvent, RunEvent
from headwater.openlineage.instant import Instant, to_datetime
from headwater.store.bulk import packed

Row = tuple[Any, ...]
ALL_COLUMNS = "*"
"""The column of an indirect flow, which bears on a whole dataset."""
MOST = 2**63 - 1


def event_row(received: ReceivedEvent) -> Row:
    event = received.event
    job = event.job.name if isinstance(event, RunEvent | JobEvent) else None
    kind = {RunEvent: EventKind.RUN_EVENT, JobEvent: EventKind.JOB_EVENT, DatasetEvent: EventKind.DATASET_EVENT}
    return (
        day_of(event.time),
        event.digest,
        time_of(event.time),
        time_of(received.at),
        kind[type(event)].value,
        event.type.value if isinstance(event, RunEvent) else None,
        job_id(job) if job else None,
        job.namespace if job else None,
        job.name if job else None,
        event.run_id if isinstance(event, RunEvent) else None,
        dataset_id(event.dataset.name) if isinstance(event, DatasetEvent) else None,
        event.producer,
        received.canonical,
    )


def run_row(run: Run) -> Row:
    used = [*_read(run), *_written(run)]
    sums = [_sum(each[of] for each in used if each[0] == side) for side in (READ, WRITE) for of in (4, 5)]
    started, ended = time_of(run.started_at), time_of(run.ended_at) if run.ended_at else None
    parent = run.parent
    return (
        day_of(run.started_at),
        *run.id,
        *run.job,
        run.state.value,
        started,
        ended,
        _seconds(run),
        job_id(parent.job) if parent else None,
        parent.run_id if parent else None,
        integration_of(values(run.job_facets), run.producer.value) or None,
        error_summary(error_message(values(run.facets))) or None,
        *sums,
        used,
        packed(run),
        *_tasks(values(run.facets)),
    )


def _tasks(facets: Mapping[str, Any]) -> tuple[float | None, Row | None]:
    """What the tasks of a run took in all, and of a skewed stage its tasks; None of a run that did not say."""
    runtime, stage = runtime_of(facets), skewed_stage(facets)
    return float(runtime["executorSeconds"]) if runtime else None, _stage(stage) if stage else None


def _stage(stage: Mapping[str, Any]) -> Row:
    times = (float(stage[name]) for name in ("medianSeconds", "maxSeconds"))
    sizes = (min(stage[name], MOST) for name in ("medianBytes", "maxBytes", "bytes"))
    return stage["stage"], stage.get("operation"), stage["tasks"], *times, *sizes


def _seconds(run: Run) -> float | None:
    """The duration of a run; None if it is open, or if its end is the first that is known of it."""
    if not run.ended_at or (not run.started and run.started_at >= run.ended_at):
        return None
    return max(0.0, (time_of(run.ended_at) - time_of(run.started_at)).total_seconds())


def _read(run: Run) -> Iterator[Row]:
    for dataset, used in sorted(run.inputs.items()):
        yield _used(READ, dataset, used)


def _written(run: Run) -> Iterator[Row]:
    for dataset, used in sorted(run.outputs.items()):
        yield _used(direction_of(used, run), dataset, used)
        yield from ((DROP, gone, *name, None, None, None) for gone, name in other_drops(used))


def _used(direction: str, dataset: str, used: IoDataset) -> Row:
    rows, size = statistics(used)
    schema = values(used.facets).get(SCHEMA)
    return direction, dataset, *used.name, rows, size, schema if isinstance(schema, str) else None


def statistics(used: IoDataset) -> tuple[int | None, int | None]:
    """The rows and bytes that a run read of an input, or wrote to an output."""
    facets = values(used.io_facets)
    for facet in (facets.get("outputStatistics"), facets.get("inputStatistics"), facets.get("dataQualityMetrics")):
        if isinstance(facet, dict):
            return _count(facet.get("rowCount")), _count(facet.get("size", facet.get("bytes")))
    return None, None


def job_row(facts: JobFacts) -> Row:
    facets = values(facts.facets)
    owners = owners_of(facets)
    parent = parent_reference(values(facts.run_facets).get(PARENT))
    return (
        facts.id,
        *facts.name,
        facet_text(facets, "jobType", "processingType"),
        integration_of(facets) or None,
        facet_text(facets, "documentation", "description"),
        owners[0] if owners else None,
        owners,
        tags(facets),
        job_id(parent.job) if parent else None,
        time_of(facts.first),
        time_of(facts.updated),
        facts.is_derivation,
        facts.is_deleted,
        packed(JobHead(facts)),
    )


def dataset_row(facts: DatasetFacts) -> Row:
    head = DatasetClaims(last=facts.described).head(facts)
    facets, owners = head.facets, owners_of(head.facets)
    return (
        head.id,
        *facts.name,
        facet_text(facets, "datasetType", "datasetType"),
        facet_text(facets, "documentation", "description"),
        owners[0] if owners else None,
        owners,
        tags(facets),
        list(_column_tags(facets)),
        head.schema_digest,
        time_of(facts.created),
        time_of(max(facts.created, facts.described)),
        head.is_deleted,
        packed(DatasetHead(facts)),
    )


def _column_tags(facets: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    tagged = tagging(facets)
    facet = tagged.get("tags")
    sent = facet.get("tags") if isinstance(facet, dict) else None
    entries = [*tagged.values(), *(sent if isinstance(sent, list) else ())]
    columns = {entry.get("field") for entry in entries if isinstance(entry, dict)}
    for column in sorted(column for column in columns if isinstance(column, str)):
        yield from ((column, tag) for tag in tags(tagged, column))


def schema_rows(document: Document) -> Iterator[Row]:
    for position, field in enumerate(fields_of(document.value)):
        of_type = field.get("type")
        shown = of_type if isinstance(of_type, str) else None
        yield document.dataset, document.digest, position, field["name"], shown, time_of(document.time)


def declared_row(declared: Declaration) -> Row:
    first, last = time_of(declared.first), time_of(declared.last)
    dataset = (dataset_id(declared.dataset), *declared.dataset)
    day = day_of(declared.first)
    return day, declared.job, *declared.job_name, *dataset, declared.direction, True, first, last, 0, 0, 0.0, 0, 0


def edge_rows(sent: SentLineage, aliases: Mapping[str, str]) -> Iterator[Row]:
    """The flows between columns that a job sent for an output. A source has the dataset that its name means."""
    naming, times = Naming(aliases), (time_of(sent.first), time_of(sent.last))
    output = (sent.job, dataset_id(sent.dataset), *sent.dataset)
    flows = [(flow.output.field, flow.source, flow.steps) for flow in column_flows(sent.dataset, sent.facet)]
    flows += [(ALL_COLUMNS, flow.source, flow.steps) for flow in indirect_flows(sent.dataset, sent.facet)]
    for column, source, steps in flows:
        shown = naming.identify(source.dataset).shown
        of_source = (dataset_id(shown), *shown, source.field)
        for step in transformations(steps, is_indirect=column == ALL_COLUMNS):
            yield *output, column, *of_source, *step, *times


def transformations(steps: Steps, *, is_indirect: bool) -> list[tuple[str, str, bool]]:
    """The distinct transformations of a flow: type, subtype, and whether it masks. Without any, it is not known how the
    output is made."""
    default = "INDIRECT" if is_indirect else "DIRECT"
    found = {
        (str(step.get("type") or default), str(step.get("subtype") or ""), step.get("masking") is True)
        for step in steps
    }
    return sorted(found) or [(default, "", False)]


def quality_rows(run: Run) -> Iterator[Row]:
    """The assertions of a run, and at position 0 the metrics."""
    for dataset, registers in sorted(run.quality_results.items()):
        used = run.inputs.get(dataset) or run.outputs[dataset]
        at = max(register.time for register in registers.values())
        named = (day_of(at), dataset, *used.name, *run.id)
        facets = values(registers)
        metrics = facets.get("dataQualityMetrics")
        if isinstance(metrics, dict):
            counts = _count(metrics.get("rowCount")), _count(metrics.get("bytes"))
            yield *named, 0, time_of(at), None, None, None, *counts
        for position, check in enumerate(assertions_of(facets), start=1):
            column, success = check.get("column"), check.get("success")
            shown = column if isinstance(column, str) else None
            outcome = success if isinstance(success, bool) else None
            yield *named, position, time_of(at), str(check.get("assertion")), shown, outcome, None, None


def day_of(time: Instant) -> date:
    return date.fromisoformat(time[:10])


def time_of(time: Instant) -> datetime:
    return to_datetime(time)


def _count(value: Any) -> int | None:
    """A count of rows or bytes; None for what is none, whatever the producer put there."""
    try:
        return number if not isinstance(value, bool) and 0 <= (number := int(value)) <= MOST else None
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        return None


def _sum(counts: Iterator[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return min(sum(known), MOST) if known else None
