"""A job none of whose runs wrote a table well leads no data to it, if another job did: in column lineage and impact."""

from collections.abc import Sequence
from typing import Any

import pytest

from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, table_after
from tests.traversal.lineage import LAKE, edges

LINEAGE = {"nodeId": f"dataset:{LAKE}:orders", "direction": "upstream"}
COLUMN = {"nodeId": f"datasetField:{LAKE}:orders:id", "direction": "upstream"}


def wrote(job: str, source: str, end: str, *, run: int, seconds: float = 0, **about: Any) -> Document:
    """A run of a job that made `orders.id` of the `id` of a source."""
    return factory.run_event(
        end,
        job=job,
        run=run,
        seconds=seconds,
        inputs=[factory.dataset(source, schema=factory.schema("id:long"))],
        outputs=[
            factory.dataset(
                "orders", schema=factory.schema("id:long"), columnLineage=factory.columns(id=(LAKE, source, "id"))
            )
        ],
        **about,
    )


LOAD = wrote("load", "raw", "COMPLETE", run=1)
REPAIR = wrote("repair", "dump", "FAIL", run=2, seconds=60)


def sources(events: Sequence[Document], **query: Any) -> set[str]:
    """The tables with columns upstream of `orders.id`, the same in any order of the events."""
    (found,) = {
        frozenset(node["data"]["dataset"] for node in _asked(order, "column-lineage", **COLUMN, **query)["graph"])
        for order in (events, events[::-1])
    }
    return set(found - {"orders"})


def at_risk(events: Sequence[Document], source: str, **query: Any) -> set[str]:
    """What a change of `id` of a source reaches, by the last parts of the nodeIds."""
    answer = _asked(events, "impact", nodeId=f"datasetField:{LAKE}:{source}:id", **query)
    return {item["nodeId"].removeprefix("datasetField:").replace(f"{LAKE}:", "") for item in _items(answer)}


def _items(answer: Any) -> list[Any]:
    return [item for group in answer["owners"] for item in group["items"]]


def _asked(events: Sequence[Document], path: str, **query: Any) -> Any:
    return LookupClient(table_after(*events)).answer(path, **query)[1]


@pytest.mark.parametrize("end", ["FAIL", "ABORT"])
def test_a_job_that_only_failed_is_beside_a_good_writer_no_source(end: str) -> None:
    events = [LOAD, wrote("repair", "dump", end, run=2, seconds=60)]
    assert sources(events) == {"raw"}
    assert at_risk(events, "dump") == {"job:demo:repair"}, "the job still reads the column"
    assert at_risk(events, "raw") == {"orders:id", "job:demo:load"}


def test_the_graph_of_jobs_shows_it_with_its_state() -> None:
    answer = _asked([LOAD, REPAIR], "lineage", **LINEAGE)
    assert ("dump", "repair") in edges(answer)
    (failed,) = [node for node in answer["graph"] if node["id"] == "job:demo:repair"]
    assert failed["data"]["latestRun"]["state"] == "FAILED"


def test_its_output_is_not_told_as_unknown() -> None:
    """It names an output, which has no data of it."""
    answer = _asked([LOAD, REPAIR], "impact", nodeId=f"datasetField:{LAKE}:dump:id")
    assert "JOBS_WITHOUT_OUTPUTS" not in str(answer["frontier"])


@pytest.mark.parametrize(
    "others",
    [
        [],
        [wrote("load", "raw", "FAIL", run=1)],
        [
            wrote("other", "dump", "COMPLETE", run=3, seconds=90),
            wrote("repair", "dump", "COMPLETE", run=4, seconds=-60),
        ],
        [LOAD, wrote("repair", "dump", "COMPLETE", run=4, seconds=-60)],
        [LOAD, wrote("repair", "dump", "START", run=4, seconds=90)],
    ],
    ids=["alone", "all failed", "two good", "was good before", "runs again"],
)
def test_a_job_that_may_have_written_stays(others: list[Document]) -> None:
    assert "dump" in sources([*others, REPAIR])
    assert at_risk([*others, REPAIR], "dump") >= {"orders:id", "job:demo:repair"}


def test_a_stream_that_failed_wrote_until_then() -> None:
    stream = {"jobType": factory.facet(processingType="STREAMING", integration="SPARK", jobType="JOB")}
    assert sources([LOAD, wrote("repair", "dump", "FAIL", run=2, seconds=60, job_facets=stream)]) == {"raw", "dump"}


def test_what_was_at_a_time_is_so_later() -> None:
    """It was open at 00:30, failed at 01:00, and went well the next day."""
    began = wrote("repair", "dump", "START", run=2, seconds=10)
    events = [LOAD, began, REPAIR, wrote("repair", "dump", "COMPLETE", run=3, seconds=86_400)]
    seen = [sources(events, asOf=factory.at(seconds)) for seconds in (5, 30, 61, 90_000)]
    assert seen == [{"raw"}, {"raw", "dump"}, {"raw"}, {"raw", "dump"}]
    reached = ["orders:id" in at_risk(events, "dump", asOf=factory.at(seconds)) for seconds in (30, 61, 90_000)]
    assert reached == [True, False, True]


def test_every_edge_of_all_time_has_it() -> None:
    assert sources([LOAD, REPAIR], view="ever") == {"raw", "dump"}
