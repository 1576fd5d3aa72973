"""Events for tests: the required members, and the members that a test adds."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.store.table import Retention

EPOCH = datetime(2026, 11, 20, 8, tzinfo=UTC)
PRODUCER = "https://example.com/producer"
RETENTION = Retention(runs=timedelta(days=90), events=timedelta(days=30))

Document = dict[str, Any]


def at(seconds: float) -> str:
    """An event time, some seconds after eight o'clock."""
    return (EPOCH + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def run_id(number: int) -> str:
    return str(uuid.UUID(int=number))


def facet(**members: Any) -> Document:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.com/facet.json", **members}


def schema(*fields: str) -> Document:
    """A schema facet of `name:type` fields."""
    return facet(fields=[dict(zip(("name", "type"), field.split(":"), strict=True)) for field in fields])


def columns(**outputs: tuple[str, str, str]) -> Document:
    """A columnLineage facet: each output column from one column (namespace, dataset, field)."""
    return facet(
        fields={
            name: {"inputFields": [{"namespace": source[0], "name": source[1], "field": source[2]}]}
            for name, source in outputs.items()
        }
    )


def symlinks(*names: str, namespace: str = "s3://lake") -> Document:
    return facet(identifiers=[{"namespace": namespace, "name": name, "type": "TABLE"} for name in names])


def renamed_from(name: str, namespace: str = "s3://lake") -> Document:
    """A lifecycleStateChange facet: the dataset had this name before."""
    return facet(lifecycleStateChange="RENAME", previousIdentifier={"namespace": namespace, "name": name})


def parent(run: int, job: str, root: tuple[int, str] | None = None) -> Document:
    """A parent run facet, with the root of all if it is another run."""
    holders = {"parent": (run, job), **({"root": root} if root else {})}
    named = {
        role: {"run": {"runId": run_id(number)}, "job": {"namespace": "demo", "name": name}}
        for role, (number, name) in holders.items()
    }
    return facet(**named.pop("parent"), **named)


def made_of(target: str, *sources: str, namespace: str = "s3://lake") -> Document:
    """An entry of an explicit lineage facet."""
    inputs = [{"namespace": namespace, "name": source, "type": "DATASET"} for source in sources]
    return {"namespace": namespace, "name": target, "type": "DATASET", "inputs": inputs}


def dataset(name: str, namespace: str = "s3://lake", **facets: Any) -> Document:
    return {"namespace": namespace, "name": name, "facets": facets}


def run_event(
    kind: str | None = "START",
    *,
    seconds: float = 0,
    run: int = 1,
    job: str = "load",
    inputs: list[Document] | None = None,
    outputs: list[Document] | None = None,
    run_facets: Document | None = None,
    job_facets: Document | None = None,
) -> Document:
    event = {
        "eventTime": at(seconds),
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": run_facets or {}},
        "job": {"namespace": "demo", "name": job, "facets": job_facets or {}},
        "inputs": inputs or [],
        "outputs": outputs or [],
    }
    return {**event, "eventType": kind} if kind else event


def job_event(
    *, seconds: float = 0, job: str = "load", facets: Document | None = None, **datasets: list[Document]
) -> Document:
    named = {"namespace": "demo", "name": job, **({"facets": facets} if facets else {})}
    return {"eventTime": at(seconds), "producer": PRODUCER, "job": named, "inputs": [], "outputs": [], **datasets}


def dataset_event(named: Document, *, seconds: float = 0) -> Document:
    return {"eventTime": at(seconds), "producer": PRODUCER, "dataset": named}


def received(*documents: Document) -> list[NormalisedEvent]:
    """Events as the fold takes them, read from their JSON as a message is."""
    return [normalise_event(exact_json.dumps(document), Naming()) for document in documents]
