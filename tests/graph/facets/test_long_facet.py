"""The digests of column lineages are kept, and are those of the sorted facets."""

import random
from typing import Any

import pytest

from headwater.graph.facets import long_facet
from headwater.graph.facets.long_facet import COLUMN_LINEAGE, SCHEMA, LongFacet, digest_of, stored_form
from headwater.openlineage import exact_json


def facet(number: int, seed: int) -> dict[str, Any]:
    """A column lineage of a number; its arrays are in an order of the seed."""
    entries = [{"namespace": "s3://lake", "name": f"t{at}", "field": f"f{number}"} for at in range(5)]
    return {"fields": {"id": {"inputFields": random.Random(seed).sample(entries, 5)}}}


def test_a_digest_does_not_depend_on_the_order_of_arrays_and_is_that_of_what_is_stored() -> None:
    digests = {digest_of(COLUMN_LINEAGE, facet(1, seed)) for seed in range(5)}
    stored = [stored_form(COLUMN_LINEAGE, facet(1, seed)) for seed in range(5)]
    assert digests == {exact_json.digest(stored[0])}
    assert stored == [stored[0]] * 5


def test_the_array_of_a_schema_has_an_order() -> None:
    assert digest_of(SCHEMA, {"fields": [1, 2]}) != digest_of(SCHEMA, {"fields": [2, 1]})


def test_a_facet_is_kept_as_it_was_sent() -> None:
    sent = facet(1, 1)
    assert LongFacet(COLUMN_LINEAGE, sent) == sent


def test_as_many_digests_are_kept_as_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_facet, "MAX_DIGESTS", 3)
    monkeypatch.setattr(long_facet, "_digests", kept := dict[str, str]())
    digests = [digest_of(COLUMN_LINEAGE, facet(number, 1)) for number in range(10)]
    assert len(kept) <= 3
    assert [digest_of(COLUMN_LINEAGE, facet(number, 1)) for number in range(10)] == digests
    assert len(set(digests)) == 10


SPARKLYR = "units_double_vector_assembler__"


def with_formula(text: str) -> dict[str, Any]:
    transformation = {"type": "INDIRECT", "subtype": "FILTER", "description": text}
    source = {"namespace": "s3://lake", "name": "orders", "field": "day", "transformations": [transformation]}
    return {"fields": {"total": {"inputFields": [source]}}}


@pytest.mark.parametrize(
    ("before", "after", "is_same"),
    [
        ("(day = 2026-11-24)", "(day = 2026-11-25)", True),
        ("(at >= 2026-11-24 00:00:00)", "(at >= 2026-11-25 07:30:00.5)", True),
        ("(part = 20261124)", "(part = 20261125)", True),
        ("UDF(VectorAssembler_052a7c363ac6__output)", "UDF(VectorAssembler_1b9d0e44a7f0__output)", True),
        (
            f"UDF({SPARKLYR}b057554b_c684_4d8f_91ee_a02dc4c27405)",
            f"UDF({SPARKLYR}a6764a0b_c363_4dfb_be5e_05f67ebf5c9b)",
            True,
        ),
        ("UDF(VectorAssembler_052a7c363ac6)", "UDF(StringIndexer_052a7c363ac6)", False),
        ("(price * 1.19)", "(price * 1.21)", False),
        ("(rank > 100)", "(rank > 200)", False),
    ],
)
def test_a_job_that_filters_by_its_day_has_one_column_lineage(before: str, after: str, is_same: bool) -> None:
    digests = {digest_of(COLUMN_LINEAGE, with_formula(text)) for text in (before, after)}
    assert (len(digests) == 1) is is_same
