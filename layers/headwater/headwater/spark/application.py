"""Reports the inputs and outputs of a whole application, as events about the application's run."""

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

from headwater.spark.datasets import Dataset, model
from headwater.spark.reporter import Reporter, Silence, reporter
from headwater.spark.training import Code, MetricsRunFacet, parameters_facet

LOG = logging.getLogger("headwater.spark")
STOPPED = "cancelled because SparkContext was shut down"
"""What Spark says of a job that it cuts off when the application is stopped."""
LONGEST = 300
"""Characters of an error message that are reported."""
RUN_ID = "spark.openlineage.applicationRunId"
PRODUCER = "https://github.com/headwater-lineage/headwater/emr_jobs/packages/job_lineage"


def session(builder: SparkSession.Builder, name: str) -> SparkSession:
    """Start an application with a run id that the job and the listener both report."""
    return builder.appName(name).config(RUN_ID, str(generate_new_uuid())).getOrCreate()


@dataclass
class Lineage:
    """The reporting on one run. `report` may be called several times."""

    namespace: str
    job: str
    run_id: str
    reporter: Reporter
    facets: dict[str, RunFacet] = field(default_factory=dict)
    job_facets: dict[str, JobFacet] = field(default_factory=dict)

    @classmethod
    def of(cls, spark: SparkSession) -> "Lineage":
        """The reporting on this application's run. Nothing is reported unless `session` started the application,
        because the run id is unknown then."""
        settings = dict(spark.sparkContext.getConf().getAll())
        run_id = settings.get(RUN_ID)
        if run_id is None:
            LOG.warning("no lineage is reported: start the session with headwater.spark.session, or set %s", RUN_ID)
        name = settings.get("spark.openlineage.appName") or spark.sparkContext.appName or "unknown"
        namespace = settings.get("spark.openlineage.namespace", "default")
        return cls(namespace, plain(name), run_id or str(uuid.UUID(int=0)), reporter(settings) if run_id else Silence())

    def report(
        self, reads: Iterable[Dataset] = (), writes: Iterable[Dataset] = (), state: RunState = RunState.RUNNING
    ) -> None:
        """Report the inputs and outputs of the run, and its facets so far."""
        event = RunEvent(
            eventTime=datetime.now(UTC).isoformat(),
            eventType=state,
            producer=PRODUCER,
            run=Run(self.run_id, dict(self.facets)),
            job=Job(self.namespace, self.job, dict(self.job_facets)),
            inputs=[InputDataset(dataset.namespace, dataset.name, facets=dict(dataset.facets)) for dataset in reads],
            outputs=[OutputDataset(dataset.namespace, dataset.name, facets=dict(dataset.facets)) for dataset in writes],
        )
        self.reporter.send(event)

    @contextmanager
    def reporting_failure(self) -> Iterator[None]:
        """Report an exception of a `with` block as the run's failure, which Spark does not, and wait until all events
        are sent.

        A lost JVM is no failure: either the stream was stopped, or the host is lost and sends no more events.
        """
        try:
            yield
        except (Exception, SystemExit) as error:
            if is_failure(error):
                self.facets["errorMessage"] = failure(error)
                self.report(state=RunState.FAIL)
            raise
        finally:
            self.reporter.wait()


@contextmanager
def lineage(spark: SparkSession, *, reads: Iterable[Dataset], writes: Iterable[Dataset]) -> Iterator[Lineage]:
    """Report the inputs and outputs of the application at the beginning of a `with` block."""
    run = Lineage.of(spark)
    run.report(reads, writes)
    with run.reporting_failure():
        yield run


class Training:
    """The training of a model, whose metrics become a facet of the run."""

    def __init__(self) -> None:
        self.metrics: dict[str, float] = {}

    def measured(self, **metrics: float) -> None:
        """Add metrics of the model: `measured(auc=0.91)`."""
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
    """Report the model at a path as the output of the run, with its training data, parameters and version of the code.

    The report is sent at the end of the `with` block: without a fitted model there is no output.
    """
    run, made = Lineage.of(spark), Training()
    run.facets["executionParameters"] = parameters_facet(parameters)
    if code:
        run.job_facets["sourceCodeLocation"] = source_code_location_job.SourceCodeLocationJobFacet(
            type="git", url=code.url, version=code.version
        )
    with run.reporting_failure():
        yield made
        run.facets["modelMetrics"] = MetricsRunFacet(metrics=dict(made.metrics))
        run.report(data, [model(path, run.run_id)])


def is_failure(error: BaseException) -> bool:
    """Whether an exception that ends a job is a failure.

    An exit with status 0 and a lost JVM are none. Nor is a job of Spark that was cut off since the application was
    stopped: a stream that gets SIGTERM in the middle of a micro-batch.
    """
    if isinstance(error, SystemExit):
        return error.code not in (None, 0)
    if STOPPED in str(error):
        return False
    return isinstance(error, Py4JJavaError) or not isinstance(error, Py4JError)


def failure(error: BaseException) -> RunFacet:
    """The type of an error and the first line of its message. Of a Java error the second line, since Py4J wrote the
    first."""
    lines = str(error).strip().splitlines() or [""]
    first = lines[1].lstrip(": ") if isinstance(error, Py4JJavaError) and len(lines) > 1 else lines[0]
    message = f"{type(error).__name__}: {first[:LONGEST]}"
    return error_message_run.ErrorMessageRunFacet(message=message, programmingLanguage="PYTHON")


def plain(name: str) -> str:
    """An application's name as the listener writes the name: score_customers_2 for `ScoreCustomers 2`."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return re.sub(r"[^A-Za-z0-9]+", "_", words).lower().strip("_")
