"""GET /runs: the runs that no other run started, "which failed today?"."""

from datetime import timedelta

import pytest

from headwater.access.principal import Principal
from headwater.cli.doctor.canary import event as canary_event
from tests import factory
from tests.factory import Document
from tests.lookup.requests import LookupClient, after, key_of, table_after
from tests.lookup.test_cost import body_and_calls, table_of
from tests.producer_records import recorded

APPLICATION = 900
ALL_SHARDS = 4


def ran(number: int, kind: str = "COMPLETE", job: str = "load", **members: object) -> Document:
    return factory.run_event(kind, run=number, seconds=number, job=job, **members)  # type: ignore[arg-type]


def query_of(application: int, number: int, kind: str) -> Document:
    facets = {"parent": factory.parent(application, "app"), "errorMessage": factory.facet(message=f"query {number}")}
    return ran(number, kind, f"app.query{number}", run_facets=facets)


def ids(answer: Document) -> list[str]:
    return [run["id"] for run in answer["runs"]]


def test_a_failed_query_of_a_failed_application_is_one_entry_with_the_application() -> None:
    own = {"errorMessage": factory.facet(message="the application")}
    get = after(query_of(APPLICATION, 1, "FAIL"), ran(APPLICATION, "FAIL", "app", run_facets=own))
    (run,) = get("runs", state="FAILED")["runs"]
    assert (run["id"], run["message"]) == (factory.run_id(APPLICATION), "the application")
    assert [child["runId"] for child in run["failedChildren"]] == [factory.run_id(1)]


BEATS = {"headwater_heartbeat": factory.facet(everySeconds=300)}


def no_contact_since(minutes: float, *events: Document) -> str | None:
    """What the board, the lists and the page of the application say some minutes after eight o'clock."""
    get = LookupClient(table_after(*events), at=factory.EPOCH + timedelta(minutes=minutes))
    (told,) = {
        answer.get("noContactSince")
        for answer in (
            get("runs")["runs"][0],
            get(f"jobs/runs/{factory.run_id(APPLICATION)}"),
            get("namespaces/demo/jobs/app/runs")["runs"][0],
            get("namespaces/demo/jobs/app")["latestRun"],
            get("jobs")["jobs"][0]["latestRun"],
        )
    }
    return None if told is None else str(told)


def test_of_an_open_run_that_missed_three_heartbeats_it_is_told_when_it_was_heard_of() -> None:
    start, beat, later = (
        factory.run_event(
            "RUNNING" if minute else "START", seconds=60 * minute, run=APPLICATION, job="app", run_facets=BEATS
        )
        for minute in (0, 10, 30)
    )
    assert no_contact_since(24.9, start, beat) is None
    assert no_contact_since(25.1, start, beat) == no_contact_since(9999, beat, start) == factory.at(600)
    assert no_contact_since(31, start, beat, later) is None
    for kind in ("COMPLETE", "FAIL", "ABORT"):
        assert no_contact_since(9999, start, beat, {**beat, "eventType": kind}) is None


def test_nothing_is_told_of_the_silence_of_a_run_that_announced_no_heartbeats() -> None:
    assert no_contact_since(9999, ran(APPLICATION, "START", "app"), ran(APPLICATION, "RUNNING", "app")) is None


