"""The flows of a columnLineage facet."""

import pytest

from headwater.graph.facets.column_lineage import told_columns, transformation

FILTER = {"type": "INDIRECT", "subtype": "FILTER", "description": "", "masking": False}
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}


@pytest.mark.parametrize("steps", [[FILTER, IDENTITY], [IDENTITY, FILTER]])
def test_of_several_transformations_marquez_shows_the_direct_one(steps: list[dict[str, object]]) -> None:
    assert transformation(steps)["transformationType"] == "IDENTITY"
    assert transformation([FILTER])["transformationType"] == "FILTER"


@pytest.mark.parametrize("facet", [None, [], {}, {"fields": []}])
def test_a_facet_without_fields_tells_of_no_column(facet: object) -> None:
    assert told_columns(facet) == frozenset()


def test_a_column_with_an_empty_list_of_inputs_is_told_and_a_nested_one_by_its_outermost_column() -> None:
    told = told_columns({"fields": {"One": {"inputFields": []}, "address.zip": {}}})
    assert told == {"one", "address", "address.zip"}
