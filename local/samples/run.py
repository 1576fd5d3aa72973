"""Sends each sample through its function, in a runtime of AWS, against a fresh embedded stack."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from headwater.cli.machine.failure import Failure
from headwater.cli.machine.ports import free_port
from headwater.cli.machine.progress import Say
from local.deploy.api_key import register_api_key
from local.layout import Layout
from local.samples.emulated_runtime import EmulatedFunction, emulated, invoke
from local.samples.forwarder import forwarded, gateway
from local.samples.sam_local import sam_local, write_template
from local.samples.sam_template import logical_name
from local.samples.sample import outcomes
from local.stack.lifecycle import Stack, StackOptions, run_stack

KEY = "sample-key-of-the-shop"
"""The key of the samples' requests."""
NAME = "rie-run"
COLD_SECONDS = 120
"""The time in which the first container of a function starts."""


def run_in_runtime(layout: Layout, say: Say) -> None:
    """Use the runtime interface emulator, and print a line for each sample. Raises Failure if a function failed."""
    with fresh_stack(layout, say) as (functions, endpoint, log), ExitStack() as running:
        urls = {
            name: running.enter_context(emulated(layout, function, endpoint, log))
            for name, function in functions.items()
        }
        send_all(layout, say, functions, urls, log)


def run_in_containers(layout: Layout, say: Say) -> None:
    """Use containers of `sam local`, and print a line for each sample. Raises Failure if a function failed."""
    address = gateway()
    with (
        fresh_stack(layout, say) as (functions, endpoint, log),
        forwarded(endpoint, address) as reachable,
        sam_local(layout, functions, reachable, log) as url,
    ):
        say("the first invocation of each function starts its container")
        urls = {name: f"{url}/{logical_name(name)}/invocations" for name in functions}
        send_all(layout, say, functions, urls, log)


def for_sam_local(layout: Layout, say: Say) -> Callable[[Stack], AbstractContextManager[None]]:
    """What lets `sam local invoke` into a stack: a template in .local, and a way for containers to the emulator."""

    @contextmanager
    def companion(stack: Stack) -> Iterator[None]:
        with forwarded(stack.deployment.account.endpoint, gateway()) as reachable:
            template = write_template(layout, deployed_functions(stack), reachable).relative_to(layout.root)
            command = f"sam local invoke IngestFunction --template {template} --event events/ingest/run-event.json"
            say(f"sam   .local/sam/bin/{command}")
            yield

    return companion


@contextmanager
def fresh_stack(layout: Layout, say: Say) -> Iterator[tuple[dict[str, EmulatedFunction], str, Path]]:
    """The functions of a fresh stack, its endpoint of AWS, and the log for the runtimes."""
    parameters = {"CatalogSync": "ON", "CatalogWindowSeconds": "1"}
    with run_stack(StackOptions(layout, NAME, free_port(), parameters=parameters), say) as stack:
        register_api_key(stack.deployment, KEY)
        yield deployed_functions(stack), stack.deployment.account.endpoint, layout.run(NAME) / "runtime.log"


def send_all(
    layout: Layout, say: Say, functions: dict[str, EmulatedFunction], urls: Mapping[str, str], log: Path
) -> None:
    def send(name: str, event: bytes) -> Any:
        return invoke(urls[name], event, functions[name].timeout + COLD_SECONDS)

    sent = []
    for each in outcomes(layout.root / "events", send):
        say(str(each))
        sent.append(each)
    require_all(functions, sent, log)


def require_all(functions: dict[str, EmulatedFunction], sent: list[Any], log: Path) -> None:
    """Raises Failure if a sample failed, or if a function had none."""
    failed = [each.sample.file for each in sent if each.is_fault]
    if failed:
        raise Failure(f"{len(failed)} of {len(sent)} samples failed: {', '.join(failed)}", f"read {log}")
    without = functions.keys() - {each.sample.function for each in sent}
    if without:
        raise Failure(f"no sample was sent to {', '.join(sorted(without))}", "add a row to events/README.md")


def deployed_functions(stack: Stack) -> dict[str, EmulatedFunction]:
    """The functions of a stack by their folders, with the variables that the template gives them."""
    client: Any = stack.deployment.account.client("lambda")
    found: dict[str, EmulatedFunction] = {}
    for name in stack.deployment.resources["AWS::Lambda::Function"]:
        configuration = client.get_function_configuration(FunctionName=name)
        variables = configuration["Environment"]["Variables"]
        folder = variables["POWERTOOLS_SERVICE_NAME"]
        found[folder] = EmulatedFunction(folder, variables, configuration["Timeout"])
    return found
