"""GET /rootcause: a change stays a finding until it is undone, its readers change, or a person calls a run good."""

from typing import Any

import pytest

from headwater.graph.facets.curation import JUDGEMENT
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LAKE
from tests.traversal.root_cause import DAY, after, findings, kinds, ran, table, wrote

DRIFT = [("SCHEMA_CHANGED", "stats", 0), ("SCHEMA_CHANGED", "trips", 1)]


def code(version: str, number: str = "") -> Document:
    facet = {"type": "git", "repoUrl": "https://github.com/acme/stats.git", "version": version, "branch": "main"}
    return {"sourceCodeLocation": factory.facet(**facet, **({"pullRequestNumber": number} if number else {}))}


def stats(run: int, fare: str, **changes: Any) -> list[Document]:
    """An hourly run of city_stats, which reads what nobody is known to write."""
    trips = factory.dataset("trips", schema=factory.schema("city:string", f"fare:{fare}"))
    average = factory.dataset("stats", schema=factory.schema("city:string", f"fare:{fare}"))
    return ran("city_stats", run=run, seconds=3_600 * run, inputs=[trips], outputs=[average], **changes)


def loaded(run: int, fare: str) -> list[Document]:
    """An hourly run that writes the trips, just before those of city_stats."""
    trips = factory.dataset("trips", schema=factory.schema("city:string", f"fare:{fare}"))
    return ran("load_trips", run=1_000 + run, seconds=3_600 * run - 100, outputs=[trips])


def judged(run: int, *, good: bool = True, seconds: float, job: str = "city_stats") -> Document:
    facets = {JUDGEMENT: factory.facet(good=good, by="ann")}
    return factory.run_event("OTHER", job=job, run=run, seconds=seconds, run_facets=facets)


@pytest.mark.parametrize("more", [0, 1, 5, 200])
@pytest.mark.parametrize("is_loaded", [False, True])
def test_a_wrong_run_that_completes_once_more_mends_nothing(more: int, is_loaded: bool) -> None:
    runs = [(1, "double"), (2, "double"), *((3 + number, "string") for number in range(1 + more))]
    loads = [event for run, fare in runs if is_loaded for event in loaded(run, fare)]
    answer = after(*loads, *(event for run, fare in runs for event in stats(run, fare)))(table("stats"))
    assert sorted(findings(answer)) == DRIFT
    assert [finding["at"] for finding in answer["findings"]] == sorted(
        [factory.at(3 * 3_600), factory.at(3 * 3_600 - (100 if is_loaded else 0))], reverse=True
    )
    assert (answer["lastGood"]["id"], answer["lastGood"]["confirmed"]) == (factory.run_id(2 + more), False)


def test_the_last_good_run_may_be_of_another_job_that_wrote_the_table() -> None:
    """Spark names a query by its plan: with a Python UDF the same program is another job, which has no good run."""
    outputs = [factory.dataset("stats")]
    changed = ran("city_stats_by_udf", run=9, seconds=4_000, ended="FAIL", outputs=outputs)
    answer = after(*ran("city_stats", run=8, seconds=1_000, outputs=outputs), *changed)(table("stats"))
    assert (answer["lastGood"]["id"], findings(answer)) == (factory.run_id(8), [("RUN_FAILED", "city_stats_by_udf", 1)])
    assert after(*changed)(table("stats"))["lastGood"] is None


def dropped(seconds: float, *, run: int, **facets: Document) -> list[Document]:
    trips = factory.dataset("trips", lifecycleStateChange=factory.facet(lifecycleStateChange="DROP"), **facets)  # type: ignore[arg-type]
    return ran("drop_trips", run=run, seconds=seconds, outputs=[trips])


@pytest.mark.parametrize("facets", [{}, {"schema": factory.schema()}, {"schema": factory.schema("city:string")}])
def test_a_drop_stays_until_the_dataset_is_made_again(facets: Document) -> None:
    before = [*loaded(1, "double"), *stats(1, "double")]
    gone = [*before, *dropped(5_000, run=50, **facets), *stats(2, "double"), *stats(3, "double")]
    (found,) = after(*gone)(table("stats"))["findings"]
    assert (found["kind"], found["summary"]) == ("SCHEMA_CHANGED", "trips: the dataset was dropped, by drop_trips")
    assert after(*gone, *loaded(4, "double"), *stats(4, "double"))(table("stats"))["findings"] == []


