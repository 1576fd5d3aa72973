"""The owners of the job of a run."""

from headwater.graph.facets.curation import OWNED
from headwater.graph.facets.members import owners_of
from headwater.graph.facets.register import values
from headwater.graph.names.identity import job_id
from headwater.graph.states.run import Run
from headwater.read.reader import Reader


def owners_of_job(reader: Reader, run: Run) -> list[str]:
    """The owners that were set through the API, which are on the job alone; else those that the run's events name."""
    head = reader.jobs([job_id(run.job)], usages=False).get(job_id(run.job))
    set_on_job = values(head.facts.facets).get(OWNED) if head else None
    return owners_of({**values(run.job_facets), OWNED: set_on_job})
