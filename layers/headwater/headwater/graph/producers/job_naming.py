"""The stable name of a job: the name that stays from run to run.

Some producers name a job anew in each run, or by the way in which the job was started:

    producer   sent                                                       stable
    trino      20261122_193927_00008_e2k6e                                insert lake.shop.audit 5d2c81f0
    dbt        shop.main.shop.orders, shop.main.shop.orders.build.run     model.shop.orders
    dbt        shop.main.shop.orders.test, ...orders.build.test           model.shop.orders.test
    spark      train.adaptive_spark_plan.1_Scaler_052a7c363ac6_data       train.adaptive_spark_plan.1_Scaler_data

A name follows from one event alone, hence it does not depend on the order of events. Trino's name is made of the
statement, the table that the statement writes, and a fingerprint of the SQL without its literals: the nightly INSERT of
another day is the same job. The query's id stays in the run's facet `trino_metadata`.
"""

from dataclasses import replace

from headwater.graph.producers.saved_model import name_without_training
from headwater.graph.producers.sql_text import fingerprint, statement_of
from headwater.openlineage.event import Facets, JobReference, Name


def with_stable_name(job: JobReference) -> JobReference:
    """A job under its stable name."""
    name = _stable_name(job.facets) or name_without_training(job.name.name, job.facets)
    return replace(job, name=Name(job.name.namespace, name)) if name != job.name.name else job


def _stable_name(facets: Facets) -> str | None:
    """The stable name by the facets of a job; None if the name that was sent is stable."""
    match facets:
        case {"jobType": {"integration": "TRINO"}, "sql": {"query": str(query)}}:
            return _name_of_query(query)
        case {"jobType": {"integration": "DBT", **kind}, "dbt_node": {"unique_id": str(node)}} if node:
            is_test_of_node = kind.get("jobType") == "TEST" and not node.startswith("test.")
            return f"{node}.test" if is_test_of_node else node
    return None


def _name_of_query(query: str) -> str:
    statement = statement_of(query)
    words = [statement.verb, statement.target] if statement else ["query"]
    return " ".join([*words, fingerprint(query)])
