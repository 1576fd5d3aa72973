"""`make up` and `make down`: the embedded stack until it is told to stop."""

import json
import os
import signal
import time

from local.api import Api
from local.failure import Failure
from local.instance import write_private
from local.layout import Layout
from local.lock import holding, is_free
from local.stack import Stack, StackOptions, stack

DOWN_SECONDS = 60


def up(options: StackOptions) -> None:
    """Run the stack until Ctrl-C, SIGTERM or `make down`."""
    layout = options.layout
    with holding(layout.up_lock, "`make down` stops it"), stack(options, say) as running:
        write_private(layout.endpoint, json.dumps({"url": running.url, "key": running.key}) + "\n")
        try:
            tell(running, options)
            wait(running, layout)
        except KeyboardInterrupt:
            say("stopping")
        finally:
            layout.endpoint.unlink(missing_ok=True)


def say(text: str) -> None:
    print(text, flush=True)


def tell(running: Stack, options: StackOptions) -> None:
    layout = options.layout
    kept = f"kept in {options.data}" if options.data else "it starts empty, and forgets unless DATA=dir is given"
    say(f"\nup at {running.url}; {kept}")
    say(f"key   {running.key}{' (nobody has to send it: OPEN=1)' if options.is_open else ''}")
    say(f"both are in {layout.endpoint.relative_to(layout.root)}; stop with Ctrl-C or `make down`")
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
