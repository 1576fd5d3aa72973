"""How a producer is recognised: by the jobType facet, else by its URL."""

import pytest

from headwater.graph.producers import PRODUCERS, is_query_job, producer_name, producer_of
from tests import factory
from tests.factory import Document

DBT = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/dbt"


def job_type(integration: str, kind: str = "QUERY") -> Document:
    return {"jobType": factory.facet(integration=integration, jobType=kind)}


@pytest.mark.parametrize(
    ("facets", "url", "name"),
    [
        (job_type("TRINO"), DBT, "trino"),
        (job_type("KAFKA_CONNECT"), "", "kafka_connect"),
        (job_type("OTHER"), DBT, "dbt"),
        ({}, DBT, "dbt"),
        ({"jobType": 5}, "urn:my-own-tool", ""),
    ],
)
def test_the_job_s_type_tells_the_producer_else_the_url(facets: Document, url: str, name: str) -> None:
    assert producer_of(facets, url).name == name


def test_of_a_url_with_two_tools_the_one_whose_schemas_are_known_counts_but_the_last_is_measured() -> None:
    url = "https://github.com/acme/dbt-snowflake"
    assert producer_of({}, url).name == "dbt"
    assert producer_name(url) == "snowflake"


@pytest.mark.parametrize(
    ("facets", "is_query"),
    [
        (job_type("SPARK", "SQL_JOB"), True),
        (job_type("HIVE"), True),
        (job_type("SPARK", "APPLICATION"), False),
        (job_type("DBT", "SQL"), True),
        (job_type("DBT", "MODEL"), False),
        (job_type("AIRFLOW"), False),
        ({}, False),
    ],
)
def test_queries_of_applications_are_told_by_their_engine(facets: Document, is_query: bool) -> None:
    assert is_query_job(facets) == is_query


def test_each_name_and_each_tool_is_one_producer() -> None:
    assert len({producer.name for producer in PRODUCERS}) == len(PRODUCERS)
    assert len({producer.tool or producer.name for producer in PRODUCERS}) == len(PRODUCERS)
