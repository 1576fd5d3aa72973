"""The assertions of a dataset in the form of OpenLineage's dataQualityAssertions facet, whichever producer checked.

Great Expectations sends a facet of its own. dbt sends the assertions of tests that it skipped, because what they test
failed, as assertions that failed: without an actual value, or with the expected one. Such assertions are left out.

In default mode dbt reports a `relationships` test of two tables at one of them, which may be the table that is referred
to: `relationships_stays_patient_id__patient_id__ref_patients_` at `patients`, which has no such fault. The assertion is
then called by the test's full name, and has no column. Which schema the tested table is in, the event does not tell.
"""

from typing import Any

from headwater.graph.facets.dataset_reference import ASSERTIONS
from headwater.openlineage.event import Facets

GREAT_EXPECTATIONS = "greatExpectations_assertions"
"""The facet of Great Expectations' OpenLineageValidationAction."""

RELATIONSHIPS = "relationships"
"""dbt's test that each value of a column is a value of another table's column."""

Assertion = dict[str, Any]


def with_standard_assertions(facets: Facets, integration: str, dataset: str) -> Facets:
    """Facets of a dataset of that name, with the assertions that were checked as a dataQualityAssertions facet. Other
    facets stay as they are."""
    if ASSERTIONS in facets:
        return _of_dbt(facets, dataset.rpartition(".")[2]) if integration == "dbt" else facets
    checks = [
        {
            "assertion": check.get("expectationType"),
            "success": check.get("success"),
            **({"column": check["column"]} if check.get("column") else {}),
        }
        for check in _assertions(facets.get(GREAT_EXPECTATIONS)) or ()
    ]
    return {**facets, ASSERTIONS: {**facets[GREAT_EXPECTATIONS], "assertions": checks}} if checks else facets


def _of_dbt(facets: Facets, table: str) -> Facets:
    facet = facets[ASSERTIONS]
    checks = _assertions(facet)
    if checks is None:
        return facets
    checked = [_of_its_table(check, table) for check in checks if not is_skipped(check)]
    others = {name: other for name, other in facets.items() if name != ASSERTIONS}
    return {**others, ASSERTIONS: {**facet, "assertions": checked}} if checked else others


def _of_its_table(check: Assertion, table: str) -> Assertion:
    """An assertion; that of another table has the name of its test."""
    name = check.get("name")
    if check.get("assertion") != RELATIONSHIPS or not isinstance(name, str):
        return check
    if not name.startswith(f"{RELATIONSHIPS}_") or name.startswith(f"{RELATIONSHIPS}_{table}_"):
        return check
    return {**{member: value for member, value in check.items() if member != "column"}, "assertion": name}


def is_skipped(check: Assertion) -> bool:
    """Whether an assertion of dbt is that of a test that was skipped."""
    return check.get("success") is False and check.get("actual") in (None, check.get("expected"))


def _assertions(facet: Any) -> list[Assertion] | None:
    """The assertions in a facet; None if the facet has another form."""
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [check for check in assertions if isinstance(check, dict)] if isinstance(assertions, list) else None
