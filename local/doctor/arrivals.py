"""What has arrived: the newest events, the jobs, and who uses what."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from local.doctor.canary import PRODUCER
from local.doctor.client import Client
from local.doctor.finding import Blame, Finding, Ill

Document = dict[str, Any]
NEWEST = 1_000
"""Events and jobs that are looked at; more is said to be cut."""


@dataclass(frozen=True)
class Arrivals:
    """`events` are the newest first, without the doctor's own; `jobs` without what the doctor posted."""

    events: list[Document]
    jobs: list[Document]
    namespaces: list[str]
    is_cut: bool

    @classmethod
    def of(cls, client: Client) -> "Arrivals":
        events = asked(client, "events/lineage", "events")
        jobs = asked(client, "jobs", "jobs")
        namespaces = [each["name"] for each in asked(client, "namespaces", "namespaces")]
        others = [each for each in events if each["producer"] != PRODUCER]
        own = {job_of(each) for each in events if each["producer"] == PRODUCER} - {job_of(each) for each in others}
        found = [each for each in jobs if (each["namespace"], each["name"]) not in own]
        return cls(others, found, namespaces, max(len(events), len(jobs)) >= NEWEST)

    def last(self) -> dict[tuple[str, str], str]:
        """The time of the last event of each producer in each namespace."""
        found: dict[tuple[str, str], str] = {}
        for event in self.events:
            holder = event.get("job") or event["dataset"]
            found.setdefault((event["producer"], holder["namespace"]), event["eventTime"])
        return found

    def runs(self) -> Iterator[tuple[str, Document]]:
        """The runs that events tell of, each with an event; the newest comes first."""
        seen: set[str] = set()
        for each in self.events:
            run_id = each.get("run", {}).get("runId")
            if run_id and run_id not in seen:
                seen.add(run_id)
                yield run_id, each


def job_of(event: Document) -> tuple[str, str]:
    job = event.get("job", {})
    return job.get("namespace", ""), job.get("name", "")


def asked(client: Client, path: str, member: str) -> list[Document]:
    answer = client.get(*path.split("/"), limit=NEWEST)
    if answer.status != 200:
        raise Ill(Finding(f"GET {path} was answered {answer.status}", "see lookup's log", Blame.STACK))
    found: list[Document] = answer.body[member]
    return found
