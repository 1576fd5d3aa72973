"""Random runs of a few jobs over a few tables, whose columns change from run to run."""

import random
from typing import Any

from tests import factory
from tests.factory import Document

LAKE = "s3://lake"
TABLES = [f"t{number}" for number in range(7)]
COLUMNS = ["id", "a", "b", "c", "d"]
MINUTE = 60


def runs_of(chance: random.Random) -> list[list[Document]]:
    """Runs, one each minute, each with its START and its end. Each run may write other columns than the last."""
    columns = {table: ["id", "a", "b"] for table in TABLES}
    runs = []
    for number in range(chance.randint(3, 10)):
        inputs = chance.sample(TABLES, chance.randint(0, 2))
        outputs = chance.sample([table for table in TABLES if table not in inputs], chance.randint(0, 2))
        read = [_table(table, columns[table]) for table in inputs]
        written = []
        for table in outputs:
            columns[table] = chance.sample(COLUMNS, chance.randint(1, 4))
            made_of = {
                column: (LAKE, source, chance.choice(columns[source]))
                for column in columns[table]
                if inputs and chance.random() < 0.7
                for source in [chance.choice(inputs)]
            }
            facets = {"columnLineage": factory.columns(**made_of)} if made_of else {}
            written.append(_table(table, columns[table], **facets))
        job, ended = f"job {chance.randint(0, 3)}", chance.choice(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"])
        with_start = written if chance.random() < 0.5 else []
        at = number * MINUTE
        begun = factory.run_event("START", seconds=at, run=number, job=job, inputs=read, outputs=with_start)
        end = factory.run_event(ended, seconds=at + 10, run=number, job=job, inputs=read, outputs=written)
        runs.append([begun, end])
    return runs


def _table(name: str, columns: list[str], **facets: Any) -> Document:
    return factory.dataset(name, schema=factory.schema(*(f"{column}:long" for column in columns)), **facets)
