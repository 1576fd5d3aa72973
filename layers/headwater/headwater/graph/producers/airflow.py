"""Airflow: a schema is read from the database, and has all columns. Column lineage is parsed from SQL, and has only
direct flows.

The provider gives each query of a task the state of the task. A failed try is no failure while tries are left.

Two faults of OpenLineage's SQL parser, each by recorded events:

    DROP TABLE IF EXISTS revenue, staging; CREATE TABLE revenue (...)    staging is an output, and no run writes it
    INSERT INTO revenue SELECT country, sum(amount) FROM paid            column lineage of a column `_0`, for the first
                                                                         expression without a name
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA
from headwater.graph.facets.members import facet_text, without_comments
from headwater.graph.facets.schema import fields_of
from headwater.graph.producers.producer import Producer, Strength
from headwater.openlineage.event import DatasetReference, Facets, JobEvent, RunEvent

_DROP = re.compile(r"\bDROP (?:MATERIALIZED )?(?:TABLE|VIEW) (?:IF EXISTS )?([^;]*)", re.IGNORECASE)
_INSERT = re.compile(
    r"\bINSERT INTO [\w$.\"]+ ?(?:\((?P<columns>[^()]*)\) ?)?SELECT (?P<expressions>.*)", re.IGNORECASE
)
_FROM = re.compile(r"FROM\b", re.IGNORECASE)
_NAMED = re.compile(r"(?:[\w$]+\.)*[\w$]+|.*[ )][A-Za-z_][\w$]*")
"""A column, or an expression with a name: `o.amount`, `sum(amount) AS total`, `sum(amount) total`."""
_UNNAMED = re.compile(r"_(\d{1,4})")


class Airflow(Producer):
    def has_state_of_parent(self, kind: str | None) -> bool:
        return kind == "QUERY"

    def is_tried_again(self, run_facets: Facets) -> bool:
        """Try 1 of a task with one retry is followed by another."""
        match run_facets.get("airflow"):
            case {"taskInstance": {"try_number": int(number)}, "task": {"retries": int(retries)}}:
                return number <= retries
        return False

    def tells_only_that_it_failed(self, message: str) -> bool:
        """The message of a run of a DAG."""
        return message == "task_failure"

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        return replace(event, outputs=with_corrections(event.outputs, event.job.facets))

    def schedule(self, run_facets: Facets) -> str | None:
        match run_facets.get("airflow") or run_facets.get("airflowDagRun"):
            case {
                "dag": {"timetable": {"expression": str(cron), "timezone": str(zone)}},
                "dagRun": {"run_type": "scheduled"},
            }:
                return f"{cron} {zone}"
            case {"dagRun": dict()}:
                return ""
        return None


AIRFLOW = Airflow(
    "airflow", inputs=Strength.COMPLETE, outputs=Strength.COMPLETE, reports_indirect=False, parses_sql=True
)


def with_corrections(outputs: Sequence[DatasetReference], job_facets: Facets) -> tuple[DatasetReference, ...]:
    """The outputs of an event whose lineage was parsed from the SQL text of its job."""
    query = " ".join(without_comments(facet_text(job_facets, "sql", "query") or "").split())
    dropped = set(_dropped(query))
    return tuple(_with_named_columns(output, query) for output in outputs if _table(output) not in dropped)


def _dropped(query: str) -> Iterator[str]:
    """The last parts of the names of tables that a SQL text drops and does not mention again."""
    rest = _DROP.sub(" ", query).replace('"', "").lower()
    named = set(re.findall(r"[\w$]+", rest))
    for dropped in _DROP.findall(query):
        tables = dropped.replace('"', "").lower().rstrip().removesuffix(" cascade").removesuffix(" restrict")
        for name in tables.split(","):
            table = name.strip().rpartition(".")[2]
            if table not in named:
                yield table


def _table(output: DatasetReference) -> str:
    return output.name.name.lower().rpartition(".")[2]


def _with_named_columns(output: DatasetReference, query: str) -> DatasetReference:
    """The output; the columns `_0`, `_1` of its column lineage have the names of the columns that they are written to.
    If the text does not say which, their sources are those of the whole output."""
    facet = output.facets.get(COLUMN_LINEAGE)
    fields = facet.get("fields") if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or not isinstance(fields, dict) or not any(map(_UNNAMED.fullmatch, fields)):
        return output
    known = [field["name"] for field in fields_of(output.facets.get(SCHEMA))]
    names = _names_of_expressions(query, known)
    named = {names.get(column, column): lineage for column, lineage in fields.items()}
    lost = [column for column in named if _UNNAMED.fullmatch(column) and column not in known]
    whole = [source for column in lost for source in _list_in(named[column], "inputFields")]
    columns = {column: lineage for column, lineage in named.items() if column not in lost}
    corrected = {**facet, "fields": columns, "dataset": _list_in(facet, "dataset") + whole}
    return replace(output, facets={**output.facets, COLUMN_LINEAGE: corrected})


def _list_in(holder: Any, member: str) -> list[Any]:
    found = holder.get(member) if isinstance(holder, dict) else None
    return found if isinstance(found, list) else []


def _names_of_expressions(query: str, columns: Sequence[str]) -> Mapping[str, str]:
    """The columns that the expressions without a name are written to: `_0` -> `revenue`. Empty if the text is not an
    INSERT of as many expressions as there are columns."""
    insert = _INSERT.search(query)
    if insert is None:
        return {}
    targets = [column.strip(' "') for column in insert["columns"].split(",")] if insert["columns"] else columns
    expressions = list(_select_list(insert["expressions"]))
    if len(expressions) != len(targets):
        return {}
    unnamed = [column for column, text in zip(targets, expressions, strict=True) if not _is_named(text)]
    return {f"_{number}": column for number, column in enumerate(unnamed)}


def _is_named(expression: str) -> bool:
    is_literal = re.fullmatch(r"[\d.]+|NULL|TRUE|FALSE", expression, re.IGNORECASE) is not None
    return not is_literal and _NAMED.fullmatch(expression.replace('"', "")) is not None


def _select_list(text: str) -> Iterator[str]:
    """The expressions between SELECT and FROM."""
    depth, begin, is_quoted = 0, 0, False
    for index, character in enumerate(text):
        if character == "'":
            is_quoted = not is_quoted
        elif is_quoted:
            continue
        elif character in "()":
            depth += 1 if character == "(" else -1
        elif depth == 0 and (character in ",;" or (text[index - 1 : index] == " " and _FROM.match(text, index))):
            yield text[begin:index].strip()
            begin = index + 1
            if character != ",":
                return
    yield text[begin:].strip()
