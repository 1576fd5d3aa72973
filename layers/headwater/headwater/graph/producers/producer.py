"""What Headwater asks of a producer of events.

A field or method is one question, and its default is the answer for an unknown producer. An engine overrides it in the
module of its name. Each answer was learnt from events of the real engine, kept in tests/fixtures/producers.
"""

from collections.abc import Container
from dataclasses import dataclass
from enum import StrEnum

from headwater.graph.names.naming import IdentifiedName, Naming
from headwater.openlineage.event import DatasetReference, Facets, JobEvent, JobReference, Name, RunEvent


class Strength(StrEnum):
    """Which columns of a dataset a schema facet has.

    COMPLETE   all
    PARTIAL    some: those that a query touches, or that somebody documented
    UNKNOWN    all, as far as the rest of the event does not contradict
    """

    COMPLETE = "COMPLETE"
    PARTIAL = "PARTIAL"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Producer:
    """A tool that sends events, and how far to trust it.

    name                   the integration of the jobType facet, in lower case
    tool                   the word by which the URL of the producer, and the metrics, name it; usually its name
    inputs, outputs        which columns of an input or output a schema facet has
    reports_indirect       whether column lineage has indirect flows (filters, joins, groupings). If not, their absence
                           says nothing: any column of an input may bear on the output
    parses_sql             whether column lineage is parsed from SQL, and sent before the database has seen the SQL
    repeats_schemas        whether COMPLETE has the schema of each output that START had: until then, it is a plan
    reports_ends           whether an event reports the end of each run
    leaves_parts           whether a write that fails may leave a part of its data
    runs_queries           whether its jobs, but for those of the type APPLICATION, are queries of an application
    names_files_of_streams whether a job that streams a folder names each file as an input
    looks_outputs_up       whether START names an output that a query is to make only if the catalogue has it already
    """

    name: str = ""
    tool: str = ""
    inputs: Strength = Strength.UNKNOWN
    outputs: Strength = Strength.UNKNOWN
    reports_indirect: bool = True
    parses_sql: bool = False
    repeats_schemas: bool = False
    reports_ends: bool = True
    leaves_parts: bool = True
    runs_queries: bool = False
    names_files_of_streams: bool = True
    looks_outputs_up: bool = False

    @property
    def is_known(self) -> bool:
        """Whether we know how far to trust its schemas."""
        return self.outputs is not Strength.UNKNOWN

    def strength_of_input(self, name: Name, facets: Container[str]) -> Strength:
        """Which columns the schema of an input has; `facets` are the names of the input's facets."""
        return self.inputs

    def strength_of_output(self, output: DatasetReference, job_facets: Facets) -> Strength:
        """Which columns the schema of this output has."""
        return self.outputs

    def columns_made(self, output: DatasetReference, job_facets: Facets) -> tuple[str, ...] | None:
        """All columns that a job which went well leaves in this output, in their order; None if nothing tells them
        all."""
        return None

    def schedule(self, run_facets: Facets) -> str | None:
        """The cron expression and zone by which the scheduler started a run: `0 7 * * 1-5 UTC`. Empty for a run that
        somebody else started, or by another kind of schedule; None if the run is not this scheduler's."""
        return None

    def tells_end(self, job_facets: Facets) -> bool:
        """Whether an event reports the end of each run of this job."""
        return self.reports_ends

    def is_query(self, kind: str | None) -> bool:
        """Whether a job of this kind (`jobType` in the facet of that name) is a query of an application. A query ends
        with its application at the latest, and need not report its own end."""
        return self.runs_queries and kind != "APPLICATION"

    def is_part(self, kind: str | None) -> bool:
        """Whether a job of this kind, if it has a parent, is a part of it: its events come with those of the parent."""
        return self.is_query(kind)

    def is_preparation(self, kind: str | None) -> bool:
        """Whether a query of this kind usually prepares another, which reports what this one reads."""
        return False

    def infers_a_schema(self, kind: str | None, query: str) -> bool:
        """Whether a query of this kind and name may only look for the columns of what it reads."""
        return False

    def has_state_of_parent(self, kind: str | None) -> bool:
        """Whether runs of this kind of job report the state of their parent, whatever became of the run itself."""
        return False

    def is_tried_again(self, run_facets: Facets) -> bool:
        """Whether a failed run with these facets is a try that will be retried."""
        return False

    def is_told_by_another(self, run_facets: Facets) -> bool:
        """Whether a failed run with these facets failed together with another run, which raises the alert."""
        return False

    def tells_only_that_it_failed(self, message: str) -> bool:
        """Whether the error message of a run says only that the run failed, and a run below it says why."""
        return False

    def stable_name(self, job: JobReference) -> str:
        """The name of a job that stays from run to run. It follows from a single event, so the order of events does not
        matter."""
        return job.name.name

    def dataset(
        self, identified: IdentifiedName, reference: DatasetReference, job_facets: Facets, naming: Naming
    ) -> IdentifiedName:
        """The dataset that a reference of a job means, as far as naming identified it."""
        return identified

    def facets(self, facets: Facets, dataset: str) -> Facets:
        """The facets of a dataset of that name, with the assertions that were checked."""
        return facets

    def corrected(self, event: RunEvent | JobEvent) -> RunEvent | JobEvent:
        """An event with the datasets that the job used, and the end that the run had."""
        return event
