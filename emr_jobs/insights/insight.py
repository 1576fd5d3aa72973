"""An insight as a row of the table `insights`, and as JSON."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from headwater.openlineage.exact_json import JsonObject

COLUMNS = """
    as_of date,
    kind string,
    score double,
    title string,
    nodes array<struct<type:string,namespace:string,name:string>>,
    details string
"""
NODE = "named_struct('type', '{}', 'namespace', {}namespace, 'name', {}name)"


def node(kind: str, of: str = "") -> Column:
    """A node by the columns `namespace` and `name` of a row, or of a struct in it."""
    prefix = f"{of}." if of else ""
    return fn.expr(NODE.format(kind, prefix, prefix))


class Told(NamedTuple):
    """What a row of an analysis becomes as an insight. `details` is a struct; the greatest score is the most important
    of its kind."""

    score: Column
    title: Column
    nodes: Column
    details: Column


def insights_frame(found: DataFrame, kind: str, told: Told) -> DataFrame:
    return found.select(
        fn.lit(kind).alias("kind"),
        told.score.alias("score"),
        told.title.alias("title"),
        told.nodes.alias("nodes"),
        fn.to_json(told.details).alias("details"),
    )


def as_json(row: Mapping[str, Any]) -> JsonObject:
    """An insight as `GET /insights` shows it."""
    nodes: Iterable[Any] = row["nodes"]
    return {
        "title": row["title"],
        "score": round(row["score"], 3),
        "nodes": [
            {"type": each["type"].upper(), "namespace": each["namespace"], "name": each["name"]} for each in nodes
        ],
        "details": json.loads(row["details"]),
    }
