"""A graph's events, as the Spark listener sends them: START and COMPLETE of each run, both with all datasets and
facets."""

import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.graph import Job, LayerDataset, LayeredGraph, columns
from events.story import PRODUCER, SPEC, facet

Document = dict[str, Any]

JOBS, LAKE = "benchmark", "s3://benchmark-lake"
FIRST_RUN = datetime(2026, 11, 1, 2, tzinfo=UTC)
BETWEEN_RUNS = timedelta(hours=12)
TYPES = ("string", "long", "decimal(18,2)", "timestamp", "boolean")
SUBTYPES = ("IDENTITY", "IDENTITY", "TRANSFORMATION", "AGGREGATION")


def events(graph: LayeredGraph, runs: int, seed: int) -> Iterator[Document]:
    """All events, job by job, the events of a job by time. The fold leaves the same items for any order."""
    chance = random.Random(seed)  # noqa: S311 - makes test data
    for number, job in enumerate(graph.jobs):
        for run in range(runs):
            started = FIRST_RUN + run * BETWEEN_RUNS + timedelta(seconds=number, milliseconds=chance.randrange(1000))
            ended = started + timedelta(seconds=30 + chance.random() * 600)
            run_id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
            rows = chance.randrange(10**6)
            yield _event("START", started, run_id, job, rows)
            yield _event("COMPLETE", ended, run_id, job, rows)


def _event(kind: str, time: datetime, run_id: str, job: Job, rows: int) -> Document:
    return {
        "eventTime": time.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": f"{SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "eventType": kind,
        "run": {"runId": run_id, "facets": _run_facets(job, run_id)},
        "job": {"namespace": JOBS, "name": job.name, "facets": {"jobType": _JOB_TYPE}},
        "inputs": [_input(name, rows) for name in job.inputs],
        "outputs": [_output(job, rows)],
    }


_JOB_TYPE = facet("2-0-4", "JobTypeJobFacet", processingType="BATCH", integration="SPARK", jobType="SQL_JOB")


def _run_facets(job: Job, run_id: str) -> Document:
    app = job.name.partition(".")[0]
    engine = {"version": "3.5.9", "name": "spark", "openlineageAdapterVersion": "1.53.0"}
    details = {"master": "yarn", "appName": app, "applicationId": f"application_{run_id}", "deployMode": "cluster"}
    return {
        "spark_properties": facet("1-0-0", "RunFacet", properties={"spark.master": "yarn", "spark.app.name": app}),
        "processing_engine": facet("1-1-1", "ProcessingEngineRunFacet", **engine),
        "spark_applicationDetails": facet(
            "1-0-0", "RunFacet", **details, driverHost="ip-10-0-0-1.ec2.internal", userName="hadoop"
        ),
        "environment-properties": facet("1-0-0", "RunFacet", **{"environment-properties": {}}),
    }


def _input(dataset: LayerDataset, rows: int) -> Document:
    statistics = facet("1-0-0", "InputStatisticsInputDatasetFacet", size=rows * 120, fileCount=8)
    return _dataset(dataset) | {"inputFacets": {"inputStatistics": statistics}}


def _output(job: Job, rows: int) -> Document:
    document = _dataset(job.output)
    document["facets"]["columnLineage"] = _column_lineage(job)
    statistics = facet("1-0-2", "OutputStatisticsOutputDatasetFacet", rowCount=rows, size=rows * 100, fileCount=8)
    return document | {"outputFacets": {"outputStatistics": statistics}}


def _dataset(dataset: LayerDataset) -> Document:
    fields = [{"name": name, "type": TYPES[at % len(TYPES)]} for at, name in enumerate(columns(dataset))]
    facets = {
        "dataSource": facet("1-0-1", "DatasourceDatasetFacet", name=LAKE, uri=LAKE),
        "schema": facet("1-2-0", "SchemaDatasetFacet", fields=fields),
    }
    return {"namespace": LAKE, "name": dataset.name, "facets": facets}


def _column_lineage(job: Job) -> Document:
    fields = {
        flow.column: {"inputFields": [_source(*source, SUBTYPES[at % len(SUBTYPES)]) for source in flow.sources]}
        for at, flow in enumerate(job.flows)
    }
    joined = [{**_source(name, columns(name)[0], "JOIN", "INDIRECT")} for name in job.inputs]
    return facet("1-2-0", "ColumnLineageDatasetFacet", fields=fields, dataset=joined)


def _source(dataset: LayerDataset, column: str, subtype: str, kind: str = "DIRECT") -> Document:
    step = {"type": kind, "subtype": subtype, "description": "", "masking": False}
    return {"namespace": LAKE, "name": dataset.name, "field": column, "transformations": [step]}
