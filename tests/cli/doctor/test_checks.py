"""The doctor's findings on the events and jobs that have arrived."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from headwater.cli.api import Api
from headwater.cli.doctor import checks
from headwater.cli.doctor.__main__ import main, no_fault
from headwater.cli.doctor.arrivals import Arrivals
from headwater.cli.doctor.finding import Blame, DoctorFinding
from headwater.cli.doctor.isolated_jobs import component_sizes, isolated_jobs
from tests import factory
from tests.producer_records import recorded
from tests.upstream import Upstream, serving

NOW = datetime(2026, 11, 21, 8, tzinfo=UTC)


def job(name: str, reads: str = "", writes: str = "", parent: str | None = None, silent: float = 0) -> dict[str, Any]:
    """A job as GET /jobs lists it; `silent` is the hours since the last event of its run."""
    used = {"inputs": reads.split(), "outputs": writes.split()}
    datasets = {role: [{"namespace": "s3://lake", "name": name} for name in names] for role, names in used.items()}
    run = {"state": "RUNNING", "updatedAt": (NOW - timedelta(hours=silent)).isoformat()}
    return {"namespace": "demo", "name": name, "parentJobName": parent, "latestRun": run, **datasets}


def arrivals(*jobs: dict[str, Any], events: list[dict[str, Any]] | None = None, namespaces: str = "demo") -> Arrivals:
    posted = [factory.run_event(job=job["name"]) for job in jobs] if events is None else events
    return Arrivals(posted, list(jobs), namespaces.split(), is_cut=False)


def what(findings: list[DoctorFinding]) -> list[str]:
    return [finding.what for finding in findings]


def test_the_listener_is_to_blame_if_only_the_canary_arrives() -> None:
    (finding,) = checks.nothing_arrived(arrivals(events=[]), None)
    assert finding.blame is Blame.LISTENER


def test_where_all_arrives_under_another_namespace_it_is_that() -> None:
    (finding,) = checks.nothing_arrived(arrivals(job("load")), "prod")
    assert (finding.blame, finding.what) == (Blame.NAMESPACE, "no event has arrived in the namespace prod, but in demo")
    assert list(checks.nothing_arrived(arrivals(job("load")), "demo")) == []


def test_a_job_without_datasets_is_found_unless_its_children_have_datasets() -> None:
    findings = checks.without_datasets(arrivals(job("app"), job("app.write", "a", "b", parent="app"), job("blind")))
    assert what(list(findings)) == ["jobs that name no dataset: blind"]


def test_an_application_none_of_whose_queries_names_a_dataset_is_found() -> None:
    """Iceberg with a JDBC catalog: an application and its queries, and not one dataset."""
    blind = [job("app"), job("app.write", parent="app"), job("app.read", parent="app")]
    assert what(list(checks.without_datasets(arrivals(*blind)))) == ["jobs that name no dataset: app"]
    dag = [
        job("dag"),
        job("dag.task", parent="dag"),
        job("app", parent="dag.task"),
        job("app.write", "a", parent="app"),
    ]
    assert list(checks.without_datasets(arrivals(*dag))) == []


def test_events_without_a_single_dataset_keep_the_graph_empty() -> None:
    blind = [job("app"), job("app.write", parent="app")]
    (finding,) = checks.no_dataset(arrivals(*blind))
    assert finding.what == "2 events have arrived, and not one names a dataset: app, app.write"
    assert finding.blame is Blame.LISTENER
    assert list(checks.no_dataset(arrivals(*blind, job("load", "a", "b")))) == []
    assert list(checks.no_dataset(arrivals(events=[]))) == []


def told(*events: dict[str, Any], jobs: list[dict[str, Any]]) -> str:
    return no_fault(checks.frontier_of(arrivals(*jobs, events=list(events))))


def test_that_no_fault_was_found_is_said_with_what_the_events_leave_unseen() -> None:
    lineage = factory.columns(id=("s3://lake", "a", "id"))
    clear = factory.run_event(job="load", outputs=[factory.dataset("b", columnLineage=lineage)])
    silent = factory.run_event(job="copy", outputs=[factory.dataset("c")])
    jobs = [job("load", "a", "b"), job("copy", "a", "c"), job("app")]
    assert told(clear, jobs=jobs[:1]) == "no fault keeps the graph empty"
    assert told(clear, silent, factory.run_event(job="app"), jobs=jobs) == (
        "no fault is known that keeps the graph empty. It looked at 3 jobs and 3 datasets, since "
        "2026-11-20 08:00Z; not seen: 1 job without column lineage (copy); 1 job without datasets (app)."
    )


def test_a_silent_run_is_found() -> None:
    findings = checks.never_ended(arrivals(job("live", silent=0.5), job("lost", silent=2)), NOW)
    assert what(list(findings)) == ["running jobs without an event for over an hour: lost"]


@pytest.mark.parametrize("name", ["hive://ip-10-0-0-1:9083", "s3a://lake", "file", "kafka://localhost:9092"])
def test_names_that_mean_another_store_on_another_host_are_found(name: str) -> None:
    assert what(list(checks.suspicious_names(arrivals(namespaces=name)))) == [f"a suspicious name: {name}"]


@pytest.mark.parametrize("name", ["s3://lake", "hdfs://nameservice1", "profile", "kafka://b-1.shop:9092"])
def test_other_names_are_not(name: str) -> None:
    assert list(checks.suspicious_names(arrivals(namespaces=name))) == []


def test_a_job_whose_datasets_no_other_job_uses_is_an_island() -> None:
    jobs = [job("load", "raw", "a"), job("report", "a", "b"), job("mail", "b", ""), job("lost", "x", "y")]
    assert what(list(isolated_jobs(arrivals(*jobs)))) == ["islands, jobs whose data no other job uses: lost"]
    assert component_sizes([{("s", "a")}, {("s", "b")}, {("s", "a"), ("s", "b")}, {("s", "c")}]) == [3, 3, 3, 1]


def test_a_key_is_never_shown() -> None:
    assert "secret" not in repr(Api("http://127.0.0.1", "secret"))


@pytest.mark.parametrize(
    "url", ["ftp://somewhere", "http://", "http://h:abc", "http://[::1", "http://h/a b", "http://h/\u00e4"]
)
def test_a_text_that_is_no_url_is_refused(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--url", url]) == 2
    assert "is not an http or https URL" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["k\u00fc\u20ac", "one\ntwo", "one two"])
def test_a_key_that_no_request_can_carry_is_to_blame_and_not_shown(
    key: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEADWATER_API_KEY", key)
    assert main(["--url", "http://127.0.0.1:9"]) == 1
    output = capsys.readouterr().out
    assert (output.startswith("[the key is to blame]"), key in output) == (True, False)


@pytest.mark.parametrize("status", [200, 403, 500, 501])
def test_an_answer_that_is_not_headwaters_blames_the_path(status: int, capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Upstream(status=status, body=b"<!DOCTYPE HTML>\n<html>\n", headers={})) as stranger:
        assert main(["--url", stranger.url]) == 1
    blame, fix = [line for line in capsys.readouterr().out.splitlines() if "examining" not in line]
    assert blame == f"[the path is to blame] the response was {status}: <!DOCTYPE HTML>"
    assert "is this Headwater?" in fix


def test_https_to_a_server_of_http_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(Upstream()) as upstream:
        assert main(["--url", upstream.url.replace("http:", "https:")]) == 1
    assert "is it http:// and not https://" in capsys.readouterr().out


def test_a_key_that_describes_the_datasets_of_others_is_named() -> None:
    event = factory.run_event()
    note = {"key": "team-a", "paths": ["inputs[0].facets", "inputs[7].facets", "run.facets.parent"]}
    event["job"]["facets"] = {"headwater_setAside": note}
    findings = list(checks.set_aside(arrivals(events=[event, factory.run_event(), event])))
    assert what(findings) == [
        "the key team-a describes namespaces that it may not write; set aside: inputs.facets, run.facets.parent"
    ]
    assert findings[0].blame is None


def test_secrets_of_events_are_told_with_their_places_and_blame_no_key() -> None:
    event = factory.run_event(job="load")
    event["job"]["facets"] = {
        "headwater_setAside": {"key": "open", "paths": ["job.facets.sql.query: redacted password"]}
    }
    found = arrivals(events=[event, factory.run_event()])
    assert list(checks.set_aside(found)) == []
    assert what(list(checks.redacted_secrets(found))) == [
        "secrets were replaced in load: job.facets.sql.query: redacted password"
    ]
    assert list(checks.redacted_secrets(arrivals(events=[factory.run_event()]))) == []


def test_datasets_without_a_usable_name_are_told_with_their_jobs() -> None:
    event = factory.run_event(job="insert-into_orders")
    event["job"]["facets"] = {"headwater_setAside": {"key": "open", "paths": ["inputs[0].namespace: empty"]}}
    found = arrivals(events=[event, factory.run_event()])
    assert list(checks.set_aside(found)) == []
    assert what(list(checks.nameless_datasets(found))) == [
        "datasets without a usable name were set aside, sent by insert-into_orders"
    ]


@pytest.mark.parametrize(
    ("scenarios", "told"),
    [
        (["datastream_without_detached_tracking"], ["1 run of Flink, none ever ended"]),
        (["sql_without_detached_tracking", "datastream_kafka_to_kafka"], []),
        ([], []),
    ],
)
def test_flink_that_reports_no_end_is_told(scenarios: list[str], told: list[str]) -> None:
    events = [event for scenario in scenarios for event in recorded("flink", scenario)]
    assert what(list(checks.flink_without_ends(arrivals(events=events)))) == told
