"""Whether what somebody says of a dataset's schema is news.

Producers tell of a schema in each event. Most of what they say was known; and some of it is not what the dataset is,
but what somebody took it for: a stream keeps the schema that it started with, a job may read a file with a schema of
its own. So what a reader says is news only if the same reader said something else before, or never said anything.
"""

from collections.abc import Iterator
from itertools import islice

from headwater.alerts.attribution import Attribution, users_of
from headwater.alerts.schema_transition import SchemaTransition
from headwater.alerts.schemas import Schemas
from headwater.graph.dataset_reference import DatasetUse, schema_said
from headwater.graph.identity import NodeId
from headwater.graph.neighbours import Side
from headwater.graph.schema_diff import columns_diff, columns_of
from headwater.openlineage.instant import Instant
from headwater.store import keys


def should_alert(schemas: Schemas, transition: SchemaTransition, attribution: Attribution) -> bool:
    """Whether what a reader says tells of a change. What somebody wrote always does."""
    if transition.side is Side.WRITES or attribution.job is None:
        return True
    dataset = schemas.dataset
    if _is_known_by_another_name(schemas, transition):
        return False
    said = [(run, digest) for run in attribution.earlier if (digest := _digest(run.inputs.get(dataset)))]
    if said and schemas.agree(said[0][1], transition.after):
        return False
    since = (
        attribution.run.inputs[dataset].first
        if attribution.run and dataset in attribution.run.inputs
        else attribution.at
    )
    if _was_written(schemas, since, attribution.at):
        return False
    contrary = said[0][0].inputs[dataset].first if said else None
    return contrary is None or not any(_others_between(schemas, transition, attribution, contrary))


def is_first(dataset: NodeId, attribution: Attribution) -> bool:
    """Whether a job says something of the dataset's schema for the first time, as far as its runs are known."""
    return attribution.job is not None and not any(_digest(run.inputs.get(dataset)) for run in attribution.earlier)


def _is_known_by_another_name(schemas: Schemas, transition: SchemaTransition) -> bool:
    """Whether the dataset has that schema already under another name that a symlink gives it."""
    neighbourhood = schemas.reader.neighbourhood([schemas.dataset], ())
    others = neighbourhood.ids_of(neighbourhood.same.get(schemas.dataset, schemas.dataset)) - {schemas.dataset}
    columns = schemas[transition.after] if transition.after else {}
    heads = schemas.reader.datasets(others) if others else {}
    return any(not columns_diff(columns_of(head.schema), columns) for head in heads.values())


def _others_between(
    schemas: Schemas, transition: SchemaTransition, attribution: Attribution, since: Instant
) -> Iterator[bool]:
    """Whether each other job has said the same since a time and before this one: then it was told when that one did."""
    for head, usage in users_of(schemas.reader, schemas.dataset, tuple(Side)):
        register = schema_said(usage.facets)
        if (
            attribution.job
            and head.facts.node != attribution.job.facts.node
            and register
            and since < register.time < attribution.at
        ):
            yield schemas.agree(register.value, transition.after)


def _was_written(schemas: Schemas, since: Instant, until: Instant) -> bool:
    """Whether somebody wrote the dataset while a reader was at it: what the reader says may be from before."""
    pk = keys.dataset_head(schemas.dataset).pk
    return any(islice(schemas.reader.table.newest(pk, before=f"{until}$", after=since, limit=1), 1))


def _digest(use: DatasetUse | None) -> str | None:
    register = schema_said(use.facets) if use else None
    return register.value if register else None
