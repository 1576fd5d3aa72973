"""Spark: a schema has all columns of the dataset, and column lineage has filters, joins and groupings.

An application runs queries, each a job with runs of its own. The listener does not end each of these runs: some of
Spark ML's stay open, and a micro-batch that was cut off.

Spark ML saves a model as folders, each by a query of its own. The path is enough to recognise the parts of a pipeline
(`stages/INDEX_UID`, see naming). The folder `metadata` of the model itself needs the query: Spark ML writes and reads
the folder by RDDs, and the listener sends no schema. A table called `metadata` is written and read by SQL, with a
schema.

A training gives each part of a model a random id of 12 hex digits, which the names of queries have, too:

    train_churn.adaptive_spark_plan.1_LogisticRegression_052a7c363ac6_data
    train_churn.map_partitions_logistic_regression_052a7c363ac6_training_blocks_...

Both are stored without the id: each training is a run of the same job.

Spark looks at files before it reads them, by queries of their own, which the listener reports as any other:

    read.csv("raw/sales")                  collect_limit reads raw/sales/part.csv, with the one column `value`: a text
                                           probe, which reads no dataset
    read with recursiveFileLookup          map_partitions_parallel_collection lists each folder below the path, too; of
                                           listener 1.37 it even writes them

The listener makes the name of an application of `spark.app.name`, in other letters, or of a setting of its own. The
author's name for it is in the events and is shown first; the job keeps its name:

    invoices_daily                         Invoices Daily
    invoices_daily.append_data.lake_x      Invoices Daily.append_data.lake_x

Maintenance rewrites files. It does not consume its table, nor make a new version of the data. For Iceberg's
`rewrite_data_files`, the listener sends a query that reads the table and appends to it, under the name that the table
has in a catalogue of Iceberg's own; for `rewrite_manifests`, one that reads the metadata table `entries`. OPTIMIZE and
VACUUM of Delta, and `CALL run_clustering` of Hudi, name no dataset.

    lake.append_data.default_cache_iceberg_ice_db_orders          a run of this job has no inputs and outputs
    lake.append_data.default_rewrite_catalog_ice_db_orders        so it is called on Spark 4
"""

import re
from collections.abc import Container
from dataclasses import replace

from headwater.graph.facets.curation import CALLED
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.members import facet_text
from headwater.graph.facets.schema import fields_of
from headwater.graph.names.naming import FILE_SYSTEMS, IdentifiedName, Naming
from headwater.graph.producers.producer import Producer, Strength
from headwater.graph.producers.table_formats import is_list_of_files, is_read_as_text
from headwater.openlineage.event import DatasetReference, EventType, Facets, JobEvent, JobReference, Name, RunEvent

CATALOG = "catalog"
_NO_DATABASES = FILE_SYSTEMS | {"hive", "kafka"}
_METADATA = re.compile(r"(?P<model>.*[^/])/+metadata/*")
_NUMBER = re.compile(r"(?<=[^.])\.\d+\Z")
"""The number of an RDD: Hudi names its RDDs by their numbers, and each is a job."""
_RESULT = "command_result"
"""What `.show()` or `.collect()` reads of a statement. The listener repeats the datasets of the statement."""
_PROBE, _LISTING = "collect_limit", "map_partitions_parallel_collection"
_GENERATED = re.compile(r"nativespark-.+-jr_[0-9a-f]+|Databricks Shell")
"""Values of `spark.app.name` that Glue and Databricks make themselves."""
_MERGE_OF_DELTA = ".execute_merge_into_command"
"""For its target, the listener names the version that the MERGE read, not the one that it makes."""
_SAVE_BY_FORMAT = ".execute_save_into_data_source_command"
"""The only query for which the listener reports a Hudi table as output."""
_OF_HUDI = "_hoodie_"
_FAILED = "headwater_failed"
"""The run facet by which the jar beside the listener says that a query failed although the listener sent COMPLETE. Of
queries that fail together, `toldBy` is the run that the alert is for."""
_ID = r"(?:_(?!\d{12})[0-9a-f]{12}|__[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12})"
"""A random id of Spark, or of sparklyr; twelve decimal digits are more likely a time."""
_OF_STAGE = re.compile(rf"(\.\d+(?:_[A-Za-z]+)+){_ID}(?=(?:_[A-Za-z]+)?\Z)")
_OF_ESTIMATOR = re.compile(rf"(?<=[a-z]){_ID}(?=_|\Z)")
_MAINTENANCE = re.compile(
    r"\.(?:\w+\.default_(?:cache_iceberg|rewrite_catalog)_|execute_(?:optimize|vacuum)_table_command(?:\.|\Z))"
)


