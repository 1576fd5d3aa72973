"""What an application reads and writes as a whole, told as a part of its own run."""

import logging
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import JobFacet, RunFacet, error_message_run, source_code_location_job
from openlineage.client.uuid import generate_new_uuid
from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.sql import SparkSession

from job_lineage.datasets import Dataset, model
from job_lineage.reporter import Reporter, Silence, reporter
from job_lineage.training import Code, MetricsRunFacet, parameters_facet

LOG = logging.getLogger("job_lineage")
LONGEST = 300
"""Characters that are told of an error."""
RUN_ID = "spark.openlineage.applicationRunId"
PRODUCER = "https://github.com/headwater-lineage/headwater/emr_jobs/packages/job_lineage"


def session(builder: SparkSession.Builder, name: str) -> SparkSession:
    """Start an application whose run is known beforehand, so that the job and the listener tell of the same one."""
    return builder.appName(name).config(RUN_ID, str(generate_new_uuid())).getOrCreate()


@dataclass
class Lineage:
    """What is told of one run: `tell` may be called as often as there is something new to say."""

    namespace: str
    job: str
    run_id: str
    reporter: Reporter
    facets: dict[str, RunFacet] = field(default_factory=dict)
    job_facets: dict[str, JobFacet] = field(default_factory=dict)

    @classmethod
    def of(cls, spark: SparkSession) -> "Lineage":
        """Of this application's run. One that was not started by `session` has a run of unknown id: nothing is told."""
        settings = dict(spark.sparkContext.getConf().getAll())
        run_id = settings.get(RUN_ID)
        if run_id is None:
            LOG.warning("no lineage is told: start the session by job_lineage.session, or set %s", RUN_ID)
        name = settings.get("spark.openlineage.appName") or spark.sparkContext.appName or "unknown"
        namespace = settings.get("spark.openlineage.namespace", "default")
        return cls(namespace, plain(name), run_id or str(uuid.UUID(int=0)), reporter(settings) if run_id else Silence())

    def tell(
        self,
        reads: Iterable[Dataset] = (),
        writes: Iterable[Dataset] = (),
        state: RunState = RunState.RUNNING,
    ) -> None:
        """Say what the run reads and writes, and all that is known of it so far."""
        event = RunEvent(
            eventTime=datetime.now(UTC).isoformat(),
            eventType=state,
            producer=PRODUCER,
            run=Run(self.run_id, dict(self.facets)),
            job=Job(self.namespace, self.job, dict(self.job_facets)),
            inputs=[InputDataset(each.namespace, each.name, facets=dict(each.facets)) for each in reads],
            outputs=[OutputDataset(each.namespace, each.name, facets=dict(each.facets)) for each in writes],
        )
        self.reporter.send(event)

    @contextmanager
    def reporting_failure(self) -> Iterator[None]:
        """Say that the run failed if a `with` block does, which Spark does not notice; wait until all is sent.

        That the JVM is gone is no failure: the stream was stopped, or it will not be heard of again.
        """
        try:
            yield
        except (Exception, SystemExit) as error:
            if is_failure(error):
                self.facets["errorMessage"] = failure(error)
                self.tell(state=RunState.FAIL)
            raise
        finally:
            self.reporter.wait()


@contextmanager
def lineage(spark: SparkSession, *, reads: Iterable[Dataset], writes: Iterable[Dataset]) -> Iterator[Lineage]:
    """Tell what the application reads and writes, from the beginning of a `with` block on."""
    told = Lineage.of(spark)
    told.tell(reads, writes)
    with told.reporting_failure():
        yield told


class Training:
    """A model that is being trained: what is found out about it is kept with the run that made it."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}

    def measured(self, **metrics: float) -> None:
        """Keep what the model was measured to be: `measured(auc=0.91)`."""
        self.metrics |= metrics


@contextmanager
def training(
    spark: SparkSession,
    path: str,
    *,
    data: Iterable[Dataset],
    parameters: Mapping[str, object],
    code: Code | None = None,
) -> Iterator[Training]:
    """Tell that the model saved at a path is made of this data, with these parameters, by this version of the code.

    It is told once the `with` block is through: a model that could not be fitted was not made.
    """
    told, made = Lineage.of(spark), Training()
    told.facets["executionParameters"] = parameters_facet(parameters)
    if code:
        told.job_facets["sourceCodeLocation"] = source_code_location_job.SourceCodeLocationJobFacet(
            type="git", url=code.url, version=code.version
        )
    with told.reporting_failure():
        yield made
        told.facets["modelMetrics"] = MetricsRunFacet(metrics=dict(made.metrics))
        told.tell(data, [model(path, told.run_id)])


def is_failure(error: BaseException) -> bool:
    """Whether an exception that ends a job is a failure: an exit with status 0 is none, nor that the JVM is gone."""
    if isinstance(error, SystemExit):
        return error.code not in (None, 0)
    return isinstance(error, Py4JJavaError) or not isinstance(error, Py4JError)


def failure(error: BaseException) -> RunFacet:
    """The kind of an error and the first line of what it says; of one of Java's the second, the first is Py4J's."""
    lines = str(error).strip().splitlines() or [""]
    first = lines[1].lstrip(": ") if isinstance(error, Py4JJavaError) and len(lines) > 1 else lines[0]
    message = f"{type(error).__name__}: {first[:LONGEST]}"
    return error_message_run.ErrorMessageRunFacet(message=message, programmingLanguage="PYTHON")


def plain(name: str) -> str:
    """An application's name as the listener writes it: `ScoreCustomers 2` is score_customers_2."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^A-Za-z0-9]+", "_", words).lower().strip("_")
