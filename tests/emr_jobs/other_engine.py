"""Answers queries on a warehouse by pyiceberg and DuckDB, without Spark:

    python -m tests.emr_jobs.other_engine WAREHOUSE < QUERIES

QUERIES is a JSON array of SQL; the answer is a JSON array with the rows of each query, and the paths of all delete
files, which not every engine reads. Runs in an environment of its own, which has both.
"""

import json
import sys
from pathlib import Path

import duckdb  # type: ignore[import-not-found]
from pyiceberg.table import StaticTable  # type: ignore[import-not-found]

from tests.emr_jobs.plain_values import plain


def main() -> None:
    database = duckdb.connect()
    database.execute("SET TimeZone = 'UTC'")
    deletes: list[str] = []
    for folder in sorted((Path(sys.argv[1]) / "headwater").iterdir()):
        version = (folder / "metadata" / "version-hint.text").read_text()
        table = StaticTable.from_metadata(str(folder / "metadata" / f"v{version}.metadata.json"))
        deletes += [file.file.file_path for task in table.scan().plan_files() for file in task.delete_files]
        database.register(folder.name, table.scan().to_arrow())
    answers = [database.sql(query).fetchall() for query in json.load(sys.stdin)]
    json.dump({"rows": answers, "deletes": deletes}, sys.stdout, default=plain)


if __name__ == "__main__":
    main()