def test_a_dataset_that_is_dropped_and_made_again_each_night_has_not_changed() -> None:
    nights = [
        event
        for night in (1, 2, 3)
        for event in [*dropped(3_600 * night - 500, run=50 + night), *loaded(night, "double"), *stats(night, "double")]
    ]
    answer = after(*loaded(0, "double"), *nights)(table("stats"))
    assert (answer["findings"], answer["earlier"]) == ([], None)


def test_a_change_that_was_undone_is_an_earlier_one() -> None:
    fares = ["double", "string", "double", "double", "double"]
    events = [event for run, fare in enumerate(fares, 1) for event in [*loaded(run, fare), *stats(run, fare)]]
    answer = after(*events)(table("stats"))
    assert findings(answer) == []
    assert answer["earlier"]["count"] == 4
    assert answer["earlier"]["sentence"].startswith("4 earlier changes, since 2026-11-20 09:58Z, no longer counted")


@pytest.mark.parametrize(
    ("facets", "stays"),
    [
        ((code("aaa111"), code("bbb222")), False),
        ((code("aaa111"), code("aaa111")), True),
        (({}, code("bbb222")), True),
        (({"sql": factory.facet(query="SELECT fare FROM t")}, {"sql": factory.facet(query="SELECT f FROM t")}), False),
        (
            (
                {"sql": factory.facet(query="SELECT fare FROM t WHERE day = '2026-11-20' -- 1")},
                {"sql": factory.facet(query="SELECT fare FROM t\nWHERE day = '2026-11-21' -- 2")},
            ),
            True,
        ),
    ],
)
def test_a_change_stays_until_its_reader_runs_other_code(facets: tuple[Document, Document], stays: bool) -> None:
    before, mended = facets
    events = [*stats(1, "double", job_facets=before), *stats(2, "string", job_facets=before)]
    events += [event for run in (3, 4, 5) for event in stats(run, "string", job_facets=mended)]
    for late in (0, 100):
        more = [event for run in range(6, 6 + late) for event in stats(run, "string", job_facets=mended)]
        answer = after(*events, *more)(table("stats"))
        assert (("SCHEMA_CHANGED", "trips", 1) in findings(answer)) is stays
        earlier = answer["earlier"] or {"changes": []}
        assert (("SCHEMA_CHANGED", "trips", 1) in findings({"findings": earlier["changes"]})) is not stays


@pytest.mark.parametrize(
    ("facets", "fares", "is_told"),
    [
        ({}, "dsss", True),
        (code("aaa111"), "dsss", False),
        ({}, "dddd", False),
        ({}, "dsdd", False),
        ({}, "ddds", False),
    ],
)
def test_where_a_change_stands_for_want_of_a_version_the_frontier_says_that_no_plan_was_compared(
    facets: Document, fares: str, is_told: bool
) -> None:
    kinds_of = {"d": "double", "s": "string"}
    events = [event for run, fare in enumerate(fares, 1) for event in stats(run, kinds_of[fare], job_facets=facets)]
    unseen = {spot["kind"]: spot["examples"] for spot in after(*events)(table("stats"))["frontier"]["unseen"]}
    assert unseen.get("JOBS_WITHOUT_CODE") == (["job:demo:city_stats"] if is_told else None)


def test_a_person_says_that_a_run_was_good_and_takes_it_back() -> None:
    events = [event for run, fare in ((1, "double"), (2, "string"), (3, "string")) for event in stats(run, fare)]
    good, back = judged(3, seconds=20_000), judged(3, good=False, seconds=20_001)
    for order in ([*events, good], [good, *events]):
        answer = after(*order)(table("stats"))
        assert (findings(answer), answer["earlier"]) == ([], None)
        assert (answer["lastGood"]["id"], answer["lastGood"]["confirmed"]) == (factory.run_id(3), True)
        assert answer["suspect"]["id"] == factory.run_id(3)
        assert answer["lastGood"]["judgement"] == {"good": True, "by": "ann", "at": factory.at(20_000)}
    more = [event for run in range(4, 150) for event in stats(run, "string")]
    answer = after(*events, good, *more)(table("stats"))
    assert (findings(answer), answer["lastGood"]["id"]) == ([], factory.run_id(3))
    taken_back = after(*events, back, good)(table("stats"))
    assert (sorted(findings(taken_back)), taken_back["lastGood"]["confirmed"]) == (DRIFT, False)


