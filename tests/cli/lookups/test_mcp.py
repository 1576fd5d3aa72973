"""`headwater mcp`: the tools as the SDK's own client sees them, in this process and over stdio."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent

from headwater.cli.api import Api
from headwater.cli.failure import UNREACHABLE, CommandFailure
from headwater.cli.mcp.tools import server_over
from tests.cli.lookups.conftest import HOSTILE, Headwater
from tests.cli.lookups.server import KEY, WRITER
from tests.serve.process import ENVIRONMENT

TOOLS = {"search", "lineage", "columns", "impact", "why", "diff", "runs"}
Ask = Callable[..., tuple[str, bool]]
"""Calls a tool. Returns its text, and whether it is an error."""


async def answer_of(client: Client, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    result = await client.call_tool(tool, arguments)
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text, bool(result.is_error)


def over(api_of: Callable[[], Api]) -> Ask:
    def ask(tool: str, **arguments: Any) -> tuple[str, bool]:
        async def asked() -> tuple[str, bool]:
            async with Client(server_over(api_of)) as client:
                return await answer_of(client, tool, arguments)

        return asyncio.run(asked())

    return ask


@pytest.fixture
def ask(url: str) -> Ask:
    return over(lambda: Api(url, KEY))


def in_a_process(url: str, task: Callable[[Client], Awaitable[Any]]) -> Any:
    """What a task with a client gets from `headwater mcp`."""
    named = {**ENVIRONMENT, "HEADWATER_URL": url, "HEADWATER_API_KEY": KEY}
    server = StdioServerParameters(command=sys.executable, args=["-m", "headwater.cli", "mcp"], env=named)

    async def done() -> Any:
        async with Client(server) as client:
            return await task(client)

    return asyncio.run(done())


def test_over_stdio_there_are_the_tools_with_typed_parameters(url: str) -> None:
    async def listed(client: Client) -> tuple[Any, str]:
        text, _ = await answer_of(client, "lineage", {"name": "orders_daily", "direction": "upstream"})
        return (await client.list_tools()).tools, text

    tools, text = in_a_process(url, listed)
    assert {tool.name for tool in tools} == TOOLS
    for tool in tools:
        assert tool.annotations.read_only_hint
        assert tool.output_schema is None
        assert len(tool.description) > 50
        assert all("description" in each for each in tool.input_schema["properties"].values()), tool.name
    assert text.startswith("upstream of orders_daily: 3 jobs, 4 datasets\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "orders_daily", "direction": "upstream"}, "lineage orders_daily --up"),
        ({"name": "orders_daily", "at": "2026-11-20T08:01:30Z"}, "lineage orders_daily --at 2026-11-20T08:01:30Z"),
        ({"name": "orders_daily", "depth": 0}, "lineage orders_daily --depth 0"),
        ({"name": "orders_daily"}, "columns orders_daily"),
        ({"name": "orders_clean", "column": "price", "direction": "downstream"}, "columns orders_clean price --down"),
        ({"name": "orders_clean", "column": "price"}, "impact orders_clean price"),
        ({"name": "orders_daily", "whole": True}, "why orders_daily"),
        (
            {"since": "2026-11-20T08:01:30Z", "at": "2026-11-20T09:00Z", "name": "orders_daily"},
            "diff orders_daily --since 2026-11-20T08:01:30Z --at 2026-11-20T09:00Z",
        ),
        (
            {"since": "2026-11-20T08:01:30Z", "at": "2026-11-20T09:00Z", "namespace": "demo"},
            "diff --namespace demo --since 2026-11-20T08:01:30Z --at 2026-11-20T09:00Z",
        ),
        ({"limit": 2}, "runs --limit 2"),
        ({"job": "clean"}, "runs clean"),
        ({"job": "clean", "failed": True}, "runs clean --failed"),
        ({"failed": True}, "runs --failed"),
    ],
)
def test_a_tool_answers_as_the_command_does(
    ask: Ask, headwater: Headwater, arguments: dict[str, Any], words: str
) -> None:
    printed = headwater(*words.split())
    assert printed.status == 0
    assert ask(words.partition(" ")[0], **arguments) == ((printed.out + printed.err).rstrip("\n"), False)


def test_a_name_of_several_nodes_is_answered_with_their_node_ids(ask: Ask) -> None:
    text, is_error = ask("why", name="customers")
    assert not is_error
    what, *nodes = text.splitlines()
    assert what == "2 nodes are called customers; ask for one of them:"
    assert sorted(nodes) == ["dataset:postgres://db:5432:public.customers", "dataset:s3://lake warehouse:crm/customers"]
    assert not ask("why", name=nodes[0])[1]


def test_a_name_with_a_fault_is_answered_with_what_is_near(ask: Ask) -> None:
    text, is_error = ask("impact", name="ordres_daily")
    assert not is_error
    assert text.splitlines()[1] == "dataset:s3://lake warehouse:orders_daily"


def test_search_lists_node_ids(ask: Ask) -> None:
    text, _ = ask("search", text="orders", kind="dataset")
    assert text.splitlines()[0] == "dataset:s3://lake warehouse:orders_clean  updated 2026-11-20 08:02Z"
    assert "job:" not in text
    assert ask("search", text="orders", limit=1)[0].splitlines()[1] == "and 3 more"
    assert ask("search", text="orders", namespace="nowhere") == ("no dataset or job has orders in its name", False)
    assert HOSTILE not in ask("search", text="evil")[0]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("lineage", {"name": "zzz"}, "no dataset or job is called zzz"),
        ("columns", {"name": "orders_daily", "column": "totl"}, "has no column totl\nnext: its columns are"),
        ("lineage", {"name": "orders_daily", "at": "someday"}, "'someday' is not a time such as 2026-11-20"),
        ("lineage", {"name": "orders_daily", "direction": "sideways"}, "Input should be 'upstream' or 'downstream'"),
        ("lineage", {"name": "orders_daily", "depth": -1}, "greater than or equal to 0"),
        ("lineage", {}, "Field required"),
    ],
)
def test_an_error_is_told_in_words(ask: Ask, tool: str, arguments: dict[str, Any], said: str) -> None:
    text, is_error = ask(tool, **arguments)
    assert is_error
    assert said in text


def test_a_server_that_is_not_asked_in_vain_says_what_to_do(url: str) -> None:
    def nowhere() -> Api:
        raise CommandFailure("no API is named", "run `make up`", status=UNREACHABLE)

    for tool in TOOLS:
        arguments = {"search": {"text": "x"}, "runs": {}}.get(tool, {"name": "x"})
        text, is_error = over(nowhere)(tool, **arguments)
        assert is_error
        assert text.endswith("no API is named\nnext: run `make up`")
    assert "the scope read" in over(lambda: Api(url, WRITER))("search", text="x")[0]
