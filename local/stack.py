"""The whole embedded stack: emulator, deployment, key and front, up for the length of a `with` block."""

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from local.access import admit
from local.api import Api
from local.datadog import Datadog, datadog
from local.deployment import Deployment, Wanted, deploy
from local.emulator import Emulator, EmulatorOptions, emulator
from local.failure import Failure
from local.front import front
from local.function_logs import save_logs
from local.instance import Instance
from local.layout import Layout
from local.lock import holding
from local.proxy import Target

Say = Callable[[str], None]

IN_USE = "in-use.pid"


@dataclass(frozen=True)
class StackOptions:
    """`name` is the folder under .local for logs, `data` keeps the state over restarts, `iam` enforces the roles;
    `is_open` lets in who sends no key; `parameters` are those of the template that are not to have their default."""

    layout: Layout
    name: str
    port: int
    data: Path | None = None
    iam: bool = False
    is_open: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stack:
    """A stack that is up: where its API is, the key for it, and what is behind it."""

    url: str
    key: str
    deployment: Deployment
    emulator: Emulator
    datadog: Datadog


@contextmanager
def stack(options: StackOptions, say: Say) -> Iterator[Stack]:
    """Bring the stack up, telling each step; the public port is taken first, since that is what fails most."""
    with listening(options.port) as listener, data_to_itself(options.data):
        instance = Instance.kept_in(options.data, iam=options.iam)
        folder = fresh_folder(options)
        say(f"starting the emulator (logs: {folder.relative_to(options.layout.root)})")
        wanted = EmulatorOptions(folder, instance.port, options.data, options.iam)
        with datadog(folder, say) as standing_in, emulator(wanted) as running:
            say("deploying template.yaml")
            url = f"http://127.0.0.1:{options.port}"
            deployment = deploy(
                Wanted(options.layout, url, options.iam, standing_in, options.parameters), running.account, say
            )
            admit(deployment, instance.key)
            say("made by API call: a key for this stack, in the secret of the API keys")
            try:
                key = instance.key if options.is_open else None
                with front(listener, Target(deployment.api_url, running.account.trust, key=key)):
                    Api(url, instance.key, folder).get("/api/v1/namespaces", limit=1)
                    yield Stack(url, instance.key, deployment, running, standing_in)
            finally:
                save_logs(deployment, folder)


def data_to_itself(data: Path | None) -> AbstractContextManager[None]:
    """Keep other stacks away from a data folder: each would write its own state over the other's."""
    return holding(data / IN_USE, "`make down` if that is the stack that `make up` runs") if data else nullcontext()


def fresh_folder(options: StackOptions) -> Path:
    """Return the folder for this run's logs, without those of the last."""
    folder = options.layout.run(options.name)
    for log in folder.glob("*.log"):
        log.unlink()
    return folder


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    try:
        listener = socket.create_server(("127.0.0.1", port), backlog=128)
    except OSError as error:
        reason = f"port {port} is taken: {os.strerror(error.errno or 0)}"
        raise Failure(reason, "`make down` if that is a stack of this folder, or choose another with PORT=") from error
    with listener:
        yield listener
