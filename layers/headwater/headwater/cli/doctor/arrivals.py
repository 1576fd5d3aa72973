"""The events, jobs and namespaces that have arrived at a deployment."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headwater.cli.api import Api
from headwater.cli.doctor.canary import DOCTOR
from headwater.cli.doctor.finding import Blame, Diagnosis, DoctorFinding

Document = dict[str, Any]
EVENT_KINDS = ("RunEvent", "JobEvent", "DatasetEvent")
"""All kinds of events; without the parameter, the API only lists RunEvents."""
NEWEST = 1_000
"""The number of events, and of jobs, that the doctor examines. It prints a note if there may be more."""


@dataclass(frozen=True)
class Arrivals:
    """The `events` (newest first) and `jobs` without those of the canary. `is_cut` says that there may be more."""

    events: list[Document]
    jobs: list[Document]
    namespaces: list[str]
    is_cut: bool

    @classmethod
    def of(cls, client: Api) -> "Arrivals":
        events = fetch_newest(client, "events/lineage", "events", eventKinds=EVENT_KINDS)
        jobs = fetch_newest(client, "jobs", "jobs")
        namespaces = [namespace["name"] for namespace in fetch_newest(client, "namespaces", "namespaces")]
        others = [event for event in events if event["producer"] != DOCTOR.uri]
        own = {job_of(event) for event in events if event["producer"] == DOCTOR.uri} - {
            job_of(event) for event in others
        }
        other_jobs = [job for job in jobs if (job["namespace"], job["name"]) not in own]
        return cls(others, other_jobs, namespaces, max(len(events), len(jobs)) >= NEWEST)

    def last(self) -> dict[tuple[str, str], str]:
        """The time of the last event of each producer in each namespace."""
        last: dict[tuple[str, str], str] = {}
        for event in self.events:
            holder = event.get("job") or event["dataset"]
            last.setdefault((event["producer"], holder["namespace"]), event["eventTime"])
        return last

    def runs(self) -> Iterator[tuple[str, Document]]:
        """Yield the ids of runs in the events, each with the newest event of the run."""
        seen: set[str] = set()
        for event in self.events:
            run_id = event.get("run", {}).get("runId")
            if run_id and run_id not in seen:
                seen.add(run_id)
                yield run_id, event


def job_of(event: Document) -> tuple[str, str]:
    job = event.get("job", {})
    return job.get("namespace", ""), job.get("name", "")


def fetch_newest(client: Api, path: str, member: str, **query: tuple[str, ...]) -> list[Document]:
    response = client.get(*path.split("/"), limit=NEWEST, **query)
    if response.status != 200:
        raise Diagnosis(DoctorFinding(f"GET {path} was answered {response.status}", "see lookup's log", Blame.STACK))
    documents: list[Document] = response.body[member]
    return documents
