"""Trino: a schema has the columns that the query touches, and a name of a job is the id of a query.

`UPDATE t SET price = 1` names only `price`. Only an output of CREATE TABLE AS or CREATE VIEW is named with all columns;
with none, if IF NOT EXISTS found the table (from Trino's StatementAnalyzer; not recorded).

What the listener says of a query, and what is made of it, each by recorded events:

    the name 20261122_193927_00008_e2k6e         insert lake.shop.audit 5d2c81f0: the statement, the table that it
                                                 writes, and a fingerprint of the SQL without its literals. The nightly
                                                 INSERT of another day is the same job. The query's id is the run
                                                 facet `externalQuery`, as other producers send it
    FAIL "Query was canceled"                    ABORT: a person or a client ended the query
    the outputs of a query that failed           without schema and column lineage: nothing was written
    each scanned column as an indirect input     the columns of the inputs that the event names. Of a query on a view
    of the whole output                          the scanned columns are those of the table below the view, though the
                                                 query only reads the view; of an UPDATE those of the table itself,
                                                 with the column `$row_id`

PrestoDB's listener came from Trino's, and differs in little; known from its source and its tests, and not recorded:

    START of each query, an end of INSERT,       no alert says of a query that only reads that its run has no end. The
    UPDATE, DELETE, MERGE and DDL only           listener can be set to send the other ends, too
    CREATE VIEW without datasets                 as sent
"""

import re
from collections.abc import Collection
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from headwater.graph.facets.dataset_reference import named
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, LONG_FACETS, SCHEMA
from headwater.graph.facets.members import EXTERNAL_QUERY, error_message, facet_text, without_comments
from headwater.graph.facets.schema_diff import columns_of
from headwater.graph.producers.producer import Producer, Strength
from headwater.openlineage.event import DatasetReference, EventType, Facets, JobEvent, JobReference, Name, RunEvent

_QUERY_ID = re.compile(r"\d{8}_\d{6}_\d{5}_\w{5}", re.ASCII)
CANCELLED = "Query was canceled"
FINGERPRINT = 8
_TOLD_NO_END = {"analyze", "call"}
"""Statements that may be of types of their own to PrestoDB, which the listener leaves out like SELECT."""
_LITERAL = re.compile(r"'(?:[^']|'')*(?:'|\Z)|\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b", re.IGNORECASE)
_VALUES, _ROWS = re.compile(r"\?(?:,\?)+"), re.compile(r"\(\?\)(?:,\(\?\))+")
_STATEMENT = re.compile(
    r"\s* (?P<verb> INSERT | UPDATE | DELETE | MERGE | CREATE | REFRESH | ALTER | DROP | TRUNCATE | CALL | ANALYZE )\b"
    r"(?P<object>"
    r"  (?: \s+ (?: INTO | FROM | OR | REPLACE | TABLE | MATERIALIZED | VIEW | SCHEMA | IF | NOT | EXISTS )\b )* )"
    r" \s+ (?P<target> (?: [\w$]+ | \"[^\"]+\" ) (?: \s*\.\s* (?: [\w$]+ | \"[^\"]+\" ) )* )",
    re.IGNORECASE | re.VERBOSE,
)


class _Statement(NamedTuple):
    """The beginning of a statement: `CREATE OR REPLACE VIEW shop.v` has the verb `create` and the target `shop.v`."""

    verb: str
    target: str
    creates_data: bool


class Trino(Producer):
    def strength_of_output(self, output: DatasetReference, job_facets: Facets) -> Strength:
        statement = _statement_of(facet_text(job_facets, "sql", "query") or "")
        is_whole = statement and statement.creates_data and columns_of(output.facets.get(SCHEMA))
        return Strength.COMPLETE if is_whole else self.outputs

    def stable_name(self, job: JobReference) -> str:
        query = facet_text(job.facets, "sql", "query")
        if query is None or facet_text(job.facets, "jobType", "integration") != self.name.upper():
            return job.name.name
        statement = _statement_of(query)
        words = [statement.verb, statement.target] if statement else ["query"]
        return " ".join([*words, fingerprint(query)])

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        """The event with the id of its query, the end that the query had, and the columns that the query wrote."""
        if isinstance(event, RunEvent) and _QUERY_ID.fullmatch(event.job.name.name):
            query = {"externalQueryId": event.job.name.name, "source": self.name}
            event = replace(event, run_facets={EXTERNAL_QUERY: query, **event.run_facets})
        if isinstance(event, RunEvent) and event.type is EventType.FAIL:
            is_cancelled = error_message(event.run_facets) == CANCELLED
            end = EventType.ABORT if is_cancelled else EventType.FAIL
            return replace(event, type=end, outputs=tuple(map(_unwritten, event.outputs)))
        declared = {dataset.name for dataset in event.inputs}
        return replace(event, outputs=tuple(_with_declared_sources(output, declared) for output in event.outputs))


class Presto(Trino):
    def tells_end(self, job_facets: Facets) -> bool:
        statement = _statement_of(facet_text(job_facets, "sql", "query") or "")
        return statement is not None and statement.verb not in _TOLD_NO_END


TRINO = Trino("trino", inputs=Strength.PARTIAL, outputs=Strength.PARTIAL, runs_queries=True, leaves_parts=False)
PRESTO = Presto("presto", inputs=Strength.PARTIAL, outputs=Strength.PARTIAL, runs_queries=True, leaves_parts=False)


def _unwritten(output: DatasetReference) -> DatasetReference:
    return replace(output, facets={name: facet for name, facet in output.facets.items() if name not in LONG_FACETS})


def _with_declared_sources(output: DatasetReference, inputs: Collection[Name]) -> DatasetReference:
    """An output whose column lineage has indirect inputs only from the event's inputs."""
    facet = output.facets.get(COLUMN_LINEAGE)
    scanned = facet.get("dataset") if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or not isinstance(scanned, list):
        return output
    kept = [entry for entry in scanned if named(entry) in inputs]
    return replace(output, facets={**output.facets, COLUMN_LINEAGE: {**facet, "dataset": kept}})


def _statement_of(query: str) -> _Statement | None:
    """The statement that a query begins with; None for a SELECT or another text."""
    match = _STATEMENT.match(without_comments(query))
    if match is None:
        return None
    verb, kind = match["verb"].lower(), match["object"].upper().split()
    creates = verb == "create" and not {"TABLE", "VIEW"}.isdisjoint(kind)
    return _Statement(verb, re.sub(r'[\s"]', "", match["target"]), creates)


def fingerprint(query: str) -> str:
    """A hash of a query without comments, literals, letter case and white space. A longer list of values has the same
    hash."""
    without_literals = _LITERAL.sub("?", without_comments(query))
    text = _VALUES.sub("?", "".join(without_literals.lower().split()))
    return sha256(_ROWS.sub("(?)", text).encode()).hexdigest()[:FINGERPRINT]
