"""Whether a schema transition deserves an alert.

Producers report a schema in each event. Most reported schemas are known already. Some are schemas of the reader and not
of the dataset: a stream keeps the schema from its start, and a job may read a file with a schema of its own. So a
reader's schema deserves an alert only if the same reader reported another schema before, or never reported a schema.
"""

from headwater.alerts.attribution import Attribution, users_of
from headwater.alerts.schema_transition import SchemaTransition
from headwater.alerts.schemas import Schemas, newest_writes
from headwater.graph.facets.dataset_reference import IoDataset, schema_register
from headwater.graph.facets.schema_diff import Columns, columns_diff, columns_of
from headwater.graph.names.identity import DatasetId
from headwater.graph.states.neighbours import Side
from headwater.openlineage.instant import Instant
from headwater.read.reader import Reader


def should_alert(schemas: Schemas, transition: SchemaTransition, attribution: Attribution) -> bool:
    """Whether a transition is a change of the dataset that has no alert yet. A written schema always is."""
    if transition.side is Side.WRITES or attribution.job is None:
        return True
    dataset = schemas.dataset
    if _is_known_by_another_name(schemas, transition, attribution):
        return False
    uses = [run.inputs[dataset] for run in attribution.earlier if _digest(run.inputs.get(dataset))]
    previous = uses[0] if uses else None
    if schemas.agree(_digest(previous), transition.after):
        return False
    since = (
        attribution.run.inputs[dataset].first
        if attribution.run and dataset in attribution.run.inputs
        else attribution.at
    )
    if _was_written(schemas, since, attribution.at):
        return False
    return previous is None or not _was_reported(schemas, transition, attribution, previous.first)


def is_first(dataset: DatasetId, attribution: Attribution) -> bool:
    """Whether a job reports a schema of the dataset for the first time, as far as its runs are known."""
    return attribution.job is not None and not any(_digest(run.inputs.get(dataset)) for run in attribution.earlier)


def _is_known_by_another_name(schemas: Schemas, transition: SchemaTransition, attribution: Attribution) -> bool:
    """Whether the schema after the transition is already the schema of the dataset under another name (a symlink).

    A run may write or read the dataset under both names. The run and its write are stored before the heads, one of
    which may still be missing: an invocation may end between the heads of two datasets.
    """
    neighbourhood = schemas.reader.neighbourhood([schemas.dataset], ())
    others = neighbourhood.ids_of(neighbourhood.representative(schemas.dataset)) - {schemas.dataset}
    columns = schemas[transition.after] if transition.after else {}
    heads = schemas.reader.datasets_at(schemas.reader.datasets(others), attribution.at) if others else {}
    if any(not columns_diff(columns_of(head.schema), columns) for head in heads.values()):
        return True
    return any(_is_used_with(schemas.reader, other, columns, attribution) for other in others)


def _is_used_with(reader: Reader, dataset: DatasetId, columns: Columns, attribution: Attribution) -> bool:
    """Whether the newest write of a dataset that has a schema has these columns, or the reading run's input."""
    written = (digest for write in newest_writes(reader, dataset, attribution.at) if (digest := _digest(write.output)))
    read = _digest(attribution.run.inputs.get(dataset)) if attribution.run else None
    schemas = Schemas(reader, dataset, Side.READS)
    return any(digest and not columns_diff(schemas[digest], columns) for digest in (next(written, None), read))


def _was_reported(schemas: Schemas, transition: SchemaTransition, attribution: Attribution, since: Instant) -> bool:
    """Whether another job reported the same schema between `since` and this report: that report raised the alert."""
    job = attribution.job.facts.id if attribution.job else None
    usages = users_of(schemas.reader, schemas.dataset, tuple(Side))
    newest = [schema_register(usage.facets) for head, usage in usages if head.facts.id != job]
    others = [
        *((register.time, register.value) for register in newest if register),
        *((report.at, report.digest) for report in attribution.others),
    ]
    between = {digest for time, digest in others if since < time < attribution.at}
    return any(schemas.agree(digest, transition.after) for digest in between)


def _was_written(schemas: Schemas, since: Instant, until: Instant) -> bool:
    """Whether the dataset was written while a reader read it: the reader's schema may be from before the write."""
    writes = schemas.reader.store.writes_of(schemas.dataset)
    return next(writes.newest(since=since, until=until, limit=1), None) is not None


def _digest(use: IoDataset | None) -> str | None:
    register = schema_register(use.facets) if use else None
    return register.value if register else None
