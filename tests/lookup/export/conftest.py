"""The graph that most tests of the export render."""

import pytest

from tests import factory
from tests.lookup.export.graphs import LAKE, Get
from tests.lookup.requests import after


@pytest.fixture(scope="module")
def pipeline() -> Get:
    """Two jobs in a row, the second with two inputs; a column that is computed, one that is copied, and a filter."""
    amount = {"namespace": LAKE, "name": "orders", "field": "amount"}
    rate = {"namespace": LAKE, "name": "rates", "field": "rate"}
    conditional = {"type": "INDIRECT", "subtype": "CONDITIONAL"}
    report = factory.facet(
        fields={
            "total": {
                "inputFields": [
                    {**amount, "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION"}, conditional]},
                    {**rate, "transformations": [conditional]},
                ]
            }
        },
        dataset=[{**rate, "field": "valid", "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}],
    )
    return after(
        factory.run_event(
            "COMPLETE",
            inputs=[factory.dataset("raw", schema=factory.schema("amount:string"))],
            outputs=[factory.dataset("orders", columnLineage=factory.columns(amount=(LAKE, "raw", "amount")))],
        ),
        factory.run_event(
            "COMPLETE",
            run=2,
            seconds=60,
            job="report",
            inputs=[factory.dataset("orders"), factory.dataset("rates")],
            outputs=[factory.dataset("report", columnLineage=report)],
        ),
    )
