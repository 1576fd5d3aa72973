"""What a schema facet says: its fields, whether these are all, and whether a schema registry vouches for them.

*Partial schemas* have the columns that events name of a dataset, where no event has named all of them. A partial schema
says that its columns exist, and nothing about others. So each column is a register of its own, and the columns of
several partial schemas add up:

    event                                        columns
    UPDATE orders SET price = 1                  price
    INSERT INTO orders (id, total) ...           id, price, total

A dataset shows these columns, marked as partial, until an event has a complete schema. They come in the order of the
longest list of all columns, else of a writer, or else of a reader, since queries name columns in any order. Partial
schemas are not versions of a schema, and declare no tables in Glue. They raise no alerts but for a column that goes.

*A column goes* once an event has all columns that its job makes, and lacks one that the job named before. A query that
reads the table may have named it later, by a stale word: only a writer brings it back.

    event                                        columns
    SELECT id, price, total ... (a model)        id, price, total
    SELECT id, total ... (the model again)       id, total

*A schema registry* holds the schema that the records of a Kafka topic have. Jobs read or write some of the columns, in
types of their own: a `STRING` in SQL may be an enum of Avro. So a registry's schema takes precedence over those that
jobs claim, and what a job claims about such a topic is not a schema change.
"""

from collections.abc import Mapping
from typing import Any

from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.register import Register, Registers, Stamp, is_deletion, join_registers, values
from headwater.openlineage import exact_json
from headwater.openlineage.event import Facets
from headwater.openlineage.exact_json import JsonObject

PARTIAL = "headwater_partialSchema"
"""The facet that takes the place of a schema facet that is partial."""
COLUMN = "headwater_column:"
"""The beginning of the names of registers that hold a column of a partial schema."""
ORDER = COLUMN
"""The name of the register that holds the order of columns. No column has it, since a column's name is not empty. Its
stamp puts a list of all columns first, then a writer's list before a reader's, and a long list before a short one,
whatever the event times."""
ARE_ALL = "headwater_areAll"
"""The member of a partial schema whose columns are all that the job makes of the dataset."""
ONLY_DOCUMENTED = "headwater_onlyDocumented"
"""The member of a column that somebody describes and the job does not make. If it goes, only the description went."""
LAST = f"{COLUMN}*"
"""The name of the register whose stamp is that of a job's last event with all columns."""
WORD = f"{COLUMN}*:"
"""The beginning of the names of registers with the last word of a writer about a column: None if the column is gone.
They follow from the registers of a job, and are not stored with it."""
REGISTRY = "kafka_schemaRegistry"
"""The facet of a topic whose schema comes from a registry: its subjects, with versions, ids and compatibility
levels."""


def fields_of(holder: Any) -> list[JsonObject]:
    """The named fields of a schema, or the nested fields of a field, whatever a producer put there."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    named = fields if isinstance(fields, list) else []
    return [field for field in named if isinstance(field, dict) and isinstance(field.get("name"), str)]


def as_partial(facets: Facets) -> Facets:
    """The facets of a dataset with a partial schema in place of the schema."""
    schema = facets.get(SCHEMA)
    if schema is None or is_deletion(schema):
        return facets
    return {PARTIAL: schema, **{name: facet for name, facet in facets.items() if name != SCHEMA}}


def column_registers(facets: Facets, at: Stamp, *, is_written: bool) -> Registers:
    """A register for each column of the partial schema among the facets of a dataset, and one for their order."""
    columns = {field["name"]: field for field in fields_of(facets.get(PARTIAL))}
    order = list(columns)
    are_all = facets[PARTIAL].get(ARE_ALL) is True
    rank = Stamp(f"{'0' * 30}{is_written + are_all:d}{len(order):07x}{exact_json.digest(order)[8:]}")
    registers = {f"{COLUMN}{name}": Register(at, field) for name, field in columns.items()}
    return {ORDER: Register(rank, order), **registers, **({LAST: Register(at, value=True)} if are_all else {})}


def columns_among(registers: Registers) -> dict[str, JsonObject]:
    """The columns of the partial schemas among registers, by name, without those that are gone."""
    fields = fields_of({"fields": [value for name, value in values(registers).items() if name.startswith(COLUMN)]})
    gone = gone_among(with_words(registers))
    return {field["name"]: field for field in fields if field["name"] not in gone}


def with_words(registers: Registers) -> Registers:
    """The registers of a job as they are joined with those of other jobs: with the job's last word about each column
    that it wrote. A column is gone if an event with all columns came after the last that named it."""
    last = registers.get(LAST)
    words = {}
    for name, register in registers.items():
        if not name.startswith(COLUMN) or name.startswith(LAST) or name == ORDER:
            continue
        if last and register.stamp < last.stamp:
            words[f"{WORD}{name.removeprefix(COLUMN)}"] = Register(last.stamp, None)
        elif register.stamp.endswith("o"):
            words[f"{WORD}{name.removeprefix(COLUMN)}"] = Register(register.stamp, value=True)
    return join_registers(words, {name: register for name, register in registers.items() if name != LAST})


def gone_among(registers: Registers) -> set[str]:
    """The columns that are gone by the last words of writers among registers."""
    words = {name: register for name, register in registers.items() if name.startswith(WORD)}
    return {name.removeprefix(WORD) for name, register in words.items() if register.value is None}


def partial_schema(registers: Registers) -> JsonObject | None:
    """The schema facet that the columns of partial schemas make up; None without any column."""
    columns, order = columns_among(registers), registers.get(ORDER)
    names = [name for name in order.value if name in columns] if order else []
    names += sorted(columns.keys() - set(names))
    return {"fields": [columns[name] for name in names], "headwater_partial": True} if columns else None


def is_registered(facets: Facets) -> bool:
    """Whether the facets of a dataset say that a registry has its schema."""
    return facets.get(REGISTRY) is not None


def broken_promise(facets: Facets) -> Mapping[str, Any] | None:
    """How the newest version of a subject broke its compatibility; None if it did not."""
    match facets.get(REGISTRY):
        case {"broken": {"subject": str(), "version": int(), "level": str(), "reasons": list()}}:
            broken: Mapping[str, Any] = facets[REGISTRY]["broken"]
            return broken
    return None