def test_an_open_query_is_not_heard_of_any_more_if_its_application_is_not() -> None:
    start, beat = (
        factory.run_event(kind, seconds=60 * minute, run=APPLICATION, job="app", run_facets=BEATS)
        for kind, minute in (("START", 0), ("RUNNING", 10))
    )
    kind = {"jobType": factory.facet(integration="SPARK", jobType="SQL_JOB")}
    query, of_another, ended = (
        factory.run_event(
            state,
            seconds=720,
            run=run,
            job=f"app.query{run}",
            job_facets=kind,
            run_facets={"parent": factory.parent(application, "app")},
        )
        for state, run, application in (
            ("START", 1, APPLICATION),
            ("START", 2, APPLICATION + 1),
            ("COMPLETE", 3, APPLICATION),
        )
    )

    def silent(minutes: float, *events: Document) -> list[str | None]:
        get = LookupClient(table_after(*events), at=factory.EPOCH + timedelta(minutes=minutes))
        return [get(f"jobs/runs/{factory.run_id(run)}").get("noContactSince") for run in (1, 2, 3)]

    events = [start, beat, query, of_another, ended]
    assert silent(26, *events) == [None, None, None], "the query reported later than its application"
    assert silent(27.1, *events) == silent(27.1, *events[::-1]) == [factory.at(720), None, None]
    alive = {**beat, "eventTime": factory.at(1200)}
    assert silent(27.1, *events, alive) == [None, None, None]
    assert silent(9999, *events, {**alive, "eventType": "COMPLETE"}) == [None, None, None], "it ended"


def test_where_an_application_ran_is_told_as_far_as_its_service_and_the_listener_name_it() -> None:
    facets = {
        "headwater_environment": factory.facet(cluster="j-VC0KIOO5V5LS", release="emr-7.1.0", more=1),
        "spark_applicationDetails": factory.facet(applicationId="application_17_0001", userName=7),
        "externalQuery": factory.facet(externalQueryId="s-07767992IY7VC5NVV854", source="EMR"),
    }
    get = after(ran(1, "START", "app", run_facets=facets), ran(2, "START", "other"))
    other, app = get("runs")["runs"]
    assert app["environment"] == {
        "cluster": "j-VC0KIOO5V5LS",
        "release": "emr-7.1.0",
        "application": "application_17_0001",
    }
    assert app["query"] == {"id": "s-07767992IY7VC5NVV854", "source": "EMR"}
    page = get(f"jobs/runs/{factory.run_id(1)}")
    assert (page["environment"], page["query"]) == (app["environment"], app["query"])
    assert not {"environment", "query"} & other.keys()


@pytest.mark.parametrize("ends_last", ["query", "application"])
def test_an_application_that_completed_although_a_query_failed_has_failed(ends_last: str) -> None:
    events = [ran(APPLICATION, "COMPLETE", "app"), query_of(APPLICATION, 1, "FAIL")]
    get = LookupClient(table_after(*(events if ends_last == "query" else events[::-1]), one_by_one=True))
    (run,) = get("runs", state="failed")["runs"]
    assert (run["state"], run["ownState"], run["message"]) == ("FAILED", "COMPLETED", "query 1")
    assert get("runs", state="COMPLETED")["runs"] == []


def test_the_children_of_a_parent_that_sent_no_event_stand_for_it() -> None:
    get = after(query_of(APPLICATION, 1, "COMPLETE"), query_of(APPLICATION + 1, 2, "FAIL"))
    (failed,) = get("runs", state="FAILED")["runs"]
    assert (failed["id"], failed["message"]) == (factory.run_id(2), "query 2")
    assert failed["parent"] == {"runId": factory.run_id(APPLICATION + 1), "job": {"namespace": "demo", "name": "app"}}
    assert ids(get("runs", state="COMPLETED")) == [factory.run_id(1)]
    assert ids(get("runs", state="RUNNING")) == ids(get("runs", state="ABORTED")) == []
    assert ids(get("runs")) == [factory.run_id(2), factory.run_id(1)]
    for parent, failures in ((APPLICATION, 0), (APPLICATION + 1, 1)):
        named = get(f"jobs/runs/{factory.run_id(parent)}")
        assert (named["outcome"], named["state"], named["startedAt"]) == ("NOT_REPORTED", "NEW", None)
        assert len(named["failedChildren"]) == failures
    (job,) = (job for job in get("jobs")["jobs"] if job["name"] == "app")
    assert job["latestRun"]["outcome"] == "NOT_REPORTED"


