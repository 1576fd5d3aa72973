"""An alert is printed as lines for a person, and posted as it came."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any, cast

from local.alerts.printing import post, print_alerts
from local.alerts.queue import AlertQueue, SentAlert
from tests.alert_samples import schema_changed

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


@contextmanager
def webhook(status: int = 200) -> Iterator[tuple[str, list[bytes]]]:
    posted: list[bytes] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/webhook", posted
        finally:
            server.shutdown()


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
    with webhook() as (url, posted), print_alerts(cast(AlertQueue, OneAlert()), printed.append, url):
        while not posted:
            pass
    assert printed == ["\n" + "\n".join(ALERT.lines())]
    assert [json.loads(body) for body in posted] == [MESSAGE]


def test_a_hook_that_refuses_an_alert_is_printed() -> None:
    printed: list[str] = []
    with webhook(status=500) as (url, _):
        post(url, ALERT, printed.append)
    assert "did not take it: HTTP Error 500" in printed[0]
    post(url, ALERT, printed.append)
    assert "Connection refused" in printed[1]