@pytest.mark.parametrize("above", [[("app", 50)], [("app", 50), ("task", 60), ("dag", 70)]])
@pytest.mark.parametrize("is_reported", [True, False])
def test_a_run_that_was_called_good_was_good_with_all_that_it_started(
    above: list[tuple[str, int]], *, is_reported: bool
) -> None:
    """The application of each hour starts city_stats, a task starts the application, and a DAG the task, which may be
    known by the run below it alone."""

    def hour(run: int, fare: str) -> list[Document]:
        chain = ["city_stats", *(job for job, _ in above)]
        ids = [run, *(number + run for _, number in above)]
        events = stats(run, fare)
        events += [
            event
            for job, own in zip(chain[1:], ids[1:], strict=True)
            for event in ran(job, run=own, seconds=3_600 * run)
            if is_reported or job != above[-1][0]
        ]
        for event in events:
            at = chain.index(event["job"]["name"])
            if at + 1 < len(chain):
                event["run"]["facets"]["parent"] = factory.parent(ids[at + 1], chain[at + 1])
        return events

    (top, first) = above[-1]
    events = [event for run, fare in ((1, "double"), (2, "string"), (3, "string")) for event in hour(run, fare)]
    later = judged(first + 3, seconds=20_000, job=top)
    answer = after(*events, later)(table("stats"))
    assert (findings(answer), answer["earlier"], answer["lastGood"]["confirmed"]) == ([], None, True)
    assert answer["lastGood"]["id"] == factory.run_id(3)
    if len(above) == 1:
        assert answer["lastGood"]["calledGood"]["runId"] == factory.run_id(first + 3)
    other = judged(first + 1, seconds=20_000, job=top)
    assert sorted(findings(after(*events, other)(table("stats")))) == DRIFT
    before = after(*events, later, judged(first + 3, good=False, seconds=20_001, job=top))(table("stats"))
    assert (before["lastGood"]["confirmed"], before["lastGood"].get("calledGood")) == (False, None)


def test_a_run_that_was_called_good_was_good_with_the_change_that_came_with_it() -> None:
    events = [
        *stats(1, "double", job_facets=code("aaa111", "41")),
        *stats(2, "string", job_facets=code("bbb222", "42")),
    ]
    assert len(kinds(after(*events)(table("stats")))) == 3
    answer = after(*events, judged(2, seconds=20_000))(table("stats"))
    assert (kinds(answer), answer["earlier"]) == ([], None)


def test_all_that_happened_since_the_run_that_was_called_good_counts() -> None:
    events = [event for run in (1, 3, 4) for event in stats(run, "double")]
    failed = stats(2, "double", ended="FAIL")
    assert kinds(after(*events, *failed)(table("stats"))) == []
    assert kinds(after(*events, *failed, judged(1, seconds=20_000))(table("stats"))) == ["RUN_FAILED"]


def test_a_good_run_of_a_reader_upstream_meets_the_changes_before_it() -> None:
    events = [event for run, fare in ((1, "double"), (2, "string"), (3, "string")) for event in stats(run, fare)]
    board = [event for run in range(1, 5) for event in ran("show", "stats", "board", run=50 + run, seconds=3_700 * run)]
    assert ("SCHEMA_CHANGED", "trips", 3 - 1) in findings(after(*events, *board)(table("board")))
    answer = after(*events, *board, judged(3, seconds=20_000))(table("board"))
    assert ("SCHEMA_CHANGED", "trips", 2) not in findings(answer)


def test_a_run_of_other_code_that_failed_is_told_with_its_pull_request() -> None:
    answer = after(
        *stats(1, "double", job_facets=code("aaa111", "41")),
        *stats(2, "double", job_facets=code("bbb222", "42"), ended="FAIL"),
    )(table("stats"))
    changed = next(finding for finding in answer["findings"] if finding["kind"] == "CODE_CHANGED")
    assert kinds(answer) == ["RUN_FAILED", "CODE_CHANGED"]
    assert changed["summary"] == "city_stats was changed by #42: version bbb222 of main, was aaa111"
    assert changed["codeBefore"]["pullRequestNumber"] == "41"
    assert changed["codeAfter"] == {
        "version": "bbb222",
        "branch": "main",
        "pullRequestNumber": "42",
        "link": "https://github.com/acme/stats/pull/42",
    }
    assert answer["suspect"]["code"] == changed["codeAfter"]


