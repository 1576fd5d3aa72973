"""The runs above a run: the application that it is an action of, and the orchestrator's that started that."""

from dataclasses import dataclass

from headwater.graph.application import is_query_job
from headwater.graph.identity import job_id
from headwater.graph.register import values
from headwater.graph.run import ParentRef, Run
from headwater.openlineage.exact_json import JsonObject
from headwater.read.reader import Reader
from headwater.store import keys

MOST = 10
"""Levels: a task in a task group in a DAG that a DAG triggered has four."""


@dataclass(frozen=True, slots=True)
class RunAncestors:
    """The run of the application, and that of the orchestrator at the top, where there are any."""

    application: ParentRef | None
    orchestrator: ParentRef | None

    def as_json(self) -> JsonObject:
        return {"application": _as_json(self.application), "orchestrator": _as_json(self.orchestrator)}

    def told(self) -> str:
        """Where it ran, for a sentence: ` in application A, for O`."""
        application = f", in application {self.application.job.name}" if self.application else ""
        return application + (f", started by {self.orchestrator.job.name}" if self.orchestrator else "")


def ancestors_of(reader: Reader, run: Run) -> RunAncestors:
    """What is above a run, as far as each level's own parent facet tells; then what a facet calls the root."""
    chain: list[ParentRef] = []
    known: Run | None = run
    root = run
    while known and known.parent and known.parent not in chain and len(chain) < MOST:
        chain.append(known.parent)
        known = next(iter(reader.read_runs([keys.run(job_id(chain[-1].job), chain[-1].run_id)])), None)
        root = known if known and known.parents else root
    top = _root(root)
    if top and top not in chain:
        chain.append(top)
    application = chain[0] if chain and is_query_job(values(run.job_facets)) else None
    orchestrator = chain[-1] if chain and chain[-1] != application else None
    return RunAncestors(application, orchestrator)


def _root(run: Run) -> ParentRef | None:
    """The newest parent facet's root is among what the run named; what is neither the parent nor itself is the root."""
    others = [each for each in run.parents if each.run_id != run.run_id and each != run.parent]
    return max(others, default=None)


def _as_json(ref: ParentRef | None) -> JsonObject | None:
    return {"runId": ref.run_id, "job": ref.job.as_json()} if ref else None
