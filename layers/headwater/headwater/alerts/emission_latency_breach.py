"""`Emission Latency Exceeded` and `Emission Latency Recovered`: the alerts of a breach."""

from collections.abc import Iterator

from headwater.alerts.alert import Alert, DetailType, Record, id_of, short_name
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import NodeKind, job_id
from headwater.graph.producers import kind_of, producer_of
from headwater.graph.states.job import JobHead
from headwater.graph.states.latency import Latency
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader


def emission_latency_breach(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a job's latency, if a breach began or ended. The item also keeps a late event that
    began none.

    A part of a larger job, such as a query of an application or a node of dbt's wrapper, raises none: its events come
    through the same connection as those of the larger job, which has the alert.
    """
    before: Latency | None = record.change.before
    latency: Latency | None = record.change.after
    was_exceeded = before is not None and before.is_exceeded
    if latency is None or latency.is_exceeded == was_exceeded:
        return
    job = job_id(latency.job)
    head = reader.jobs([job]).get(job)
    if head and _is_part(head):
        return
    latest, allowed = f"{max(0, latency.millis) / 1000:,.1f} s", f"{latency.threshold / 1000:,.1f} s"
    exceeded = latency.is_exceeded
    name = latency.job.name
    line = (
        f"An event of {name} in {latency.job.namespace} was received {latest} after it happened; {allowed} are allowed."
        if exceeded
        else f"Events of {name} in {latency.job.namespace} arrive in time again: the last within {latest}."
    )
    yield Alert(
        type=DetailType.LATENCY_EXCEEDED if exceeded else DetailType.LATENCY_RECOVERED,
        id=id_of("latency", job, latency.at, latency.run_id, str(exceeded)),
        time=latency.at,
        severity=Severity.WARNING if exceeded else Severity.INFO,
        kind=NodeKind.JOB,
        name=latency.job,
        owners=tuple(owners_of(values(head.facts.facets))) if head else (),
        title=f"{short_name(name)}: events arrive {f'{latest} late' if exceeded else 'in time again'}",
        lines=(line, f"Run {latency.run_id}, at {shown(latency.at)}."),
        group=job,
        details={
            "job": latency.job.as_json(),
            "run": {"runId": latency.run_id},
            "latencyMillis": latency.millis,
            "thresholdMillis": latency.threshold,
        },
    )


def _is_part(head: JobHead) -> bool:
    """Whether the job is a part of a larger job of the same producer."""
    facets = values(head.facts.facets)
    return head.parent_name is not None and producer_of(facets).is_part(kind_of(facets))
