"""`make up`: the embedded stack until Ctrl-C or `make down`."""

import json
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.private_file import write_private
from headwater.cli.machine.progress import say
from local.alerts.datadog import EVENTS
from local.alerts.printing import print_alerts
from local.alerts.queue import AlertQueue, subscribe
from local.alerts.subscriber import AlertSubscriber
from local.layout import Layout
from local.stack.lifecycle import Stack, StackOptions, run_stack
from local.stack.lock import hold_lock

PRINTED_QUEUE = "headwater-told-alerts"


Companion = Callable[[Stack], AbstractContextManager[object]]
"""What runs beside a stack, for as long as the stack runs."""


def up(options: StackOptions, alerts_to: str | None = None, companion: Companion = nullcontext) -> None:
    """Run the stack until Ctrl-C, SIGTERM or `make down`. Alerts are printed, and sent to `alerts_to`."""
    layout, subscriber = options.layout, AlertSubscriber.parse(alerts_to)
    with hold_lock(layout.up_lock, "`make down` stops it"), run_stack(options, say) as stack, companion(stack):
        write_private(layout.endpoint, json.dumps(endpoint(stack)) + "\n")
        try:
            print_addresses(stack, options)
            with print_alerts(subscribe_all(stack, subscriber), say, subscriber.webhook):
                wait_for_end(stack, layout)
        except KeyboardInterrupt:
            say("stopping")
        finally:
            layout.endpoint.unlink(missing_ok=True)


def endpoint(stack: Stack) -> dict[str, str]:
    """Return the addresses of the stack, as programs read them from `.local/endpoint.json`."""
    deployment = stack.deployment
    alerts = {"aws": deployment.account.endpoint, "alertTopic": deployment.outputs["AlertTopicArn"]}
    return {"url": stack.url, "key": stack.key, "datadog": str(stack.datadog.folder / EVENTS)} | alerts


def subscribe_all(stack: Stack, subscriber: AlertSubscriber) -> AlertQueue:
    """Subscribe the queue of printed alerts, which is returned, and the user's queue if there is one."""
    account, topic = stack.deployment.account, stack.deployment.outputs["AlertTopicArn"]
    if subscriber.queue:
        say(f"alerts also go to the queue {subscribe(account, topic, subscriber.queue).url}")
    if subscriber.webhook:
        say(f"alerts are also posted to {subscriber.webhook}")
    return subscribe(account, topic, PRINTED_QUEUE)


def print_addresses(stack: Stack, options: StackOptions) -> None:
    layout = options.layout
    data = f"kept in {options.data}" if options.data else "empty, and lost at the end unless DATA=dir is set"
    say(f"\nup at {stack.url}; {data}")
    say(f"key   {stack.key}{' (optional: OPEN=1)' if options.is_open else ''}")
    say(f"page  {stack.url}/")
    say(f"URL and key are in {layout.endpoint.relative_to(layout.root)}; stop with Ctrl-C or `make down`")
    datadog = (stack.datadog.folder / EVENTS).relative_to(layout.root)
    say(f"alerts are printed here, and {datadog} has Datadog's copies; AWS is at {endpoint(stack)['aws']}")
    say(f"try   {stack.api.curl('namespaces', limit=10)}")


def wait_for_end(stack: Stack, layout: Layout) -> None:
    """Wait for the end. Raises Failure if the emulator ends by itself, KeyboardInterrupt on a signal."""
    while not stack.emulator.has_ended():
        time.sleep(0.5)
    log = layout.run("up") / "emulator.log"
    raise Failure("the emulator ended by itself", f"read {log}; data in DATA= is as it was saved a few seconds before")
