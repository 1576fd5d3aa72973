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


def history_of(chance: random.Random) -> list[Document]:
    """The events of runs in the order of their times. Runs that only read take long: they begin before a change, and
    end after it. Some runs name their tables with their end alone, some name no columns, some drop their tables."""
    columns = {table: ["id", "a", "b"] for table in TABLES}
    jobs = {f"job {number}": _tables_of_job(chance) for number in range(chance.randint(2, 6))}
    events = []
    for number in range(chance.randint(3, 16)):
        job, (inputs, outputs) = chance.choice(sorted(jobs.items()))
        is_drop = bool(outputs) and chance.random() < 0.15
        names_columns = chance.random() < 0.7
        read = [] if is_drop else [_table(name, columns[name]) if names_columns else _plain(name) for name in inputs]
        written = [_written_or_dropped(chance, name, inputs, columns, is_drop=is_drop) for name in outputs]
        at, lasts = number * MINUTE + chance.randint(0, 20), 10 if outputs else chance.choice([10, 100, 200])
        ended = chance.choice(["COMPLETE", "COMPLETE", "COMPLETE", "FAIL"])
        with_start = chance.random() < 0.7
        for kind, seconds, is_told in (("START", 0, with_start), ("RUNNING", 5, True), (ended, lasts, True)):
            sides: dict[str, Any] = {"inputs": read, "outputs": written} if is_told else {}
            events.append(factory.run_event(kind, seconds=at + seconds, run=number + 1, job=job, **sides))
    return sorted(events, key=lambda event: str(event["eventTime"]))


def _tables_of_job(chance: random.Random) -> tuple[list[str], list[str]]:
    inputs = chance.sample(TABLES, chance.randint(0, 2))
    return inputs, chance.sample([table for table in TABLES if table not in inputs], chance.randint(0, 2))


def _written_or_dropped(
    chance: random.Random, name: str, inputs: list[str], columns: dict[str, list[str]], *, is_drop: bool
) -> Document:
    if is_drop:
        columns[name] = ["id"]
        dropped = factory.facet(lifecycleStateChange="DROP")
        return factory.dataset(name, schema=factory.schema(), lifecycleStateChange=dropped)
    if chance.random() < 0.4:
        columns[name] = chance.sample(COLUMNS, chance.randint(1, 4))
    made_of = {
        column: (LAKE, source, chance.choice(columns[source]))
        for column in columns[name]
        if inputs and chance.random() < 0.8
        for source in [chance.choice(inputs)]
    }
    return _table(name, columns[name], **({"columnLineage": factory.columns(**made_of)} if made_of else {}))


def _plain(name: str) -> Document:
    return factory.dataset(name)
