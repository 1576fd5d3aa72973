"""The embedded stack from start to stop: emulator, deployment, API key and front."""

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from headwater.cli.api import Api
from headwater.cli.machine.failure import Failure
from headwater.cli.machine.progress import Say
from local.alerts.datadog import Datadog, run_datadog
from local.deploy.api_key import register_api_key
from local.deploy.deployment import Deployment, DeploymentOptions, deploy
from local.emulator.front import run_front
from local.emulator.ministack import Emulator, run_emulator
from local.emulator.options import EmulatorOptions
from local.emulator.proxy import ProxyTarget
from local.layout import Layout
from local.stack.function_logs import save_logs
from local.stack.instance import Instance
from local.stack.lock import hold_lock

IN_USE = "in-use.pid"


@dataclass(frozen=True)
class StackOptions:
    """`name` is the folder below .local for logs, `data` the folder that keeps the state over restarts.

    `iam` enforces the roles, `is_open` accepts requests without a key, `parameters` override defaults of the template.
    """

    layout: Layout
    name: str
    port: int
    data: Path | None = None
    iam: bool = False
    is_open: bool = False
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stack:
    """A running stack: its API with the public URL and a key, and the parts behind it."""

    api: Api
    deployment: Deployment
    emulator: Emulator
    datadog: Datadog

    @property
    def url(self) -> str:
        return self.api.url

    @property
    def key(self) -> str:
        return self.api.key


@contextmanager
def run_stack(options: StackOptions, say: Say) -> Iterator[Stack]:
    """Run the stack for the length of a `with` block, printing each step. Raises Failure.

    The public port is bound before the emulator starts: a taken port is the most common fault.
    """
    with listening(options.port) as listener, exclusive_use(options.data):
        instance = Instance.load_or_create(options.data, iam=options.iam)
        folder = log_folder(options)
        url = f"http://127.0.0.1:{options.port}"
        say(f"starting the emulator (logs: {folder.relative_to(options.layout.root)})")
        emulator_options = EmulatorOptions(folder, instance.port, options.data, options.iam)
        with run_datadog(folder, say) as datadog, run_emulator(emulator_options) as emulator:
            say("deploying template.yaml")
            deployment = deploy(deployment_options(options, url, datadog), emulator.account, say)
            register_api_key(deployment, instance.key)
            say("put an API key for this stack into the secret of the API keys")
            if options.data:
                emulator.keep_saving()
            target = front_target(deployment, instance.key if options.is_open else None)
            try:
                with run_front(listener, target):
                    api = Api(url, instance.key)
                    require_answer(api, folder)
                    yield Stack(api, deployment, emulator, datadog)
            finally:
                save_logs(deployment, folder)


def require_answer(api: Api, logs: Path) -> None:
    """Raise Failure if the API does not answer."""
    response = api.get("namespaces", limit=1)
    if not response.status:
        raise Failure(f"{api.url} had no answer: {response.text}", f"see emulator.log in {logs}")
    if response.status != 200:
        raise Failure(f"{api.url} answered {response.status}: {response.text[:500]}", f"see lookup.log in {logs}")


def deployment_options(options: StackOptions, url: str, datadog: Datadog) -> DeploymentOptions:
    return DeploymentOptions(options.layout, url, options.iam, datadog, options.parameters)


def front_target(deployment: Deployment, key: str | None) -> ProxyTarget:
    """Return the deployed API as the front's target; requests without a key get `key`, if there is one."""
    return ProxyTarget(deployment.api_url, deployment.account.trust, key=key)


def exclusive_use(data: Path | None) -> AbstractContextManager[None]:
    """Lock the data folder, if there is one: two stacks would overwrite each other's state. Raises Failure."""
    if data:
        require_folder(data)
    next_step = "`make down` if that is the stack that `make up` runs"
    return hold_lock(data / IN_USE, next_step) if data else nullcontext()


def require_folder(data: Path) -> None:
    """Create a data folder that does not exist. Raises Failure if there cannot be such a folder."""
    try:
        data.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"{data} cannot keep the stack's data: {os.strerror(error.errno or 0)}"
        raise Failure(reason, "name a folder, which is created if it does not exist: make up DATA=FOLDER") from error


def log_folder(options: StackOptions) -> Path:
    """Return the folder for the logs, cleared of the last run's."""
    folder = options.layout.run(options.name)
    for log in folder.glob("*.log"):
        log.unlink()
    return folder


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """Yield a socket that is bound to a port of the loopback interface. Raises Failure if the port is taken."""
    try:
        listener = socket.create_server(("127.0.0.1", port), backlog=128)
    except OSError as error:
        reason = f"port {port} is taken: {os.strerror(error.errno or 0)}"
        raise Failure(reason, "`make down` if that is a stack of this folder, or choose another with PORT=") from error
    with listener:
        yield listener
