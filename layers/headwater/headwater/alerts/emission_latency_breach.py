"""`Emission Latency Exceeded` and `Emission Latency Recovered`: one of each for a breach."""

from collections.abc import Iterator

from headwater.alerts.alert import Alert, Severity, Type, id_of, link_to, short
from headwater.alerts.record import Record
from headwater.graph.facets import owners_of
from headwater.graph.identity import NodeKind, job_id
from headwater.graph.register import values
from headwater.openlineage.instant import shown
from headwater.read.reader import Reader
from headwater.store import item_codec


def emission_latency_breach(record: Record, reader: Reader) -> Iterator[Alert]:
    """The alert for a record of a job's latency: it is only written when that turns."""
    if record.after is None:
        return
    latency = item_codec.read_latency(record.after)
    job = job_id(latency.job)
    head = reader.jobs([job]).get(job)
    took, allowed = f"{max(0, latency.millis) / 1000:,.1f} s", f"{latency.threshold / 1000:,.1f} s"
    exceeded = latency.is_exceeded
    name = latency.job.name
    told = (
        f"An event of {name} in {latency.job.namespace} was received {took} after it happened; {allowed} are allowed."
        if exceeded
        else f"Events of {name} in {latency.job.namespace} arrive in time again: the last within {took}."
    )
    yield Alert(
        type=Type.LATENCY_EXCEEDED if exceeded else Type.LATENCY_RECOVERED,
        id=id_of("latency", job, latency.at, latency.run_id, str(exceeded)),
        time=latency.at,
        severity=Severity.WARNING if exceeded else Severity.INFO,
        kind=NodeKind.JOB,
        name=latency.job,
        owners=tuple(owners_of(values(head.facts.facets))) if head else (),
        title=f"{short(name)}: events arrive {f'{took} late' if exceeded else 'in time again'}",
        lines=(told, f"Run {latency.run_id}, at {shown(latency.at)}."),
        group=job,
        link=link_to("lineage", NodeKind.JOB, latency.job),
        details={
            "job": latency.job.as_json(),
            "run": {"runId": latency.run_id},
            "latencyMillis": latency.millis,
            "thresholdMillis": latency.threshold,
        },
    )
