"""An alert keeps the limits of EventBridge and Datadog, whatever a producer's names contain."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.alerts.alert import Alert, DetailType, id_of, short_name
from headwater.alerts.bus import EventBus
from headwater.graph.facets.members import error_summary
from headwater.graph.names.identity import NodeKind
from headwater.graph.states.stored_states import Severity
from headwater.openlineage.event import Name
from headwater.openlineage.instant import Instant
from headwater.store.errors import StorageError

NOON = Instant("2026-11-20T12:00:00.000000000Z")
texts = st.text(max_size=600)
names = st.builds(Name, st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=16_000))


@st.composite
def alerts(draw: st.DrawFn) -> Alert:
    return Alert(
        type=draw(st.sampled_from(DetailType)),
        id=id_of("x"),
        time=NOON,
        severity=draw(st.sampled_from(Severity)),
        kind=draw(st.sampled_from([NodeKind.JOB, NodeKind.DATASET])),
        name=draw(names),
        owners=tuple(draw(st.lists(texts, max_size=30))),
        title=draw(texts),
        lines=tuple(draw(st.lists(texts, max_size=20))),
        group=draw(texts),
        details=draw(st.just({}) | st.just({"breaks": [{"path": ["x" * 16_000] * 10, "nodeId": "y"}] * 50})),
    )


@given(alerts())
@settings(max_examples=60)
def test_whatever_it_is_about_datadog_and_the_bus_take_it(alert: Alert) -> None:
    detail = alert.detail("https://lineage.example.com")
    assert len(detail["title"]) <= 100
    assert len(detail["text"]) <= 4_000
    assert detail["text"].startswith("%%% ")
    assert detail["text"].endswith(" %%%")
    assert all(len(tag) <= 200 for tag in detail["tags"])
    assert len(detail["aggregationKey"]) <= 100
    assert detail["alertType"] in {"error", "warning", "info", "success"}
    assert len(json.dumps(detail)) < 256 * 1024


def test_a_person_sees_the_end_of_a_long_path() -> None:
    assert short_name("/data/lake/orders_clean/") == "orders_clean"
    assert short_name("orders") == "orders"
    assert len(short_name("x" * 200)) == 40


class _Client:
    def __init__(self, *failed: int) -> None:
        self.failed = list(failed)
        self.sizes: list[int] = []

    def put_events(self, Entries: list[dict[str, object]]) -> dict[str, object]:  # noqa: N803 - as botocore has it
        self.sizes.append(len(Entries))
        failed = self.failed.pop(0) if self.failed else 0
        errors = [{"ErrorCode": "ThrottlingException"}] * failed
        return {"FailedEntryCount": failed, "Entries": [*errors, *({"EventId": "1"} for _ in Entries[failed:])]}


def _alert() -> Alert:
    return Alert(DetailType.RUN_FAILED, "1", NOON, Severity.INFO, NodeKind.JOB, Name("a", "b"), (), "t", (), "g")


def test_alerts_are_put_ten_at_a_time() -> None:
    client = _Client()
    EventBus(client, "bus", "https://x").put([_alert()] * 25)
    assert client.sizes == [10, 10, 5]


def test_an_alert_that_the_bus_did_not_accept_is_an_error() -> None:
    with pytest.raises(StorageError, match="ThrottlingException"):
        EventBus(_Client(0, 1), "bus", "https://x").put([_alert()] * 15)


def test_names_are_escaped_in_markdown_without_line_breaks_and_mentions() -> None:
    name = "a\nb\x1b[31m @all %%% *c*"
    detail = replace(_alert(), name=Name("n", name), title=name, lines=(name,)).detail("https://x")
    assert detail["title"].isprintable()
    assert all(line.isprintable() for line in detail["lines"])
    body = detail["text"].removeprefix("%%% \n").removesuffix("\n %%%")
    assert "%%%" not in body
    assert "@all" not in body
    assert "\\*c\\*" in body


@pytest.mark.parametrize(
    "message",
    [
        "jdbc:postgresql://db/x?user=a&password=hunter2 refused",
        "token: hunter2 is expired",
        "AWS_SECRET_ACCESS_KEY=hunter2",
    ],
)
def test_a_secret_in_an_error_message_is_left_out(message: str) -> None:
    assert "hunter2" not in error_summary(f"{message}\n  at line 1")


UDF = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times: \
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/usr/lib/spark/python/lib/pyspark.zip/pyspark/worker.py", line 1247, in main
    process()
  File "/home/jobs/prices.py", line 12, in <lambda>
    return cents / items
           ~~~~~~^~~~~~~
  File "/opt/venv/lib/python3.11/site-packages/numbers.py", line 3, in divide
ZeroDivisionError: division by zero, token=hunter2

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)
"""


def test_a_traceback_is_summed_up_by_its_exception_and_the_users_line() -> None:
    assert error_summary(UDF) == "ZeroDivisionError: division by zero, token=*** (prices.py, line 12)"


def test_a_traceback_that_is_cut_off_is_summed_up_by_its_first_line() -> None:
    assert error_summary("Traceback (most recent call last):") == "Traceback (most recent call last):"
    assert error_summary(UDF.partition("ZeroDivisionError")[0]).startswith("Job aborted due to stage failure")


def test_other_messages_are_summed_up_by_their_first_line() -> None:
    assert error_summary("\n  Path does not exist: /x  \n  at line 1") == "Path does not exist: /x  "
    assert error_summary("") == ""
