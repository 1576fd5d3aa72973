"""`make up ALERTS=...` accepts a URL or a queue of the emulator, and refuses any other text before the stack starts."""

import pytest

from headwater.cli.machine.failure import Failure
from local.alerts.subscriber import AlertSubscriber


@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/hook", "https://example.com/x?y=1", "http://localhost:9000"])
def test_a_url_is_posted_to(url: str) -> None:
    assert AlertSubscriber.parse(url) == AlertSubscriber(webhook=url)


@pytest.mark.parametrize(
    "queue", ["arn:aws:sqs:us-east-1:000000000000:mine", "http://localhost:4566/000000000000/mine"]
)
def test_a_queue_is_subscribed(queue: str) -> None:
    assert AlertSubscriber.parse(queue) == AlertSubscriber(queue="mine")


@pytest.mark.parametrize("nothing", [None, ""])
def test_a_subscriber_is_optional(nothing: str | None) -> None:
    assert AlertSubscriber.parse(nothing) == AlertSubscriber()


@pytest.mark.parametrize("neither", ["mine", "arn:aws:sns:us-east-1:000000000000:mine", "ftp://example.com/"])
def test_another_text_is_refused_with_the_accepted_forms(neither: str) -> None:
    with pytest.raises(Failure, match=r"try ALERTS=http://127.0.0.1:9000/hook"):
        AlertSubscriber.parse(neither)
