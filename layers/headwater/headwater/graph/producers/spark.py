"""Spark: a schema has all columns of the dataset, and column lineage has filters, joins and groupings.

An application runs queries, each a job with runs of its own. The listener does not end each of these runs: some of
Spark ML's stay open, and a micro-batch that was cut off.

Spark ML saves a model as folders, each by a query of its own. The path alone tells the parts of a pipeline
(`stages/INDEX_UID`, see naming). The folder `metadata` of the model itself needs the query: Spark ML writes and reads
the folder by RDDs, and the listener sends no schema. A table called `metadata` is written and read by SQL, with a
schema.

A training gives each part of a model a random id of 12 hex digits, which the names of queries have, too:

    train_churn.adaptive_spark_plan.1_LogisticRegression_052a7c363ac6_data
    train_churn.map_partitions_logistic_regression_052a7c363ac6_training_blocks_...

Both are stored without the id: each training is a run of the same job.

Maintenance rewrites files. It is no consumer of its table, and makes no new version of the data. For Iceberg's
`rewrite_data_files`, the listener sends a query that reads the table and appends to it, under the name that the table
has in a catalogue of Iceberg's own. OPTIMIZE and VACUUM of Delta name no dataset.

    lake.append_data.default_cache_iceberg_ice_db_orders          a run of this job has no inputs and outputs
    lake.append_data.default_rewrite_catalog_ice_db_orders        so it is called on Spark 4
"""

import re
from dataclasses import replace

from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.members import facet_text
from headwater.graph.names.naming import FILE_SYSTEMS, IdentifiedName, Naming
from headwater.graph.producers.producer import Producer, Strength
from headwater.openlineage.event import DatasetReference, Facets, JobEvent, JobReference, Name, RunEvent

_METADATA = re.compile(r"(?P<model>.*[^/])/+metadata/*")
_ID = r"_(?!\d{12})[0-9a-f]{12}"
"""A random id; twelve decimal digits are more likely a time."""
_OF_STAGE = re.compile(rf"(\.\d+_[A-Za-z]+){_ID}(?=(?:_[A-Za-z]+)?\Z)")
_OF_ESTIMATOR = re.compile(rf"(?<=[a-z]){_ID}(?=_|\Z)")
_MAINTENANCE = re.compile(
    r"\.(?:\w+\.default_(?:cache_iceberg|rewrite_catalog)_|execute_(?:optimize|vacuum)_table_command(?:\.|\Z))"
)


class Spark(Producer):
    def is_preparation(self, kind: str | None) -> bool:
        """A schema is read, or inferred, in a query of its own."""
        return kind == "RDD_JOB"

    def stable_name(self, job: JobReference) -> str:
        """The name without the random ids of a training."""
        match _kind_of_query(job.facets):
            case "RDD_JOB":
                return _OF_ESTIMATOR.sub("", job.name.name)
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

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        """An event of maintenance has no datasets."""
        is_maintenance = _kind_of_query(event.job.facets) and _MAINTENANCE.search(event.job.name.name)
        return replace(event, inputs=(), outputs=()) if is_maintenance else event


SPARK = Spark("spark", inputs=Strength.COMPLETE, outputs=Strength.COMPLETE, runs_queries=True)


def _kind_of_query(job_facets: Facets) -> str:
    """RDD_JOB or SQL_JOB for a query of Spark; empty for another job."""
    is_spark = facet_text(job_facets, "jobType", "integration") == "SPARK"
    return facet_text(job_facets, "jobType", "jobType") or "" if is_spark else ""
