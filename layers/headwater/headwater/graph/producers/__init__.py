"""Producers: what each engine means by its events, and how an event is normalised before it is merged.

To add an engine, write a module with its `Producer`, and add it to PRODUCERS. An engine that differs from an unknown
one in only a field or two is a line here. All other code asks the producer, and never names an engine.
"""

import re
from functools import lru_cache

from headwater.graph.facets.members import facet_text
from headwater.graph.producers.airflow import AIRFLOW
from headwater.graph.producers.dbt import DBT
from headwater.graph.producers.flink import FLINK
from headwater.graph.producers.hive import HIVE
from headwater.graph.producers.producer import Producer
from headwater.graph.producers.spark import SPARK
from headwater.graph.producers.trino import PRESTO, TRINO
from headwater.openlineage.event import Facets

PRODUCERS = (
    AIRFLOW,
    DBT,
    FLINK,
    HIVE,
    PRESTO,
    SPARK,
    TRINO,
    Producer("dagster"),
    Producer("debezium"),
    Producer("great_expectations", tool="expectations"),
    Producer("headwater"),
    Producer("kafka_connect", tool="kafka", names_files_of_streams=False),  # a connector follows one file
    Producer("snowflake"),
    Producer("sqlmesh"),
)
UNKNOWN = Producer()
MOST = 1_000
"""Characters of a producer's URL that are searched, from its end."""

_BY_NAME = {producer.name: producer for producer in PRODUCERS}
_BY_TOOL = {producer.tool or producer.name: producer for producer in PRODUCERS}
_SCHEDULERS = [producer for producer in PRODUCERS if type(producer).schedule is not Producer.schedule]
_WORD = re.compile(r"[a-z]+")


def schedule_of(run_facets: Facets) -> str | None:
    """The schedule of a run, by the producer that has one (Producer.schedule)."""
    found = (producer.schedule(run_facets) for producer in _SCHEDULERS)
    return next((schedule for schedule in found if schedule is not None), None)


def producer_of(job_facets: Facets, url: str = "") -> Producer:
    """The producer of a job's events, by the jobType facet, else by the URL that an event has as `producer`.

    `https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt` is dbt. Of the words in a URL, the last of
    an engine whose schemas are known counts.
    """
    return _producer((facet_text(job_facets, "jobType", "integration") or "")[:MOST], url[-MOST:])


@lru_cache(maxsize=1_000)
def _producer(integration: str, url: str) -> Producer:
    by_name = _BY_NAME.get(integration.lower(), UNKNOWN)
    if by_name.is_known:
        return by_name
    return next((producer for producer in _named_in(url) if producer.is_known), by_name)


def integration_of(job_facets: Facets, url: str = "") -> str:
    """The name of the producer of a job's events; empty if we do not know how far to trust its schemas."""
    producer = producer_of(job_facets, url)
    return producer.name if producer.is_known else ""


def producer_name(url: str) -> str:
    """The name in metrics of the producer with a URL: `spark` for `.../tree/1.53.0/integration/spark`, `other` for an
    unknown tool.

    Unknown tools share one name: CloudWatch bills each name as a metric, and any client with the scope ingest can send
    new URLs.
    """
    return next((producer.tool or producer.name for producer in _named_in(url)), "other")


def is_query_job(job_facets: Facets) -> bool:
    """Whether a job is a query of an application: a Spark application runs queries, and each is a job with runs of its
    own."""
    return producer_of(job_facets).is_query(kind_of(job_facets))


def is_test(job_facets: Facets) -> bool:
    """Whether a job only checks data, as a test of dbt does."""
    return kind_of(job_facets) == "TEST"


def kind_of(job_facets: Facets) -> str | None:
    """The kind of a job in the words of its producer: `QUERY`, `TASK`, `MODEL`."""
    return facet_text(job_facets, "jobType", "jobType")


def _named_in(url: str) -> list[Producer]:
    """The producers that a URL names, the last first."""
    parts = reversed(_WORD.findall(url[-MOST:].lower()))
    return [_BY_TOOL[part] for part in parts if part in _BY_TOOL]
