"""Merges rows into tables. Each merge is one commit of Iceberg, and the same merge again changes nothing."""

from collections.abc import Iterable, Sequence
from datetime import date
from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from emr_jobs.lakehouse.tables import TableForm

EARLIEST_AND_LATEST = (
    "MATCHED AND (new.first_seen < old.first_seen OR new.last_seen > old.last_seen) THEN UPDATE SET "
    "first_seen = least(old.first_seen, new.first_seen), last_seen = greatest(old.last_seen, new.last_seen)"
)
EARLIEST = "MATCHED AND new.first_seen < old.first_seen THEN UPDATE SET first_seen = new.first_seen"
FIRST_RECEIPT = "MATCHED AND new.received_at < old.received_at THEN UPDATE SET received_at = new.received_at"
REPLACE = "MATCHED THEN UPDATE SET *"
_GONE = "is_gone"


def merge(table: TableForm, database: str, rows: DataFrame, when: str = "", days: Sequence[date] = ()) -> None:
    """Merge rows by the table's keys: `when` says what becomes of a stored row, a row without one is inserted. The
    stored rows are those of `days`, if there are any."""
    if rows.isEmpty():
        return
    matched = f"WHEN {when} " if when else ""
    _execute(table, database, rows, f"{matched}WHEN NOT MATCHED THEN INSERT *", days)


def replace_groups(
    table: TableForm, database: str, rows: DataFrame, groups: DataFrame, days: Sequence[date] = ()
) -> None:
    """Let these rows be all rows of some groups, which columns of the table name: other rows of the groups are
    deleted."""
    stored = of_days(rows.sparkSession.table(f"{database}.{table.name}"), days)
    gone = stored.join(groups, groups.columns, "left_semi").join(rows, list(table.keys), "left_anti")
    changes = rows.withColumn(_GONE, fn.lit(False)).unionByName(gone.withColumn(_GONE, fn.lit(True))).cache()
    if not changes.isEmpty():
        names = table.column_names
        update = ", ".join(f"{name} = new.{name}" for name in names)
        insert = f"({', '.join(names)}) VALUES ({', '.join(f'new.{name}' for name in names)})"
        when = f"WHEN MATCHED AND new.{_GONE} THEN DELETE WHEN MATCHED THEN UPDATE SET {update} "
        _execute(table, database, changes, f"{when}WHEN NOT MATCHED AND NOT new.{_GONE} THEN INSERT {insert}", days)
    changes.unpersist()


def _execute(table: TableForm, database: str, rows: DataFrame, clauses: str, days: Sequence[date]) -> None:
    rows.createOrReplaceTempView(f"new_{table.name}")
    on = " AND ".join([*(f"old.{key} = new.{key}" for key in table.keys), *_in(days)])
    rows.sparkSession.sql(f"MERGE INTO {database}.{table.name} AS old USING new_{table.name} AS new ON {on} {clauses}")


def _in(days: Sequence[date]) -> Iterable[str]:
    if days:
        dates = [f"DATE '{day}'" for day in sorted(set(days))]
        yield f"old.day IN ({', '.join(dates)})"


def of_days(stored: DataFrame, days: Sequence[date]) -> DataFrame:
    """The rows of some days; all rows if there are no days.

    The days are literals of SQL, because PySpark's own literals of dates fail before the year 1000."""
    return reduce(DataFrame.filter, (condition.replace("old.", "") for condition in _in(days)), stored)
