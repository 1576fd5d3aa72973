"""What a schema facet says: its fields, whether these are all, and whether a schema registry vouches for them.

*Partial schemas* have the columns that events name of a dataset, where no event has named all of them. A partial schema
says that its columns exist, and nothing about others. So each column is a register of its own, and the columns of
several partial schemas add up:

    event                                        columns
    UPDATE orders SET price = 1                  price
    INSERT INTO orders (id, total) ...           id, price, total

A dataset shows these columns, marked as partial, until an event has a complete schema. They come in the order of the
longest list that a writer sent, or else a reader, since queries name columns in any order. Partial schemas are not
versions of a schema: they raise no alerts and declare no tables in Glue.

*A schema registry* holds the schema that the records of a Kafka topic have. Jobs read or write some of the columns, in
types of their own: a `STRING` in SQL may be an enum of Avro. So a registry's schema takes precedence over those that
jobs claim, and what a job claims about such a topic is not a schema change.
"""

from collections.abc import Mapping
from typing import Any

from headwater.graph.facets.long_facet import SCHEMA
from headwater.graph.facets.register import Register, Registers, Stamp, is_deletion, values
from headwater.openlineage import exact_json
from headwater.openlineage.event import Facets
from headwater.openlineage.exact_json import JsonObject

PARTIAL = "headwater_partialSchema"
"""The facet that takes the place of a schema facet that is partial."""
COLUMN = "headwater_column:"
"""The beginning of the names of registers that hold a column of a partial schema."""
ORDER = COLUMN
"""The name of the register that holds the order of columns. No column has it, since a column's name is not empty. Its
stamp puts a writer's list before a reader's, and a long list before a short one, whatever the event times."""
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
    rank = Stamp(f"{'0' * 30}{is_written:d}{len(order):07x}{exact_json.digest(order)[8:]}")
    return {ORDER: Register(rank, order)} | {f"{COLUMN}{name}": Register(at, field) for name, field in columns.items()}


def columns_among(registers: Registers) -> dict[str, JsonObject]:
    """The columns of the partial schemas among registers, by name."""
    fields = fields_of({"fields": [value for name, value in values(registers).items() if name.startswith(COLUMN)]})
    return {field["name"]: field for field in fields}


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
