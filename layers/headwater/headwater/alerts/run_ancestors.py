"""What an alert says about a run besides the run itself: the owners of its job, its application, and the orchestrator's
run that started the application."""

from dataclasses import dataclass

from headwater.graph.facets.curation import OWNED
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import job_id
from headwater.graph.producers import is_query_job
from headwater.graph.states.run import ParentRef, Run
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader

MAX_LEVELS = 10
"""Levels of parents that are read. A task in a task group of a DAG that another DAG triggered has four levels."""


@dataclass(frozen=True, slots=True)
class RunAncestors:
    """The run of the application, and the run of the orchestrator at the top; each may be missing."""

    application: ParentRef | None
    orchestrator: ParentRef | None

    def as_json(self) -> JsonObject:
        return {"application": _as_json(self.application), "orchestrator": _as_json(self.orchestrator)}

    def as_text(self) -> str:
        """The end of a sentence about the run: `, in application A, started by O`."""
        application = f", in application {self.application.job.name}" if self.application else ""
        return application + (f", started by {self.orchestrator.job.name}" if self.orchestrator else "")


def ancestors_of(reader: Reader, run: Run) -> RunAncestors:
    """The ancestors of a run, by the parent facet of each level, and by the root that the highest facet names."""
    chain: list[ParentRef] = []
    current: Run | None = run
    highest = run
    while current and current.parent and current.parent not in chain and len(chain) < MAX_LEVELS:
        chain.append(current.parent)
        current = next(iter(reader.runs([chain[-1].id])), None)
        highest = current if current and current.parents else highest
    root = _root(highest)
    if root and root not in chain:
        chain.append(root)
    application = chain[0] if chain and is_query_job(values(run.job_facets)) else None
    orchestrator = chain[-1] if chain and chain[-1] != application else None
    return RunAncestors(application, orchestrator)


def owners_of_job(reader: Reader, run: Run) -> list[str]:
    """The owners set through the API, which only the job has; else those that the run's events name."""
    head = reader.jobs([job_id(run.job)], usages=False).get(job_id(run.job))
    set_on_job = values(head.facts.facets).get(OWNED) if head else None
    return owners_of({**values(run.job_facets), OWNED: set_on_job})


def _root(run: Run) -> ParentRef | None:
    """The root that a run's parent facet names: a run that is neither the run itself nor its parent."""
    others = [other for other in run.parents if other.run_id != run.run_id and other != run.parent]
    return max(others, default=None)


def _as_json(ref: ParentRef | None) -> JsonObject | None:
    return {"runId": ref.run_id, "job": ref.job.as_json()} if ref else None
