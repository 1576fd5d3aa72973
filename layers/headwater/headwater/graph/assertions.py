"""The assertions of a dataset in the form of OpenLineage's dataQualityAssertions facet, whichever producer checked.

Great Expectations sends a facet of its own. dbt sends the assertions of tests that it skipped, because what they test
failed, as assertions that failed: without an actual value, or with the expected one. Such assertions are left out.
"""

from typing import Any

from headwater.graph.dataset_reference import ASSERTIONS
from headwater.openlineage.event import Facets

GREAT_EXPECTATIONS = "greatExpectations_assertions"
"""The facet of Great Expectations' OpenLineageValidationAction."""

Assertion = dict[str, Any]


def with_standard_assertions(facets: Facets, integration: str) -> Facets:
    """Facets with the assertions that were checked, as a dataQualityAssertions facet. Other facets stay as they are."""
    if ASSERTIONS in facets:
        return _without_skipped(facets) if integration == "dbt" else facets
    checks = [
        {
            "assertion": check.get("expectationType"),
            "success": check.get("success"),
            **({"column": check["column"]} if check.get("column") else {}),
        }
        for check in _assertions(facets.get(GREAT_EXPECTATIONS)) or ()
    ]
    return {**facets, ASSERTIONS: {**facets[GREAT_EXPECTATIONS], "assertions": checks}} if checks else facets


def _without_skipped(facets: Facets) -> Facets:
    facet = facets[ASSERTIONS]
    checks = _assertions(facet)
    if checks is None or not any(map(_is_skipped, checks)):
        return facets
    checked = [check for check in checks if not _is_skipped(check)]
    others = {name: other for name, other in facets.items() if name != ASSERTIONS}
    return {**others, ASSERTIONS: {**facet, "assertions": checked}} if checked else others


def _is_skipped(check: Assertion) -> bool:
    return check.get("success") is False and check.get("actual") in (None, check.get("expected"))


def _assertions(facet: Any) -> list[Assertion] | None:
    """The assertions in a facet; None if the facet has another form."""
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [check for check in assertions if isinstance(check, dict)] if isinstance(assertions, list) else None