@pytest.mark.parametrize("child", ["COMPLETE", "FAIL", "START"])
@pytest.mark.parametrize("reports", [False, True])
def test_a_job_that_reported_before_has_one_outcome_in_every_answer(child: str, reports: bool) -> None:
    outputs = [factory.dataset("orders")]
    before = factory.run_event("COMPLETE", run=APPLICATION - 1, seconds=-500, job="app", outputs=outputs)
    get = after(before, query_of(APPLICATION, 1, child), *([ran(APPLICATION, "START", "app")] if reports else []))
    (node,) = (each for each in get("lineage", nodeId="job:demo:app")["graph"] if each["id"] == "job:demo:app")
    (listed,) = (job for job in get("jobs")["jobs"] if job["name"] == "app")
    runs = [
        node["data"]["latestRun"],
        listed["latestRun"],
        get("namespaces/demo/jobs/app")["latestRun"],
        get(f"jobs/runs/{factory.run_id(APPLICATION)}"),
    ]
    told = {(run["id"], run["outcome"], run["state"], run["startedAt"]) for run in runs}
    assert len(told) == 1
    expected = ("RUNNING", "RUNNING") if reports else ("NOT_REPORTED", "NEW")
    assert {each[1:3] for each in told} == {expected}
    matching = get("namespaces/demo/jobs", lastRunStates=expected[1])["jobs"]
    assert "app" in [job["name"] for job in matching]


def test_a_parent_that_reports_at_last_is_an_entry_again() -> None:
    get = after(query_of(APPLICATION, 1, "FAIL"), ran(APPLICATION, "START", "app"))
    assert ids(get("runs")) == ids(get("runs", state="RUNNING")) == [factory.run_id(APPLICATION)]
    assert get("runs", state="FAILED")["runs"] == []
    ended = after(query_of(APPLICATION, 1, "FAIL"), ran(APPLICATION, "COMPLETE", "app"))
    (run,) = ended("runs", state="FAILED")["runs"]
    assert (run["id"], run["message"], run["parent"]) == (factory.run_id(APPLICATION), "query 1", None)


@pytest.mark.parametrize("task", [APPLICATION, APPLICATION - 1])
def test_an_application_below_a_dag_that_never_reports_is_one_entry(task: int) -> None:
    """Its query names the DAG as its root: with and without a task between them, which does not report either."""
    own = {"parent": factory.parent(task, "dag", (APPLICATION, "dag"))}
    in_it = {"parent": factory.parent(1, "app", (APPLICATION, "dag"))}
    get = after(ran(1, "COMPLETE", "app", run_facets=own), ran(2, "FAIL", "app.query", run_facets=in_it))
    for asked in ({"state": "FAILED"}, {}):
        (run,) = get("runs", **asked)["runs"]
        assert (run["id"], run["state"], run["ownState"]) == (factory.run_id(1), "FAILED", "COMPLETED")
    assert get("runs", state="COMPLETED")["runs"] == []


def test_the_message_is_that_of_the_deepest_failed_run() -> None:
    of_dag, of_app = factory.parent(APPLICATION, "dag"), factory.parent(1, "app", (APPLICATION, "dag"))
    trace = 'Traceback (most recent call last):\n  File "/jobs/load.py", line 3\nKeyError: 1'
    get = after(
        ran(APPLICATION, "FAIL", "dag"),
        ran(1, "FAIL", "app", run_facets={"parent": of_dag, "errorMessage": factory.facet(message="exit status 1")}),
        ran(2, "FAIL", "app.query", run_facets={"parent": of_app, "spark.exception": factory.facet(message=trace)}),
    )
    (run,) = get("runs", state="FAILED")["runs"]
    page = get(f"jobs/runs/{factory.run_id(APPLICATION)}")
    assert run["message"] == page["message"] == "KeyError: 1 (load.py, line 3)"
    assert (page["state"], page["outcome"]) == ("FAILED", "FAILED")