@pytest.mark.parametrize(
    "location",
    [
        {"repoUrl": "javascript:alert(1)//github.com/a/b"},
        {"repoUrl": "https://example.com/a/b"},
        {"repoUrl": "https://evil.example/github.com/a/b"},
        {"url": "file:///github.com/a/b"},
        {"repoUrl": 3, "pullRequestNumber": ["42"]},
        {"repoUrl": "https://github.com/a/b", "pullRequestNumber": "42/../../x"},
    ],
)
def test_only_a_pull_request_on_github_is_a_link(location: Document) -> None:
    facet = factory.facet(type="git", version="b", **{"pullRequestNumber": "42", **location})
    answer = after(*stats(1, "double", job_facets={"sourceCodeLocation": facet}))(table("stats"))
    assert "link" not in answer["suspect"]["code"]


def test_what_the_suspect_wrote_is_told_beside_the_median_of_the_last_ten() -> None:
    def wrote_rows(run: int, rows: Any) -> list[Document]:
        output = {**factory.dataset("t"), "outputFacets": {"outputStatistics": factory.facet(rowCount=rows, size=9)}}
        return ran("load", "raw", run=run, seconds=100 * run, outputs=[output])

    rows = [1, 1, *range(47_995, 48_005), 1_200]
    answer = after(*(event for run, count in enumerate(rows) for event in wrote_rows(run, count)))(table("t"))
    assert answer["amount"] == {
        "rows": 1_200,
        "medianRows": 47_999,
        "bytes": 9,
        "medianBytes": 9,
        "sentence": "It wrote 1,200 rows; the median of its last ten is 47,999. "
        "It wrote 9 bytes; the median of its last ten is 9.",
    }
    for runs, told in ((2, "the write before, 1"), (4, "the median of its 3 writes before is 1")):
        few = after(*(event for run, count in enumerate(rows[:runs]) for event in wrote_rows(run, count)))(table("t"))
        assert told in few["amount"]["sentence"]
    assert after(*wrote_rows(1, "many"))(table("t"))["amount"]["rows"] is None
    assert after(*wrote(1, 0, "id:int"))(table("t"))["amount"] is None


def test_the_findings_of_a_column_come_by_how_likely_they_explain_it() -> None:
    def run(number: int, kind: str) -> list[Document]:
        at, fares = number * DAY, factory.schema("id:long", f"fare:{kind}", f"tip:{kind}", f"city:{kind}")
        lineage = factory.columns(total=(LAKE, "trips", "fare"), tips=(LAKE, "trips", "tip"))
        lineage["dataset"] = [{"namespace": LAKE, "name": "trips", "field": "city", "transformations": []}]
        cities = factory.dataset("cities", schema=factory.schema(f"name:{kind}"))
        trips = factory.dataset("trips", schema=fares)
        daily = factory.dataset("daily", schema=factory.schema("total:double", "tips:double"), columnLineage=lineage)
        return [
            *ran("load_cities", run=10 * number, seconds=at + 50, outputs=[cities]),
            *ran("load_trips", "cities", run=10 * number + 1, seconds=at, outputs=[trips]),
            *ran("sum", run=10 * number + 2, seconds=at + 100, inputs=[factory.dataset("trips")], outputs=[daily]),
        ]

    get = after(*run(1, "double"), *run(2, "string"))
    by_time, by_column = (get(node)["findings"] for node in (table("daily"), f"datasetField:{LAKE}:daily:total"))
    assert all("relevance" not in finding for finding in by_time)
    assert [(finding["nodeId"], finding["relevance"]) for finding in by_column] == [
        (table("trips"), "FLOWS_IN"),
        (table("cities"), "UNKNOWN"),
    ]
    assert [finding["nodeId"] for finding in by_time] == [table("cities"), table("trips")]
    assert get(f"datasetField:{LAKE}:daily:total")["affected"] == table("trips")
    assert get(f"datasetField:{LAKE}:daily:nope")["code"] == 404


def test_what_else_is_affected_is_asked_of_the_cause_by_its_column() -> None:
    drifted = after(*wrote(1, 0, "id:long"), *wrote(2, 100, "id:string"))
    assert drifted(table("t"))["affected"] == f"datasetField:{LAKE}:t:id"
    failed = after(
        *ran("load", "raw", "clean", run=1, seconds=0, ended="FAIL"), *ran("report", "clean", "daily", run=2, seconds=9)
    )
    assert failed(table("daily"))["affected"] == table("clean")
    assert after(*ran("load", "raw", "clean", run=1, seconds=0))(table("clean"))["affected"] is None
