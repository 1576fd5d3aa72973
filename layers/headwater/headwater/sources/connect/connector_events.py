"""OpenLineage events about a connector."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import simplejson

from headwater.openlineage.event import EventType, Name
from headwater.openlineage.instant import Instant
from headwater.openlineage.own_events import OwnProducer
from headwater.sources.connect.connector import Connector
from headwater.sources.connect.connector_lineage import Flow, datasets_of, flows_of
from headwater.sources.connect.last_reported import FAILED, JOB_FACET, RUN_FACET, LastRun
from headwater.sources.connect.redaction import MAX_OFFSETS, told_settings, without_secrets, without_secrets_in
from headwater.sources.poller import Document

PRODUCER = OwnProducer("connect/kafka", "producers/kafka-connect.md")
INTEGRATION, INTEGRATION_OF_GROUPS = "KAFKA_CONNECT", "KAFKA"
_IDS = uuid.uuid5(uuid.NAMESPACE_URL, PRODUCER.uri)


class ConnectorStatus(NamedTuple):
    """A connector as one poll found it.

    kafka_id        the id of its Kafka cluster
    configuration   a hash of what it is set to do (`configuration_of`)
    flows           its inputs and outputs
    columns         the fields of its outputs' column lineage
    """

    kafka_id: str
    configuration: str
    connector: Connector
    flows: Sequence[Flow]
    columns: Mapping[Name, Any]


def run_id_of(job: Name, kafka_id: str, before: str) -> str:
    """The id of a connector's run: of the run before it, and of the day for the first. A poll that is repeated, since
    its events were not yet in the graph, gives the same id."""
    return str(uuid.uuid5(_IDS, f"{job.namespace}\n{job.name}\n{kafka_id}\n{before}"))


def run_event(kind: EventType, run_id: str, job: Name, status: ConnectorStatus, at: Instant) -> Document:
    """The event of a run: START, RUNNING with the progress, FAIL with the trace, ABORT of a stopped connector."""
    facets = {RUN_FACET: run_facet(status)}
    if not status.connector.is_group:
        facets["processing_engine"] = _engine(status.connector)
    if kind is EventType.FAIL:
        facets["errorMessage"] = error_message(status.connector)
    return PRODUCER.event("RunEvent", at) | {
        "eventType": kind.value,
        "run": {"runId": run_id, "facets": facets},
        **_job_and_datasets(job, status),
    }


def job_event(job: Name, status: ConnectorStatus, at: Instant) -> Document:
    """The event of a connector that does not run: its job with its datasets."""
    return PRODUCER.event("JobEvent", at) | _job_and_datasets(job, status)


def end_event(kind: EventType, run: LastRun, job: Name, why: str, at: Instant) -> Document:
    """The end of a run whose connector has another configuration since, or was deleted. The run keeps its datasets."""
    facet = _run_facet(run.kafka_id, run.configuration, {"state": why, "tasks": [], "offsets": []}, why)
    named = {"namespace": job.namespace, "name": job.name, "facets": {}}
    ended = {"runId": run.run_id, "facets": {RUN_FACET: facet}}
    return PRODUCER.event("RunEvent", at) | {
        "eventType": kind.value,
        "run": ended,
        "job": named,
        "inputs": [],
        "outputs": [],
    }


def configuration_of(connector: Connector, kafka: str) -> str:
    """A hash of a connector's publishable settings, and of the datasets that follow only from its settings. A run with
    other datasets is another run: the datasets of a run are those of all its events."""
    unused = replace(connector, topics=(), offsets=())
    return _hash([connector.connector_class, told_settings(connector.config), flows_of(unused, kafka)])


def failure_of(connector: Connector) -> str:
    """A hash of a failure. A worker keeps the trace of a failed task for a moment after a new configuration came."""
    return _hash(connector.trace) if connector.state == FAILED else ""


def run_facet(status: ConnectorStatus) -> Document:
    """The state of a run: of the connector and its tasks, and the offsets as progress. `told` is a hash of everything
    in an event except its time: a poll that finds the same hash sends nothing."""
    connector = status.connector
    tasks = [{"id": task.id, "state": task.state, "worker": task.worker} for task in connector.tasks]
    offsets = without_secrets_in(list(connector.offsets[:MAX_OFFSETS]), connector.config)
    failure = failure_of(connector)
    members = {"state": connector.state, "tasks": tasks, "offsets": offsets} | ({"failure": failure} if failure else {})
    told = _hash([members, connector.trace, _job_and_datasets(Name("", ""), status)])
    return _run_facet(status.kafka_id, status.configuration, members, told)


def error_message(connector: Connector) -> Document:
    """The failure of a connector: the first line of the trace names the cause, or its last `Caused by:` does."""
    trace = without_secrets(connector.trace, connector.config)
    lines = trace.splitlines()
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    failed = [task.id for task in connector.tasks if task.state == "FAILED"]
    of = f"task {failed[0]} failed: " if failed else ""
    message = of + (causes[-1] if causes else lines[0] if lines else "the worker gives no reason")
    members = {"message": message, "programmingLanguage": "JAVA"} | ({"stackTrace": trace} if trace else {})
    return PRODUCER.facet("1-0-1/ErrorMessageRunFacet", **members)


def _job_and_datasets(job: Name, status: ConnectorStatus) -> Document:
    connector = status.connector
    integration, type_ = (INTEGRATION_OF_GROUPS, "CONSUMER_GROUP") if connector.is_group else (INTEGRATION, "CONNECTOR")
    kind = PRODUCER.facet("2-0-3/JobTypeJobFacet", processingType="STREAMING", integration=integration, jobType=type_)
    described = PRODUCER.own_facet(
        type="group" if connector.is_group else "source" if connector.is_source else "sink",
        connectorClass=connector.connector_class,
        version=connector.version,
        configuration=status.configuration,
        settings=told_settings(connector.config),
    )
    inputs, outputs = datasets_of(status.flows)
    return {
        "job": {"namespace": job.namespace, "name": job.name, "facets": {"jobType": kind, JOB_FACET: described}},
        "inputs": [{"namespace": name.namespace, "name": name.name, "facets": {}} for name in inputs],
        "outputs": [_output(name, status.columns.get(name)) for name in outputs],
    }


def _output(name: Name, columns: Any) -> Document:
    facet = PRODUCER.facet("1-2-0/ColumnLineageDatasetFacet", fields=columns) if columns else None
    return {"namespace": name.namespace, "name": name.name, "facets": {"columnLineage": facet} if facet else {}}


def _engine(connector: Connector) -> Document:
    return PRODUCER.facet(
        "1-1-1/ProcessingEngineRunFacet", name="kafka-connect", version=connector.version or "unknown"
    )


def _run_facet(kafka_id: str, configuration: str, members: Document, told: str) -> Document:
    return PRODUCER.own_facet(kafkaCluster=kafka_id, configuration=configuration, **members, told=told)


def _hash(value: Any) -> str:
    return hashlib.sha256(simplejson.dumps(value, sort_keys=True).encode()).hexdigest()[:32]
