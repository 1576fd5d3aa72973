"""The tests of a run's facet `test`: a test that fails is told, as an assertion where the event says of which table."""

import pytest

from tests import factory
from tests.alerts.stream import World
from tests.factory import Document

NEGATIVE = {"name": "no_negative", "status": "fail", "severity": "error", "actual": "3", "expected": "0"}
PASSED = NEGATIVE | {"status": "pass", "actual": "0"}
TOLD = "Data Quality Assertion Failed: orders: 1 assertion failed: no_negative"


def check(event_type: str, *tests: Document, inputs: int = 1) -> Document:
    return factory.run_event(
        event_type,
        run=1,
        seconds=1,
        job="check_orders",
        inputs=[factory.dataset(name) for name in ("orders", "returns")[:inputs]],
        run_facets={"test": factory.facet(tests=list(tests))} if tests else {},
        job_facets={"jobType": factory.facet(integration="CHECKER", jobType="TEST", processingType="BATCH")},
    )


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (check("FAIL", NEGATIVE), [("critical", TOLD)]),
        (check("COMPLETE", NEGATIVE | {"severity": "warn"}), [("warning", TOLD)]),
        (check("COMPLETE", PASSED), []),
        (check("FAIL", NEGATIVE, inputs=2), [("critical", "Run Failed: check_orders failed")]),
        (check("FAIL", NEGATIVE, inputs=0), [("critical", "Run Failed: check_orders failed")]),
        (check("FAIL"), [("critical", "Run Failed: check_orders failed")]),
        (check("FAIL", PASSED), [("critical", "Run Failed: check_orders failed")]),
    ],
)
def test_a_failed_test_is_told_once(event: Document, told: list[tuple[str, str]]) -> None:
    alerts = World().alerts_one_by_one([check("START"), event, event])
    assert [(alert["severity"], f"{alert['alert']}: {alert['title']}") for alert in alerts] == told


def test_a_failed_test_of_several_tables_says_what_it_found() -> None:
    (alert,) = World().alerts_one_by_one([check("FAIL", NEGATIVE, PASSED, inputs=2)])
    assert alert["message"] == "no_negative (3, expected 0)"
