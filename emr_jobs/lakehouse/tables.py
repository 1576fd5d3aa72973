"""The tables of the lakehouse: their columns, keys, partitions and sort orders.

A column `joined` has the state of the fold for a row, which the next increment joins with newer states; it is private
to this package. All other columns follow from it.
"""

from collections.abc import Collection
from dataclasses import dataclass


@dataclass(frozen=True)
class TableForm:
    """A table.

    columns      the columns with their types, as in DDL
    keys         the columns that name a row
    partition    the transform by which the table is partitioned; empty for a small table
    order        the columns by which files are sorted
    """

    name: str
    columns: str
    keys: tuple[str, ...]
    partition: str
    order: str

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(line.split()[0] for line in self.columns.strip().splitlines())

    def new_columns(self, stored: Collection[str]) -> str:
        """The columns that a table of an earlier release lacks, with their types. They come last."""
        lines = [line.strip().removesuffix(",") for line in self.columns.strip().splitlines()]
        return ", ".join(line for line in lines if line.split()[0] not in stored)

    def ddl(self, full_name: str) -> list[str]:
        """The statements that make the table, unless it exists."""
        partitioned = f" PARTITIONED BY ({self.partition})" if self.partition else ""
        properties = "TBLPROPERTIES ('format-version' = '2', 'write.distribution-mode' = 'hash')"
        create = f"CREATE TABLE IF NOT EXISTS {full_name} ({self.columns}) USING iceberg{partitioned} {properties}"
        distributed = "DISTRIBUTED BY PARTITION " if self.partition else ""
        return [create, f"ALTER TABLE {full_name} WRITE {distributed}LOCALLY ORDERED BY {self.order}"]


_USED = "direction:string,dataset_id:string,namespace:string,name:string,rows:bigint,bytes:bigint,schema_digest:string"
_STAGE = (
    "stage:bigint,operation:string,tasks:bigint,median_seconds:double,max_seconds:double,median_bytes:bigint,"
    "max_bytes:bigint,bytes:bigint"
)

EVENTS = TableForm(
    "events",
    """
    day date,
    digest string,
    event_time timestamp,
    received_at timestamp,
    kind string,
    event_type string,
    job_id string,
    job_namespace string,
    job_name string,
    run_id string,
    dataset_id string,
    producer string,
    text string
    """,
    keys=("day", "digest"),
    partition="day",
    order="job_id, event_time",
)
RUNS = TableForm(
    "runs",
    f"""
    day date,
    job_id string,
    run_id string,
    job_namespace string,
    job_name string,
    state string,
    started_at timestamp,
    ended_at timestamp,
    seconds double,
    parent_job_id string,
    parent_run_id string,
    integration string,
    error string,
    rows_read bigint,
    bytes_read bigint,
    rows_written bigint,
    bytes_written bigint,
    datasets array<struct<{_USED}>>,
    joined binary,
    executor_seconds double,
    skewed_stage struct<{_STAGE}>
    """,
    keys=("job_id", "run_id"),
    partition="day",
    order="job_id, started_at",
)
JOBS = TableForm(
    "jobs",
    """
    job_id string,
    namespace string,
    name string,
    type string,
    integration string,
    description string,
    owner string,
    owners array<string>,
    tags array<string>,
    parent_job_id string,
    created_at timestamp,
    updated_at timestamp,
    is_view boolean,
    is_deleted boolean,
    joined binary
    """,
    keys=("job_id",),
    partition="",
    order="namespace, name",
)
DATASETS = TableForm(
    "datasets",
    """
    dataset_id string,
    namespace string,
    name string,
    type string,
    description string,
    owner string,
    owners array<string>,
    tags array<string>,
    column_tags array<struct<column_name:string,tag:string>>,
    schema_digest string,
    created_at timestamp,
    updated_at timestamp,
    is_deleted boolean,
    joined binary
    """,
    keys=("dataset_id",),
    partition="",
    order="namespace, name",
)
LINKS = TableForm(
    "links",
    """
    dataset_id string,
    linked_id string
    """,
    keys=("dataset_id", "linked_id"),
    partition="",
    order="dataset_id",
)
SCHEMAS = TableForm(
    "schemas",
    """
    dataset_id string,
    digest string,
    position int,
    column_name string,
    type string,
    first_seen timestamp
    """,
    keys=("dataset_id", "digest", "position"),
    partition="bucket(8, dataset_id)",
    order="dataset_id, first_seen, position",
)
READS_WRITES = TableForm(
    "reads_writes",
    """
    day date,
    job_id string,
    job_namespace string,
    job_name string,
    dataset_id string,
    dataset_namespace string,
    dataset_name string,
    direction string,
    is_declared boolean,
    first_seen timestamp,
    last_seen timestamp,
    runs bigint,
    failed_runs bigint,
    seconds double,
    rows bigint,
    bytes bigint
    """,
    keys=("day", "job_id", "dataset_id", "direction", "is_declared"),
    partition="day",
    order="dataset_id, direction",
)
COLUMN_EDGES = TableForm(
    "column_edges",
    """
    job_id string,
    dataset_id string,
    dataset_namespace string,
    dataset_name string,
    column_name string,
    source_id string,
    source_namespace string,
    source_name string,
    source_column string,
    type string,
    subtype string,
    masking boolean,
    first_seen timestamp,
    last_seen timestamp
    """,
    keys=("job_id", "dataset_id", "column_name", "source_id", "source_column", "type", "subtype", "masking"),
    partition="bucket(8, dataset_id)",
    order="dataset_id, column_name",
)
QUALITY = TableForm(
    "quality",
    """
    day date,
    dataset_id string,
    dataset_namespace string,
    dataset_name string,
    job_id string,
    run_id string,
    position int,
    checked_at timestamp,
    assertion string,
    column_name string,
    is_success boolean,
    row_count bigint,
    bytes bigint
    """,
    keys=("job_id", "run_id", "dataset_id", "position"),
    partition="day",
    order="dataset_id, checked_at",
)
TAKEN_OBJECTS = TableForm(
    "taken_objects",
    """
    archive string,
    key string,
    size bigint
    """,
    keys=("archive", "key", "size"),
    partition="",
    order="key",
)
TABLES = (EVENTS, RUNS, JOBS, DATASETS, LINKS, SCHEMAS, READS_WRITES, COLUMN_EDGES, QUALITY, TAKEN_OBJECTS)
