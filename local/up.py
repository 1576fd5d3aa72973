"""`make up` and `make down`: the embedded stack until it is told to stop."""

import json
import os
import signal
import time

from local.alert_subscriber import AlertSubscriber
from local.alerts import AlertQueue, subscribe, telling
from local.api import Api
from local.datadog import EVENTS
from local.failure import Failure
from local.instance import write_private
from local.layout import Layout
from local.lock import holding, is_free
from local.stack import Stack, StackOptions, stack

DOWN_SECONDS = 60
TOLD_QUEUE = "headwater-told-alerts"


def up(options: StackOptions, alerts_to: str | None = None) -> None:
    """Run the stack until Ctrl-C, SIGTERM or `make down`, telling each alert, here and where else it is wanted."""
    layout, subscriber = options.layout, AlertSubscriber.named(alerts_to)
    with holding(layout.up_lock, "`make down` stops it"), stack(options, say) as running:
        write_private(layout.endpoint, json.dumps(endpoint(running)) + "\n")
        try:
            tell(running, options)
            with telling(alerts(running, subscriber), say, subscriber.hook):
                wait(running, layout)
        except KeyboardInterrupt:
            say("stopping")
        finally:
            layout.endpoint.unlink(missing_ok=True)


def endpoint(running: Stack) -> dict[str, str]:
    """Return where the stack is, for programs."""
    deployment = running.deployment
    of_alerts = {"aws": deployment.account.endpoint, "alertTopic": deployment.outputs["AlertTopicArn"]}
    return {"url": running.url, "key": running.key, "datadog": str(running.datadog.folder / EVENTS)} | of_alerts


def alerts(running: Stack, subscriber: AlertSubscriber) -> AlertQueue:
    """Subscribe the queue whose alerts are told, and the user's own if one is named."""
    account, topic = running.deployment.account, running.deployment.outputs["AlertTopicArn"]
    if subscriber.queue:
        say(f"alerts also go to the queue {subscribe(account, topic, subscriber.queue).url}")
    if subscriber.hook:
        say(f"alerts are also posted to {subscriber.hook}")
    return subscribe(account, topic, TOLD_QUEUE)


def say(text: str) -> None:
    print(text, flush=True)


def tell(running: Stack, options: StackOptions) -> None:
    layout = options.layout
    kept = f"kept in {options.data}" if options.data else "it starts empty, and forgets unless DATA=dir is given"
    say(f"\nup at {running.url}; {kept}")
    say(f"key   {running.key}{' (nobody has to send it: OPEN=1)' if options.is_open else ''}")
    say(f"both are in {layout.endpoint.relative_to(layout.root)}; stop with Ctrl-C or `make down`")
    datadog = (running.datadog.folder / EVENTS).relative_to(layout.root)
    say(f"alerts are told here, and are in {datadog} as Datadog got them; AWS is at {endpoint(running)['aws']}")
    say(f"try   {Api(running.url, running.key, layout.run('up')).curl('/api/v1/namespaces', limit=10)}")


def wait(running: Stack, layout: Layout) -> None:
    while not running.emulator.has_ended():
        time.sleep(0.5)
    raise Failure("the emulator ended by itself", f"read {layout.run('up') / 'emulator.log'}")


def down(layout: Layout) -> None:
    """Stop the stack that `up` runs from this folder, and wait until it is gone."""
    deadline = time.monotonic() + DOWN_SECONDS
    layout.state.mkdir(exist_ok=True)
    with layout.up_lock.open("a+", encoding="utf-8") as lock:
        if is_free(lock):
            lock.truncate(0)
            say("nothing is up")
            return
        lock.seek(0)
        os.kill(int(lock.read()), signal.SIGTERM)
        while time.monotonic() < deadline:
            if is_free(lock):
                say("the stack is down")
                return
            time.sleep(0.1)
    process = layout.up_lock.read_text(encoding="utf-8")
    raise Failure(f"the stack did not stop within {DOWN_SECONDS} s", f"end process {process} yourself")
