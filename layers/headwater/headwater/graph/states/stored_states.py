"""States stored besides runs and heads: writes, quality results, aliases, namespaces, days."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, NamedTuple

from headwater.graph.facets.curation import ALERTS, is_curation
from headwater.graph.facets.dataset_reference import IoDataset, io_datasets, without_foreign_outputs
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.register import Registers, join_registers, stamp, values
from headwater.graph.names.identity import (
    NO_JOB,
    AliasId,
    ColumnLineageId,
    DatasetId,
    NamespaceId,
    QualityId,
    SchemaId,
    WriteId,
    dataset_id,
    job_id,
    namespace_id,
    sent_id,
    version_of_event,
)
from headwater.graph.states.normalised_event import Alias, FirstWriter
from headwater.graph.states.run import Run
from headwater.openlineage.event import AnyEvent, DatasetEvent, JobEvent, Name
from headwater.openlineage.instant import Instant


class DatasetWrite(NamedTuple):
    """A version of a dataset: the output as its run or event sent it. Its time is when the first event named it."""

    id: WriteId
    output: IoDataset

    def join(self, other: "DatasetWrite | None") -> "DatasetWrite":
        return DatasetWrite(self.id, self.output.join(other.output)) if other else self

    @classmethod
    def by_run(cls, run: Run) -> Iterator["DatasetWrite"]:
        """The writes of a run without foreign outputs, as far as the run is known."""
        yield from (cls(WriteId(dataset, run.run_id, run.id.job), output) for dataset, output in run.outputs.items())

    @property
    def schema(self) -> SchemaId | None:
        """The schema that the dataset was written with."""
        digest = values(self.output.facets).get(SCHEMA)
        return SchemaId(self.id.dataset, digest) if isinstance(digest, str) else None

    @property
    def column_lineage(self) -> ColumnLineageId | None:
        """The column lineage that the writer sent."""
        digest = values(self.output.facets).get(COLUMN_LINEAGE)
        return ColumnLineageId(self.id.dataset, digest) if isinstance(digest, str) else None

    @classmethod
    def by_event(cls, event: AnyEvent) -> Iterator["DatasetWrite"]:
        """The writes of an event without a run. A write follows only from its event."""
        if isinstance(event, JobEvent):
            outputs = io_datasets(without_foreign_outputs(event).outputs, stamp(event))
            job = job_id(event.job.name)
        elif isinstance(event, DatasetEvent) and not is_curation(event):
            job, outputs = NO_JOB, io_datasets([event.dataset], stamp(event))
        else:
            return
        version = version_of_event(event.digest)
        yield from (cls(WriteId(dataset, version, job), output) for dataset, output in outputs.items())


class QualityResult(NamedTuple):
    """The newest assertions and metrics that a run sent for the data of a dataset."""

    id: QualityId
    facets: Registers

    def join(self, other: "QualityResult | None") -> "QualityResult":
        return QualityResult(self.id, join_registers(self.facets, other.facets)) if other else self

    @classmethod
    def by_run(cls, run: Run) -> Iterator["QualityResult"]:
        """The quality results of a run, as far as the run is known."""
        results = run.quality_results.items()
        yield from (cls(QualityId(dataset, run.run_id, run.id.job), facets) for dataset, facets in results)

    @property
    def time(self) -> Instant:
        """The time of the newest event with one of the facets."""
        return max(register.time for register in self.facets.values())


class KnownAlias(NamedTuple):
    """An alias that events used: the time at which its name was first sent, and the first run that wrote under the
    name."""

    alias: Alias
    first: Instant
    writing: FirstWriter | None

    @property
    def id(self) -> AliasId:
        return AliasId(sent_id(self.alias.sent), dataset_id(self.alias.dataset))

    def join(self, other: "KnownAlias | None") -> "KnownAlias":
        """The alias as it was first sent, with the first of the first writers."""
        if other is None:
            return self
        first, alias = min((self.first, self.alias), (other.first, other.alias))
        return KnownAlias(
            alias, first, min((writer for writer in (self.writing, other.writing) if writer), default=None)
        )


class Severity(StrEnum):
    """The severities of alerts, the worst first."""

    CRITICAL = "critical"
    WARNING = "warning"
    INFO = "info"


class StoredAlert(NamedTuple):
    """An alert as it was announced; `document` is what `GET /alerts` shows. The id follows from the cause."""

    id: str
    time: Instant
    severity: Severity
    namespace: str
    document: dict[str, Any]

    @property
    def is_silenced(self) -> bool:
        """Whether the alert was not sent."""
        return "silenced" in self.document

    @property
    def silence(self) -> Name:
        """The dataset that stands for the alerts of this type about this node. A recovery has the type of what it
        ends."""
        ended = {"Emission Latency Recovered": "Emission Latency Exceeded", "Deadline Recovered": "Deadline At Risk"}
        name = Name(self.namespace, self.document["name"])
        node = job_id(name) if self.document["nodeId"].startswith("job:") else dataset_id(name)
        return Name(ALERTS, f"{ended.get(self.document['type'], self.document['type'])}:{node}")


def acknowledgement_of(alert: str) -> DatasetId:
    return dataset_id(Name(ALERTS, alert))


class DatasetAlert(NamedTuple):
    """That a dataset has a stored alert, of this time."""

    dataset: DatasetId
    time: Instant
    alert: str


class KnownNamespace(NamedTuple):
    """A namespace of a job or dataset, and the earliest event time that names it."""

    name: str
    first: Instant

    @property
    def id(self) -> NamespaceId:
        return namespace_id(self.name)

    def join(self, other: "KnownNamespace | None") -> "KnownNamespace":
        return min(self, other, key=lambda known: known.first) if other else self


class EventDay(NamedTuple):
    """A day on which there are events, such as `2026-11-20`."""

    day: str


class CatalogProgress(NamedTuple):
    """Where the import from the Glue Data Catalog continues. Empty texts mean from the beginning."""

    database: str = ""
    token: str = ""
