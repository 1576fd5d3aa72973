"""The demo shows the alerts of a drift, and fails if no alert came or the stand-in for Datadog has others."""

import json
from pathlib import Path
from typing import Any, cast

import pytest

from headwater.cli.machine.failure import Failure
from local.alerts.datadog import EVENTS, Datadog
from local.alerts.queue import AlertQueue, SentAlert
from local.demo import schema_drift
from local.demo.schema_drift import SCHEMA_CHANGED, check_datadog, print_alerts, wait_for_alert
from tests.alert_samples import schema_changed


class Batches:
    """A queue that has these batches of alerts, one a time, and then none."""

    def __init__(self, *batches: list[SentAlert]) -> None:
        self.batches = list(batches)

    def receive(self, seconds: int) -> list[SentAlert]:
        return self.batches.pop(0) if self.batches else []


def alert(kind: str, **changes: Any) -> SentAlert:
    detail = schema_changed("a" * 32, **changes)
    message = {"alert": kind, "severity": "critical", "title": detail["title"], "explanation": detail["lines"]}
    return SentAlert("", message | {"detail": detail})


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_drift, "SECONDS", 0.2)


def test_alerts_are_waited_for_until_it_is_quiet_after_the_one_that_matters() -> None:
    other, first, last = alert("Run Failed"), alert(SCHEMA_CHANGED), alert(SCHEMA_CHANGED, title="another")
    queue = Batches([other], [], [first], [last], [], [alert("Run Failed")])
    assert wait_for_alert(cast(AlertQueue, queue), SCHEMA_CHANGED) == [other, first, last]


def test_a_missing_alert_is_a_failure_that_names_the_logs() -> None:
    with pytest.raises(Failure, match=r"alerts\.log"):
        wait_for_alert(cast(AlertQueue, Batches([alert("Run Failed")])), SCHEMA_CHANGED)


def test_an_alert_is_shown_with_what_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    print_alerts([alert(SCHEMA_CHANGED)])
    shown = capsys.readouterr().out
    assert 'CRITICAL: orders lost "unit_price"' in shown
    assert "2 columns of revenue_daily are made of it." in shown


@pytest.mark.parametrize("titles", [["b", "a"], ["a"], ["a", "b", "b"]])
def test_datadog_must_have_the_same_alerts(tmp_path: Path, titles: list[str]) -> None:
    (tmp_path / EVENTS).write_text("".join(json.dumps({"title": title}) + "\n" for title in titles))
    datadog = Datadog("", "", tmp_path)
    alerts = [alert(SCHEMA_CHANGED, title=title) for title in ("a", "b")]
    if sorted(titles) == ["a", "b"]:
        check_datadog(datadog, alerts)
    else:
        with pytest.raises(Failure, match="did not get the same alerts"):
            check_datadog(datadog, alerts)