def test_failed_runs_that_name_each_other_as_parents_have_an_end() -> None:
    below = [ran(a, "FAIL", f"j{a}", run_facets={"parent": factory.parent(b, f"j{b}")}) for a, b in ((1, 2), (2, 1))]
    assert after(*below)(f"jobs/runs/{factory.run_id(1)}")["message"] is None


@pytest.mark.parametrize(
    ("engine", "scenario", "wrapper", "message"),
    [
        ("dbt", "build_failing_test", "dbt-run-shop", "accepted_values of country"),
        ("dbt", "structured_logs_build_failing_test", "dbt-run-shop", "accepted_values of country"),
        ("airflow", "sql_fails", "shop", "column o.net_amount does not exist"),
        ("airflow", "python_fails", "shop_python", "'price'"),
    ],
)
def test_a_wrapper_tells_what_failed_in_it(engine: str, scenario: str, wrapper: str, message: str) -> None:
    (run,) = after(*recorded(engine, scenario))("runs", state="FAILED")["runs"]
    assert (run["job"]["name"], run["message"]) == (wrapper, message)


@pytest.mark.parametrize("reported", [True, False])
def test_fifty_failures_cost_two_calls_more_than_their_lists(reported: bool) -> None:
    numbers = range(1, 51)
    queries = [query_of(APPLICATION + number, number, "FAIL") for number in numbers]
    tops = [ran(APPLICATION + number, "COMPLETE", "app") for number in numbers if reported]
    page, calls = body_and_calls(table_of(*queries, *tops), "runs", state="FAILED")
    assert (len(page["runs"]), calls) == (50, ALL_SHARDS + 2)


def test_a_canary_is_nobodys_run_but_is_found_by_its_producer() -> None:
    canary = canary_event("COMPLETE", factory.run_id(7), "demo")
    get = after(ran(1), canary, ran(2))
    assert ids(get("runs")) == ids(get("runs", namespace="demo")) == [factory.run_id(2), factory.run_id(1)]
    assert ids(get("runs", producer="headwater/doctor")) == [factory.run_id(7)]


def test_the_job_and_the_datasets_of_a_canary_say_what_they_are() -> None:
    get = after(canary_event("COMPLETE", factory.run_id(7), "demo"))
    (job,) = get("namespaces/demo/jobs")["jobs"]
    assert job["facets"]["jobType"]["jobType"] == "CANARY"
    datasets = get("namespaces/demo/datasets")["datasets"]
    assert [each["facets"]["datasetType"]["datasetType"] for each in datasets] == ["CANARY", "CANARY"]


def test_a_run_changes_its_list_with_its_state_and_is_never_in_two() -> None:
    events = [ran(1, "START"), factory.run_event("COMPLETE", run=1, seconds=50)]
    for count, state in ((1, "RUNNING"), (2, "COMPLETED")):
        get = LookupClient(table_after(*events[:count], one_by_one=True))
        assert ids(get("runs")) == ids(get("runs", state=state)) == [factory.run_id(1)]


def test_runs_are_bounded_by_the_time_of_their_end_and_come_newest_first() -> None:
    get = after(*(ran(number) for number in range(1, 31)))
    window = {"after": factory.at(10), "before": factory.at(20)}
    assert ids(get("runs", **window)) == [factory.run_id(number) for number in range(19, 9, -1)]


