"""What the jar beside Spark's listener tells of columns, as a part of their column lineage."""

from typing import Any

import pytest

from headwater.graph.facets.column_lineage import ORIGINS, candidates_in, column_flows, told_columns, with_origins
from headwater.openlineage.event import Name
from tests import factory

OUT = Name("s3://lake", "out")
FLOW = {"namespace": "s3://lake", "name": "in", "field": "a"}


def merged(lineage: Any, **columns: Any) -> Any:
    facets = {} if lineage is None else {"columnLineage": lineage}
    return with_origins(facets, {ORIGINS: factory.facet(columns=columns)}).get("columnLineage")


def test_a_constant_and_a_generated_value_are_told_to_be_made_of_nothing() -> None:
    facet = merged(
        factory.facet(fields={"x": {"inputFields": [FLOW]}}), one={"kind": "constant"}, r={"kind": "generated"}
    )
    assert told_columns(facet) == {"x", "one", "r"}
    assert [flow.output.field for flow in column_flows(OUT, facet)] == ["x"]


def test_an_opaque_column_has_candidates_and_is_not_told() -> None:
    facet = merged(None, Id={"kind": "opaque", "by": "MapInPandas", "mayComeOf": ["B", "a"]}, k={"kind": "opaque"})
    assert told_columns(facet) == set()
    assert candidates_in(facet) == {"id": {"a", "b"}, "k": set()}
    assert not list(column_flows(OUT, facet))


def test_what_the_listener_says_of_an_opaque_column_is_not_believed() -> None:
    """Listener 1.37 gives a column of an RDD the source of the same name."""
    facet = merged(factory.facet(fields={"c": {"inputFields": [FLOW]}}), c={"kind": "opaque", "by": "RDD"})
    assert not list(column_flows(OUT, facet))


def test_of_a_column_that_is_partly_opaque_the_certain_part_stays() -> None:
    facet = merged(factory.facet(fields={"c": {"inputFields": [FLOW]}}), c={"kind": "partly", "mayComeOf": ["b"]})
    assert [flow.source.field for flow in column_flows(OUT, facet)] == ["a"]
    assert told_columns(facet) == set()
    assert candidates_in(facet) == {"c": {"b"}}


def test_a_source_that_the_listener_knows_is_no_constant() -> None:
    facet = merged(factory.facet(fields={"c": {"inputFields": [FLOW]}}), c={"kind": "constant"})
    assert [flow.source.field for flow in column_flows(OUT, facet)] == ["a"]


@pytest.mark.parametrize(
    "origins",
    [None, [], {"columns": []}, {"columns": {"a": 1}}, {"columns": {"a": {"kind": "later"}}}, {"columns": {"a": {}}}],
)
def test_a_facet_of_another_form_changes_nothing(origins: Any) -> None:
    sent = {"columnLineage": factory.facet(fields={"x": {"inputFields": [FLOW]}})}
    assert with_origins(sent, {ORIGINS: origins}) is sent


def test_a_column_lineage_that_is_deleted_stays_so() -> None:
    assert merged(factory.facet(_deleted=True), a={"kind": "opaque"}) == factory.facet(_deleted=True)
