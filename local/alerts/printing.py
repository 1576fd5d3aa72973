"""Prints the alerts of a stack while it runs, and posts them to a webhook."""

import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

from headwater.cli.machine.progress import Say
from local.alerts.queue import AlertQueue, SentAlert

POLL_SECONDS = 1
WEBHOOK_SECONDS = 5


@contextmanager
def print_alerts(queue: AlertQueue, say: Say, webhook: str | None = None) -> Iterator[None]:
    """Print each alert of the queue, and post it to the webhook if there is one, for the length of a `with` block."""
    stop = threading.Event()

    def poll() -> None:
        while not stop.is_set():
            try:
                alerts = queue.receive(POLL_SECONDS)
            except (BotoCoreError, ClientError):
                return  # the emulator has stopped
            for alert in alerts:
                say("\n" + "\n".join(alert.lines()))
                if webhook:
                    post(webhook, alert, say)

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def post(webhook: str, alert: SentAlert, say: Say) -> None:
    """Post an alert like SNS with raw delivery, but without the request that confirms a subscription."""
    headers = {"Content-Type": "text/plain; charset=UTF-8", "x-amz-sns-message-type": "Notification"}
    headers["x-amz-sns-rawdelivery"] = "true"
    request = urllib.request.Request(webhook, alert.body.encode(), headers)  # noqa: S310 - the user's own URL
    try:
        with urllib.request.urlopen(request, timeout=WEBHOOK_SECONDS):  # noqa: S310
            pass
    except OSError as error:
        say(f"  {webhook} did not take it: {error}")
