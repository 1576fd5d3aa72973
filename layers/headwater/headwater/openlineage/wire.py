"""Reads an event from a JSON document: the core strictly, facets leniently.

The core is times, ids, namespaces and names. A facet may be any JSON: no event is refused because of a facet, as long
as `facets` is an object. A member that is `null` counts as absent, because several producers write every member.
Source: OpenLineage spec 2-0-2.
"""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, cast

from pydantic_core import core_schema

from headwater.openlineage import exact_json
from headwater.openlineage.event import (
    AnyEvent,
    DatasetEvent,
    DatasetReference,
    EventKind,
    EventType,
    JobEvent,
    JobReference,
    Name,
    RunEvent,
    is_uuid,
)
from headwater.openlineage.faults import Fault, InvalidRequest
from headwater.openlineage.instant import Instant, instant_of, parse_instant
from headwater.openlineage.strict_model import StrictModel, Text, after, checked, optional

FURTHEST_AHEAD = timedelta(days=366)
"""An event with a later event time is refused, because the event would stay the newest for a long time."""

PARENT_ALIAS = "parentRun"
"""What Airflow's integration called the run facet `parent` up to OpenLineage 0.13."""


def _run_id(text: str) -> str:
    if not is_uuid(text):
        raise ValueError("not a UUID")
    return text.lower()


def _event_type(text: str) -> EventType:
    try:
        return EventType(text.upper())
    except ValueError:
        raise ValueError(f"not one of {', '.join(EventType)}") from None


_STRING = core_schema.str_schema()
_Time = Annotated[str, after(_STRING, parse_instant)]
_RunId = Annotated[str, after(_STRING, _run_id)]
_Type = Annotated[str, core_schema.with_default_schema(after(_STRING, _event_type), default=EventType.OTHER)]
_Facets = Annotated[dict[str, Any] | None, optional(core_schema.dict_schema(_STRING))]


class _Run(StrictModel):
    runId: _RunId
    facets: _Facets


class _Job(StrictModel):
    namespace: Text
    name: Text
    facets: _Facets


class _Dataset(StrictModel):
    namespace: Text
    name: Text
    facets: _Facets
    inputFacets: _Facets
    outputFacets: _Facets


_Datasets = Annotated[list[_Dataset] | None, optional(core_schema.list_schema(_Dataset.schema))]


class _Event(StrictModel):
    eventTime: _Time
    producer: Text


class _DatasetEvent(_Event):
    dataset: Annotated[_Dataset, _Dataset.schema]


class _JobEvent(_Event):
    job: Annotated[_Job, _Job.schema]
    inputs: _Datasets
    outputs: _Datasets


class _RunEvent(_JobEvent):
    run: Annotated[_Run, _Run.schema]
    eventType: _Type


def read_event(document: Any, *, now: datetime | None = None, canonical: str | None = None) -> AnyEvent:
    """The event in a JSON document. With `now`, an event time far ahead of `now` is a fault. `canonical` is the
    canonical text of the document, for callers that have it.

    Raises InvalidRequest with all faults, each with its path: `inputs[0].name: missing`.
    """
    if not isinstance(document, dict):
        raise InvalidRequest(Fault("body", f"expected an object, one OpenLineage event, got {_kind(document)}"))
    members = {name: value for name, value in document.items() if value is not None}
    wire = checked(_model(members), members)
    if now and wire.eventTime > instant_of(now.astimezone(UTC) + FURTHEST_AHEAD):
        raise InvalidRequest(
            Fault("eventTime", f"more than {FURTHEST_AHEAD.days} days ahead of the clock; correct the producer's clock")
        )
    return _event(wire, exact_json.digest_of(canonical) if canonical else exact_json.digest(document))


def _model(members: dict[str, Any]) -> type[_Event]:
    """The model of an event, by its members: schemaURL is often absent or old. An event with an eventType and no run is
    a faulty RunEvent, unless its schemaURL says otherwise: only a RunEvent has an eventType, but clients of Marquez add
    one to any event."""
    if "run" in members:
        return _RunEvent
    kind = str(members.get("schemaURL")).rpartition("/")[2]
    if "eventType" in members and kind not in (EventKind.JOB_EVENT, EventKind.DATASET_EVENT):
        return _RunEvent
    if "job" in members:
        return _JobEvent
    if "dataset" in members:
        return _DatasetEvent
    return _RunEvent


def _event(wire: _Event, digest: str) -> AnyEvent:
    time = Instant(wire.eventTime)
    match wire:
        case _RunEvent():
            return RunEvent(
                time=time,
                producer=wire.producer,
                digest=digest,
                type=EventType(wire.eventType),
                run_id=wire.run.runId,
                run_facets=_with_parent(_present(wire.run.facets)),
                job=_job(wire.job),
                inputs=_references(wire.inputs, "inputFacets"),
                outputs=_references(wire.outputs, "outputFacets"),
            )
        case _JobEvent():
            return JobEvent(
                time=time,
                producer=wire.producer,
                digest=digest,
                job=_job(wire.job),
                inputs=_references(wire.inputs, "inputFacets"),
                outputs=_references(wire.outputs, "outputFacets"),
            )
    wire = cast(_DatasetEvent, wire)
    return DatasetEvent(time=time, producer=wire.producer, digest=digest, dataset=_reference(wire.dataset, None))


def _job(job: _Job) -> JobReference:
    return JobReference(Name(job.namespace, job.name), _present(job.facets))


def _references(datasets: list[_Dataset] | None, io_facets: str) -> tuple[DatasetReference, ...]:
    return tuple([_reference(dataset, io_facets) for dataset in datasets or ()])


def _reference(dataset: _Dataset, io_facets: str | None) -> DatasetReference:
    own = getattr(dataset, io_facets) if io_facets else None
    return DatasetReference(Name(dataset.namespace, dataset.name), _present(dataset.facets), _present(own))


def _present(facets: dict[str, Any] | None) -> dict[str, Any]:
    return {name: facet for name, facet in facets.items() if facet is not None} if facets else {}


def _with_parent(facets: dict[str, Any]) -> dict[str, Any]:
    """The facets of a run, with its parent as `parent`."""
    if PARENT_ALIAS not in facets or "parent" in facets:
        return facets
    return {"parent" if name == PARENT_ALIAS else name: facet for name, facet in facets.items()}


def _kind(value: Any) -> str:
    kinds = {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}
    return kinds.get(type(value), "a number")
