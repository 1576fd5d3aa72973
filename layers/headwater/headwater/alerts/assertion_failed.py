"""`Data Quality Assertion Failed`: the assertions of a run on a dataset that do not hold, each told once."""

from collections.abc import Iterator
from typing import Any

from headwater.alerts.alert import Alert, Severity, Type, counted, id_of, link_to, short, united
from headwater.alerts.downstream import downstream
from headwater.alerts.names import all_names
from headwater.alerts.record import Record
from headwater.alerts.run_ancestors import RunAncestors, ancestors_of
from headwater.graph.dataset_reference import ASSERTIONS
from headwater.graph.facets import assertions_of, describe_assertion, owners_of
from headwater.graph.identity import NodeKind, node_id
from headwater.graph.register import values
from headwater.openlineage import exact_json
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.store import item_codec, keys
from headwater.store.table import Item

MOST = 20
"""Assertions that an alert holds; the run has all."""


def assertion_failed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of what a run found out about a dataset's data, if more of it is wrong than was known."""
    if record.after is None:
        return
    known = {exact_json.dumps(each) for each in _failed(record.before)}
    failed = [each for each in _failed(record.after) if exact_json.dumps(each) not in known]
    dataset = keys.node_of(record.after.key.pk)
    head = reader.datasets([dataset]).get(dataset) if failed else None
    if head is None:
        return
    run_id, job = keys.run_of(record.after.key.sk)
    run = next(iter(reader.read_runs([keys.run(job, run_id)])), None)
    name, at = head.facts.name, item_codec.read_quality(record.after)[ASSERTIONS].time
    columns = {each["column"] for each in failed if isinstance(each.get("column"), str)}
    about_whole = any(not isinstance(each.get("column"), str) for each in failed)
    reached = downstream(reader, dataset, None if about_whole else columns, at)
    reached = reached.without(node_id(NodeKind.JOB, run.job)) if run else reached
    of_run = ancestors_of(reader, run) if run else RunAncestors(None, None)
    told = [describe_assertion(each) for each in failed]
    checked = f"Checked by job {run.job.name}, run {run_id}{of_run.told()}." if run else f"Checked by run {run_id}."
    yield Alert(
        type=Type.ASSERTION_FAILED,
        id=id_of(Type.ASSERTION_FAILED, dataset, run_id, job, *sorted(map(exact_json.dumps, failed))),
        time=at,
        severity=Severity.WARNING if all(each.get("severity") == "warn" for each in failed) else Severity.CRITICAL,
        kind=NodeKind.DATASET,
        name=name,
        owners=united(owners_of(head.facets), reached.owners),
        title=f"{short(name.name)}: {counted(len(failed), 'assertion')} failed: {', '.join(told)}",
        lines=(
            f"{name.name} in {name.namespace}: at {shown(at)} these did not hold: {', '.join(told[:MOST])}.",
            checked,
            *reached.lines("It reaches"),
        ),
        group=dataset,
        link=link_to("rootcause", NodeKind.DATASET, name),
        details={
            "names": all_names(reader, dataset, head),
            "assertions": failed[:MOST],
            "job": run.job.as_json() if run else None,
            "run": {"runId": run_id},
            **of_run.as_json(),
            "reaches": reached.as_json(),
        },
    )


def _failed(item: Item | None) -> list[dict[str, Any]]:
    found = values(item_codec.read_quality(item)) if item else {}
    return [each for each in assertions_of(found) if each.get("success") is False]
