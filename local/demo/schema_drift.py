"""Shows the alerts of a schema change in the demo: at a subscriber of the SNS topic, and at Datadog."""

import time

from headwater.cli.machine.failure import Failure
from local.alerts.datadog import Datadog
from local.alerts.queue import AlertQueue, SentAlert

SCHEMA_CHANGED = "Dataset Schema Changed"
SECONDS = 30
QUIET_SECONDS = 2


def wait_for_alert(queue: AlertQueue, detail_type: str) -> list[SentAlert]:
    """Return the alerts up to one of this type and a pause of two seconds after it. Raises Failure."""
    alerts: list[SentAlert] = []
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        more = queue.receive(QUIET_SECONDS)
        if not more and any(alert.message["alert"] == detail_type for alert in alerts):
            return alerts
        alerts += more
    raise Failure(f"no alert {detail_type!r} came within {SECONDS} s", "see alerts.log and emulator.log in .local/demo")


def print_alerts(alerts: list[SentAlert]) -> None:
    print("\nalerts, as a subscriber of the SNS topic gets them:")
    for alert in alerts:
        print("\n".join(f"  {line}" for line in alert.lines()))


def check_datadog(datadog: Datadog, alerts: list[SentAlert]) -> None:
    """Wait until Datadog has the same alerts. Raises Failure if it does not get them."""
    deadline, wanted = time.monotonic() + SECONDS, sorted(alert.detail["title"] for alert in alerts)
    while sorted(event["title"] for event in datadog.events()) != wanted:
        if time.monotonic() > deadline:
            problem = "the stand-in for Datadog did not get the same alerts"
            raise Failure(problem, f"compare {datadog.folder}/datadog.jsonl")
        time.sleep(0.1)
    print(f"\nthe stand-in for Datadog received the same alerts: {len(wanted)} of {len(wanted)}")
