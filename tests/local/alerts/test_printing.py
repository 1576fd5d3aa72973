"""An alert is printed as lines for a person, and posted as it came."""

import json
from typing import Any, cast

from local.alerts.printing import post, print_alerts
from local.alerts.queue import AlertQueue, SentAlert
from tests.alert_samples import schema_changed
from tests.upstream import Upstream, serving

DETAIL = schema_changed("a" * 32)
MESSAGE: dict[str, Any] = {
    "severity": "critical",
    "title": DETAIL["title"],
    "explanation": DETAIL["lines"],
    "detail": DETAIL,
}
ALERT = SentAlert(json.dumps(MESSAGE), MESSAGE)


class OneAlert:
    """A queue that has one alert, then none."""

    def __init__(self) -> None:
        self.left = [ALERT]

    def receive(self, seconds: int) -> list[SentAlert]:
        left, self.left = self.left, []
        return left


def test_a_person_reads_severity_title_sentences_and_where_to_look() -> None:
    assert list(ALERT.lines()) == [
        'CRITICAL: orders lost "unit_price"',
        '  Column "unit_price" is gone.',
        "  2 columns of revenue_daily are made of it.",
        f"  see {DETAIL['link']}",
    ]


def test_without_a_link_none_is_named() -> None:
    message = MESSAGE | {"detail": DETAIL | {"link": None}}
    assert not any("see" in line for line in SentAlert("", message).lines())


def test_alerts_are_printed_and_posted_as_they_come() -> None:
    printed: list[str] = []
    with serving(Upstream()) as hook, print_alerts(cast(AlertQueue, OneAlert()), printed.append, hook.url):
        while not hook.seen:
            pass
    assert printed == ["\n" + "\n".join(ALERT.lines())]
    assert [json.loads(request.body) for request in hook.seen] == [MESSAGE]


def test_a_hook_that_refuses_an_alert_is_printed() -> None:
    printed: list[str] = []
    with serving(Upstream(status=500)) as hook:
        post(hook.url, ALERT, printed.append)
    assert "did not take it: HTTP Error 500" in printed[0]
    post(hook.url, ALERT, printed.append)
    assert "Connection refused" in printed[1]