def test_what_a_run_that_never_reported_has_started_since_a_time_is_listed_though_it_began_before() -> None:
    """A DAG that does not report started its first application at 1, and others at 50 and 60; one is still open."""

    def child(number: int, kind: str, seconds: float) -> Document:
        facets = {"parent": factory.parent(APPLICATION, "dag")}
        return factory.run_event(kind, run=number, seconds=seconds, job=f"app{number}", run_facets=facets)

    first = [child(1, "COMPLETE", 1), child(2, "START", 50), child(2, "COMPLETE", 55), child(3, "START", 60)]
    get = after(*first, ran(20))
    expected = {"": [3, 2], "COMPLETED": [2], "RUNNING": [3], "FAILED": []}
    for state, numbers in expected.items():
        asked = {"state": state} if state else {}
        assert ids(get("runs", after=factory.at(40), **asked)) == [factory.run_id(number) for number in numbers]
    assert ids(get("runs", after=factory.at(40), before=factory.at(58))) == [factory.run_id(2)]
    assert ids(get("runs", after=factory.at(100_000))) == []
    failed = after(*first, child(3, "FAIL", 70))
    assert ids(failed("runs", after=factory.at(40), state="FAILED")) == [factory.run_id(3)]
    assert ids(failed("runs", after=factory.at(40))) == [factory.run_id(3), factory.run_id(2)]
    assert ids(get("runs", after=factory.at(40), namespace="elsewhere")) == []


def test_pages_by_cursor_hold_every_run_once() -> None:
    kinds = ("COMPLETE", "FAIL", "START")
    get = after(*(ran(number, kinds[number % 3]) for number in range(1, 101)))
    listed, page = [], get("runs", limit=7)
    listed += ids(page)
    while "cursor" in page:
        page = get("runs", limit=7, cursor=page["cursor"])
        assert page["runs"]
        listed += ids(page)
    assert listed == [factory.run_id(number) for number in range(100, 0, -1)]


def test_a_list_of_one_namespace_or_producer_has_no_run_of_another() -> None:
    other = {
        **ran(2),
        "job": {"namespace": "other", "name": "x", "facets": {}},
        "producer": "https://spark/integration",
    }
    get = after(ran(1), other)
    assert ids(get("runs", namespace="other")) == ids(get("runs", producer="SPARK")) == [factory.run_id(2)]
    assert ids(get("runs", namespace="nowhere")) == []
    assert get.refusal("runs", state="BROKEN") == "state"


def test_a_caller_of_some_namespaces_sees_their_runs_and_learns_of_no_other() -> None:
    other = {**ran(2), "job": {"namespace": "other", "name": "secret", "facets": {}}}
    narrow = LookupClient(table_after(ran(1), other), key_of("demo"))
    assert ids(narrow("runs")) == [factory.run_id(1)]
    assert narrow.answer("runs", namespace="other")[0] == 403


def test_the_runs_of_many_others_are_passed_over_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.lookup.activity.newest.MAX_SCANNED", 100)
    others = [{**ran(number), "job": {"namespace": "other", "name": "x"}} for number in range(2, 303)]
    get = after(ran(1), *others)
    page, pages = get("runs", namespace="demo"), 1
    while "cursor" in page:
        assert page["runs"] == []
        page, pages = get("runs", namespace="demo", cursor=page["cursor"]), pages + 1
    assert (ids(page), pages) == ([factory.run_id(1)], 4)


@pytest.mark.parametrize("runs", [200, 2_000])
def test_a_page_costs_the_same_in_a_larger_table(runs: int) -> None:
    table = table_of(*(ran(number, "FAIL" if number % 10 == 0 else "COMPLETE") for number in range(1, runs + 1)))
    page, calls = body_and_calls(table, "runs", state="FAILED", limit=10)
    assert len(page["runs"]) == 10
    assert calls == ALL_SHARDS + 1
    assert table.rows <= ALL_SHARDS * 100
    _, next_calls = body_and_calls(table, "runs", state="FAILED", limit=10, cursor=page["cursor"])
    assert next_calls == calls


def test_other_namespaces_cost_no_read_of_their_runs() -> None:
    caller = Principal("team", frozenset({"read"}), ("demo",))
    others = [{**ran(number, "FAIL"), "job": {"namespace": "other", "name": "x"}} for number in range(2, 1_002)]
    page, calls = body_and_calls(table_of(ran(1, "FAIL"), *others), "runs", caller, state="FAILED")
    assert (len(page["runs"]), calls <= 20) == (1, True)