class Spark(Producer):
    def strength_of_input(self, name: Name, facets: Container[str]) -> Strength:
        """For a database table, the columns of a query, unless a catalogue has the table."""
        scheme, is_server, _ = name.namespace.partition("://")
        is_database = is_server and scheme not in _NO_DATABASES
        return Strength.PARTIAL if is_database and CATALOG not in facets else self.inputs

    def is_preparation(self, kind: str | None) -> bool:
        """A schema is read, or inferred, in a query of its own."""
        return kind == "RDD_JOB"

    def infers_a_schema(self, kind: str | None, query: str) -> bool:
        """For `read.csv("in/shops.csv", inferSchema=True)`, a query by RDDs reads the folder `in`."""
        return kind == "RDD_JOB" and query.endswith("_file_scan")

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        """The event without files that Spark only looks at or rewrites, without what it only repeats of another query,
        without Hudi's columns in what is no Hudi table, and without a version that was only read; with what its author
        calls the application; and as FAIL if it is the COMPLETE of a query that is known to have failed."""
        if isinstance(event, RunEvent) and event.type is EventType.COMPLETE and _FAILED in event.run_facets:
            event = replace(event, type=EventType.FAIL)
        event = _with_own_name(event)
        if _kind_of_query(event.job.facets) and _MAINTENANCE.search(event.job.name.name):
            return replace(event, inputs=(), outputs=())
        query = event.job.name.name.rpartition(".")[2]
        if query == _RESULT:
            return replace(event, inputs=(), outputs=())
        is_of_files = not event.outputs and all(map(is_list_of_files, event.inputs))
        if is_of_files or (query == _PROBE and _is_text_probe(event)):
            return replace(event, inputs=())
        if query == _LISTING and _kind_of_query(event.job.facets) == "RDD_JOB":
            listed = {dataset.name for dataset in event.inputs}
            written = tuple(dataset for dataset in event.outputs if dataset.name not in listed)
            return replace(event, inputs=event.inputs if len(listed) == 1 else (), outputs=written)
        if _SAVE_BY_FORMAT in event.job.name.name:
            return event
        own = _without_version if _MERGE_OF_DELTA in event.job.name.name else _without_columns_of_hudi
        return replace(event, outputs=tuple(map(own, event.outputs)))

    def is_told_by_another(self, run_facets: Facets) -> bool:
        """A CREATE TABLE AS fails with the query inside it, and a batch of a stream with the stream."""
        return facet_text(run_facets, _FAILED, "toldBy") is not None

    def stable_name(self, job: JobReference) -> str:
        """The name without the random ids of a training, or the number of an RDD."""
        match _kind_of_query(job.facets):
            case "RDD_JOB":
                return _OF_ESTIMATOR.sub("", _NUMBER.sub(".rdd", job.name.name))
            case "SQL_JOB":
                return _OF_STAGE.sub(r"\1", job.name.name)
        return job.name.name

    def dataset(
        self, identified: IdentifiedName, reference: DatasetReference, job_facets: Facets, naming: Naming
    ) -> IdentifiedName:
        """The model in place of the folder of its metadata."""
        name = identified.shown
        folder = _METADATA.fullmatch(name.name)
        is_path = name.namespace.partition(":")[0] in FILE_SYSTEMS
        if not folder or not is_path or SCHEMA in reference.facets or _kind_of_query(job_facets) != "RDD_JOB":
            return identified
        model = naming.identify(Name(name.namespace, folder["model"]))
        return model._replace(rules=tuple(dict.fromkeys(("model", *identified.rules, *model.rules))))


SPARK = Spark(
    "spark",
    inputs=Strength.COMPLETE,
    outputs=Strength.COMPLETE,
    repeats_schemas=True,
    runs_queries=True,
    looks_outputs_up=True,
)


def _with_own_name(event: RunEvent | JobEvent) -> RunEvent | JobEvent:
    """The event, with a facet on its job for what the author calls it, if that is another name."""
    name, facets = event.job.name.name, event.run_facets if isinstance(event, RunEvent) else {}
    match facets:
        case {"spark_applicationDetails": {"appName": str(own)}} if own:
            pass
        case {"spark_properties": {"properties": {"spark.app.name": str(own)}}} if own:
            pass
        case _:
            return event
    is_application = _kind_of_query(event.job.facets) == "APPLICATION"
    application = name if is_application else _parent_in(facets)
    is_named_by_it = bool(application) and f"{name}.".startswith(f"{application}.")
    if not is_named_by_it or application == own or _GENERATED.fullmatch(own):
        return event
    job_facets = {**event.job.facets, CALLED: {"name": own + name.removeprefix(application)}}
    return replace(event, job=replace(event.job, facets=job_facets))


def _parent_in(run_facets: Facets) -> str:
    match run_facets.get("parent"):
        case {"job": {"name": str(name)}}:
            return name
    return ""


def _is_text_probe(event: RunEvent | JobEvent) -> bool:
    """Whether a query reads a file as text to learn its columns. A look at text from PySpark (`head`, `take`) has a
    call site, in one of its events."""
    details = event.run_facets.get("spark_jobDetails") if isinstance(event, RunEvent) else None
    has_call_site = isinstance(details, dict) and bool(details.get("jobCallSite"))
    is_of_files = all(dataset.name.namespace.partition(":")[0] in FILE_SYSTEMS for dataset in event.inputs)
    return is_of_files and not (event.outputs or has_call_site) and all(map(is_read_as_text, event.inputs))


def _without_version(output: DatasetReference) -> DatasetReference:
    return replace(output, facets={name: facet for name, facet in output.facets.items() if name != "version"})


def _without_columns_of_hudi(output: DatasetReference) -> DatasetReference:
    """An output without the columns that Hudi adds to a table's own, in the schema and the column lineage."""
    changed: dict[str, object] = {}
    match output.facets.get(SCHEMA):
        case {"fields": list(fields), **rest}:
            own = [field for field in fields_of({"fields": fields}) if not field["name"].startswith(_OF_HUDI)]
            if len(own) < len(fields):
                changed[SCHEMA] = {**rest, "fields": own}
    match output.facets.get(COLUMN_LINEAGE):
        case {"fields": dict(columns), **rest}:
            kept = {name: column for name, column in columns.items() if not name.startswith(_OF_HUDI)}
            if len(kept) < len(columns):
                changed[COLUMN_LINEAGE] = {**rest, "fields": kept}
    return replace(output, facets={**output.facets, **changed}) if changed else output


def _kind_of_query(job_facets: Facets) -> str:
    """RDD_JOB or SQL_JOB for a query of Spark; empty for another job."""
    is_spark = facet_text(job_facets, "jobType", "integration") == "SPARK"
    return facet_text(job_facets, "jobType", "jobType") or "" if is_spark else ""
