"""GET .../quality: the quality results of a dataset's data."""

from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE, LookupClient, after, key_of, table_after

QUALITY = f"namespaces/{LAKE}/datasets/orders/quality"


def checked(
    run: int, *, success: bool = True, metrics: int | None = None, name: str = "orders", seconds: float | None = None
) -> Document:
    facets: Document = {
        "dataQualityAssertions": factory.facet(assertions=[{"assertion": "not_null", "success": success}])
    }
    if metrics is not None:
        facets["dataQualityMetrics"] = factory.facet(rowCount=metrics)
    dataset = {**factory.dataset(name), "inputFacets": facets}
    return factory.run_event(
        "COMPLETE", run=run, seconds=60 * run if seconds is None else seconds, job="check", inputs=[dataset]
    )


def successes(history: list[Any]) -> list[bool]:
    return [result["dataQualityAssertions"]["assertions"][0]["success"] for result in history]


def test_checks_are_listed_newest_first() -> None:
    answer = after(checked(1), checked(3, metrics=7), checked(2, success=False))(QUALITY)
    assert successes(answer["history"]) == [True, False, True]
    assert [(result["runId"], result["at"]) for result in answer["history"]] == [
        (factory.run_id(n), factory.at(60 * n)) for n in (3, 2, 1)
    ]
    assert answer["last"] == answer["history"][0]
    assert answer["last"]["dataQualityMetrics"]["rowCount"] == 7
    assert answer["history"][1]["dataQualityMetrics"] is None
    assert answer["totalCount"] == 3


def test_the_dataset_itself_shows_the_last_check() -> None:
    get = after(checked(1), checked(2, success=False))
    assert get(f"namespaces/{LAKE}/datasets/orders")["dataQuality"] == get(QUALITY)["last"]


def test_the_facets_of_a_dataset_have_its_last_check_and_the_statistics_of_its_last_read() -> None:
    """Marquez's page shows QUALITY by these."""
    orders = factory.dataset("orders")
    reads = [
        factory.run_event(
            "COMPLETE",
            run=run,
            seconds=60 * run,
            job=f"read {run}",
            inputs=[{**orders, "inputFacets": {"inputStatistics": factory.facet(rowCount=run)}}],
        )
        for run in (4, 5)
    ]
    get = after(checked(1), checked(2, success=False, metrics=7), *reads)
    whole, (listed,) = get(f"namespaces/{LAKE}/datasets/orders"), get(f"namespaces/{LAKE}/datasets")["datasets"]
    for dataset in (whole, listed):
        assert successes([dataset["facets"]]) == [False]
        assert dataset["facets"]["dataQualityMetrics"]["rowCount"] == 7
    assert whole["facets"]["inputStatistics"]["rowCount"] == 5


def test_an_unchecked_dataset_has_no_quality_results() -> None:
    get = after(factory.run_event("COMPLETE", outputs=[factory.dataset("orders")]))
    assert get(QUALITY) == {"last": None, "history": [], "totalCount": 0}


@pytest.mark.parametrize("limit", [1, 3, 5])
def test_pages_by_cursor_and_by_offset_hold_every_check_once_and_all_know_the_last(limit: int) -> None:
    get = after(*(checked(number, seconds=number // 2) for number in range(5)))
    whole = get(QUALITY)
    assert get.by_cursor(QUALITY, "history", limit) == get.by_offset(QUALITY, "history", limit) == whole["history"]
    assert get(QUALITY, limit=1, offset=3)["last"] == whole["last"]


def test_checks_under_another_name_of_the_dataset_count_too() -> None:
    linked = factory.dataset("orders", symlinks=factory.symlinks("table"))
    get = after(factory.run_event("COMPLETE", outputs=[linked]), checked(1), checked(2, name="table"))
    for name in ("orders", "table"):
        answer = get(f"namespaces/{LAKE}/datasets/{name}/quality")
        assert [result["runId"] for result in answer["history"]] == [factory.run_id(2), factory.run_id(1)]


def test_versions_and_checks_stay_apart() -> None:
    get = after(factory.run_event("COMPLETE", run=9, outputs=[factory.dataset("orders")]), checked(1))
    assert get(QUALITY)["totalCount"] == get(f"namespaces/{LAKE}/datasets/orders/versions")["totalCount"] == 1


def test_a_dataset_called_quality_is_a_dataset() -> None:
    get = after(checked(1, name="orders/quality"))
    assert get(f"namespaces/{LAKE}/datasets/orders/quality")["name"] == "orders/quality"


def test_a_key_of_other_namespaces_is_refused() -> None:
    assert LookupClient(table_after(checked(1)), key_of("demo")).answer(QUALITY)[0] == 403


def test_the_assertions_of_great_expectations_are_assertions() -> None:
    checks = [
        {"expectationType": "expect_column_values_to_not_be_null", "column": "email", "success": False},
        {"expectationType": "expect_table_row_count_to_be_between", "success": True},
    ]
    facets = {"greatExpectations_assertions": factory.facet(assertions=checks)}
    get = after(factory.run_event("COMPLETE", inputs=[{**factory.dataset("orders"), "inputFacets": facets}]))
    assert get(QUALITY)["last"]["dataQualityAssertions"]["assertions"] == [
        {"assertion": "expect_column_values_to_not_be_null", "success": False, "column": "email"},
        {"assertion": "expect_table_row_count_to_be_between", "success": True},
    ]
    (finding,) = get("rootcause", nodeId=f"dataset:{LAKE}:orders")["findings"]
    assert finding["kind"] == "ASSERTION_FAILED"


@pytest.mark.parametrize("odd", [None, [], {"assertions": 1}, {"assertions": [1, {}]}])
def test_an_odd_facet_of_great_expectations_costs_no_event(odd: Any) -> None:
    facets = {"greatExpectations_assertions": odd}
    get = after(factory.run_event("COMPLETE", inputs=[{**factory.dataset("orders"), "inputFacets": facets}]))
    assert get(f"namespaces/{LAKE}/datasets/orders")["name"] == "orders"
