"""`Data Quality Assertion Failed`: the assertions on a dataset that failed in a run. An assertion has one alert."""

from collections.abc import Iterator
from typing import Any

from headwater.alerts.alert import Alert, DetailType, Record, all_names, called, distinct_owners, id_of, quantity
from headwater.alerts.downstream import downstream
from headwater.alerts.failure_cause import is_told_by_run_above
from headwater.alerts.run_ancestors import RunAncestors, ancestors_of
from headwater.graph.facets.dataset_reference import ASSERTIONS
from headwater.graph.facets.members import assertions_of, describe_assertion, describe_failure, owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NodeKind, node_id
from headwater.graph.states.dataset import DatasetHead
from headwater.graph.states.run import Run
from headwater.graph.states.stored_states import QualityResult, Severity
from headwater.openlineage import exact_json
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader

Assertion = dict[str, Any]
"""An assertion of a dataQualityAssertions facet."""

MAX_ASSERTIONS = 20
"""Assertions that an alert names; the lookup of the run has all assertions."""


def assertion_failed(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a changed quality result, if assertions failed that had not failed before the change."""
    result: QualityResult | None = record.change.after
    if result is None:
        return
    known = {exact_json.dumps(assertion) for assertion in _failed(record.change.before)}
    failed = [assertion for assertion in _failed(result) if exact_json.dumps(assertion) not in known]
    head = reader.datasets([result.id.dataset]).get(result.id.dataset) if failed else None
    run = next(iter(reader.runs([result.id.run])), None) if head else None
    if head and not (run and is_told_by_run_above(reader, run)):
        yield _alert(reader, result, failed, head, run)


def _alert(reader: Reader, result: QualityResult, failed: list[Assertion], head: DatasetHead, run: Run | None) -> Alert:
    dataset, run_id, job = result.id
    name, at = head.facts.name, result.facets[ASSERTIONS].time
    ancestors = ancestors_of(reader, run) if run else RunAncestors(None, None)
    at_risk = downstream(reader, [dataset], _columns_of(failed), at, at).without_tests()
    at_risk = at_risk.without(node_id(NodeKind.JOB, run.job)) if run else at_risk
    summaries = [describe_assertion(assertion) for assertion in failed]
    is_warning = all(assertion.get("severity") == "warn" for assertion in failed)
    checked_by = f"job {run.job.name}, run {run_id}{ancestors.as_text()}" if run else f"run {run_id}"
    return Alert(
        type=DetailType.ASSERTION_FAILED,
        id=id_of(DetailType.ASSERTION_FAILED, dataset, run_id, job, *sorted(map(exact_json.dumps, failed))),
        time=at,
        severity=Severity.WARNING if is_warning else Severity.CRITICAL,
        kind=NodeKind.DATASET,
        name=name,
        owners=distinct_owners(owners_of(head.facets), at_risk.owners),
        title=f"{called(head)}: {quantity(len(failed), 'assertion')} failed: {', '.join(summaries)}",
        lines=(
            f"{name.name} in {name.namespace}: at {shown(at)} these did not hold: {_listed(failed)}.",
            f"Checked by {checked_by}.",
            *at_risk.lines("The failure", "reaches", "reach"),
        ),
        group=dataset,
        details={
            "names": all_names(reader, dataset, head, at),
            "assertions": failed[:MAX_ASSERTIONS],
            "job": run.job.as_json() if run else None,
            "run": {"runId": run_id},
            **ancestors.as_json(),
            "reaches": at_risk.as_json(),
        },
    )


def _listed(failed: list[Assertion]) -> str:
    return ", ".join(map(describe_failure, failed[:MAX_ASSERTIONS]))


def _columns_of(failed: list[Assertion]) -> set[str] | None:
    """The columns that assertions are about; None if one of the assertions is about the whole dataset."""
    columns = [column for assertion in failed if isinstance(column := assertion.get("column"), str)]
    return set(columns) if len(columns) == len(failed) else None


def _failed(result: QualityResult | None) -> list[Assertion]:
    assertions = assertions_of(values(result.facets)) if result else []
    return [assertion for assertion in assertions if assertion.get("success") is False]
