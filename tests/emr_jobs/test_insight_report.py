"""The report and the events of an analysis."""

import json
from typing import Any

import pytest

from emr_jobs.insights.events import NotPosted, criticality_event, insights_event, post
from emr_jobs.insights.report import Section, bars, report
from headwater.cli.api import Api
from headwater.graph.facets.curation import is_curation
from headwater.graph.facets.insights import InsightKind
from headwater.openlineage.wire import read_event
from tests.upstream import Upstream, serving

AT = "2026-11-20T08:00:00.000Z"
INSIGHT = {
    "title": "<b>orders</b> is unread",
    "score": 2.0,
    "nodes": [{"type": "DATASET", "namespace": "s3://lake", "name": "<orders>"}],
    "details": {"sources": [{"name": "<raw>", "column": "c"}], "seconds": 1.5},
}
ROW = {"type": "job", "namespace": "demo", "name": "load", "downstream_datasets": 2, "downstream_jobs": 1} | {
    "downstream_owners": 1,
    "rank": 1.23456,
    "is_single_point": True,
}


def test_the_report_is_one_file_and_shows_names_as_they_are() -> None:
    sections = [Section(kind.value, [INSIGHT] * 2, 7) for kind in InsightKind]
    text = report("2026-11-20", sections, [("demo load", 3.0)])
    assert text.count("&lt;b&gt;orders&lt;/b&gt; is unread") >= 2 * len(InsightKind)
    assert "<b>orders" not in text
    assert "&lt;raw&gt;" in text
    assert "<script" not in text
    assert "src=" not in text
    assert "2 of 7" in text


def test_a_bar_is_as_long_as_its_value_is_large() -> None:
    plot = bars("p", [("a", 10), ("b", 5), ("c", 0)])
    assert [part.split('"')[0] for part in plot.split('width="')[2:]] == ["420", "210", "1"]


def test_what_is_posted_are_events_that_use_nothing() -> None:
    for event in (
        criticality_event(ROW, AT),
        criticality_event(ROW | {"type": "dataset"}, AT),
        insights_event("waste", [INSIGHT], 1, AT),
    ):
        assert is_curation(read_event(json.loads(json.dumps(event))))


@pytest.mark.parametrize(("answer", "is_refused"), [({}, False), ({"failed_events": [{"index": 0}]}, True)])
def test_a_refused_event_is_told(answer: Any, is_refused: bool) -> None:
    events = (criticality_event(ROW, AT) for _ in range(450))
    with serving(Upstream(body=json.dumps(answer).encode())) as server:
        if is_refused:
            with pytest.raises(NotPosted, match="1 of 200"):
                post(Api(server.url, "k"), events)
        else:
            assert post(Api(server.url, "k"), events) == 450
            assert [request.path for request in server.seen] == ["/api/v1/lineage/batch"] * 3
