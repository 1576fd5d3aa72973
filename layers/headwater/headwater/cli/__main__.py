"""The command `headwater`: each of its commands is a module, imported when it is called."""

import difflib
import importlib
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

COMPLETION, SHELLS = "--print-completion", ("bash", "zsh", "fish")
LOOKUPS = "headwater.cli.lookups.__main__"
"""The module of the commands that ask the graph."""


class Extra(NamedTuple):
    """What `pip install 'headwater[NAME]'` installs, without which a command can only print its options."""

    name: str
    module: str


SERVE, SPARK, MCP = Extra("serve", "uvicorn"), Extra("spark", "pyspark"), Extra("mcp", "mcp")


class Command(NamedTuple):
    module: str
    usage: str
    does: str
    needs: Extra | None = None


GROUPS = {
    "Look at the graph": {
        "search": Command(LOOKUPS, "TEXT", "finds datasets and jobs by part of a name"),
        "show": Command(LOOKUPS, "TABLE", "shows a table: columns, owners, writers, last write, alerts"),
        "lineage": Command(LOOKUPS, "NAME [--up|--down]", "shows what a table is made of, and what is made of it"),
        "columns": Command(LOOKUPS, "NAME [COLUMN]", "shows where each column comes from"),
        "open": Command("headwater.cli.open", "[NAME]", "opens the web page, at the lineage of a table"),
        "mcp": Command("headwater.cli.mcp.__main__", "[--url URL]", "offers the lookups to coding assistants", MCP),
    },
    "Ask why, and what if": {
        "why": Command(LOOKUPS, "NAME", "shows what may explain a wrong number"),
        "impact": Command(LOOKUPS, "NAME [COLUMN]", "shows what a change would break, by owner"),
        "diff": Command(LOOKUPS, "[NAME] [--since TIME]", "shows what changed since a time, of a table or everywhere"),
        "ci": Command(
            "headwater.cli.ci.__main__", "BEFORE AFTER [--url URL]", "shows what a code change does to lineage"
        ),
        "replay": Command(
            "headwater.cli.replay", "PATH|URL... [--since TIME]", "shows which alerts events would have raised"
        ),
    },
    "Watch": {
        "runs": Command(LOOKUPS, "[JOB] [--failed] [--since TIME]", "lists runs"),
        "alerts": Command(LOOKUPS, "[--ack ID | --silence ID]", "lists, acknowledges and silences alerts"),
        "expect": Command(LOOKUPS, "[NAME]", "lists the runs that are late, and those that are due next"),
    },
    "Run": {
        "demo": Command(
            "headwater.cli.demo.__main__", "[--port PORT]", "shows an incident, with recorded Spark events", SERVE
        ),
        "serve": Command(
            "headwater.cli.serve", "--data FILE [OPTION...]", "runs Headwater in one process, on one file", SERVE
        ),
        "submit": Command(
            "headwater.cli.submit.__main__", "PROGRAM [ARGUMENT...]", "runs a PySpark program with lineage", SPARK
        ),
        "try": Command(
            "headwater.cli.engines.__main__", "ENGINE", "runs a pipeline on a real engine, or a Kafka broker", SERVE
        ),
    },
    "Send events": {
        "load": Command(
            "headwater.cli.load",
            "PATH|URL...|--marquez URL",
            "sends recorded events, or those of a Marquez, to a server",
        ),
        "connect": Command(
            "headwater.cli.connect", "WORKER... [OPTION...]", "sends the lineage of Kafka Connect's connectors"
        ),
        "registry": Command(
            "headwater.cli.registry", "URL... --kafka HOST:PORT", "sends the schemas of topics from a schema registry"
        ),
    },
    "Operate": {
        "doctor": Command("headwater.cli.doctor.__main__", "[OPTION...]", "says why a graph is empty"),
        "key": Command(
            "headwater.cli.key", "add|list|remove --data FILE", "makes, lists and removes the API keys of a file"
        ),
        "redrive": Command(
            "headwater.cli.redrive.__main__", "--data FILE|--stack NAME", "replays messages that could not be processed"
        ),
        "backup": Command("headwater.cli.backup", "--data FILE --to FILE", "copies a file, even while it is served"),
        "check": Command("headwater.cli.check", "FILE... [--secrets]", "finds damage, or secrets, in a file"),
        "upgrade": Command("headwater.cli.upgrade", "FILE", "lets a new release store items in its own forms"),
        "export": Command(
            "headwater.cli.export", "--data FILE --to DIR|s3://...", "writes all events in the archive's format"
        ),
    },
}
"""The commands, as a person looks for them."""
COMMANDS = {name: command for group in GROUPS.values() for name, command in group.items()}


def main() -> int:
    """Run a command. Return 2 for an unknown command, and for one whose extra is not installed."""
    name, *arguments = sys.argv[1:] or [""]
    command = COMMANDS.get(name)
    if command is None:
        return _without_command(name)
    is_question = bool({"-h", "--help"} & set(arguments[:1]))
    if command.needs and not is_question and find_spec(command.needs.module) is None:
        print(f"{name} needs {command.needs.module}: pip install 'headwater[{command.needs.name}]'", file=sys.stderr)
        return 2
    module = importlib.import_module(command.module)
    if command.module == LOOKUPS:
        return int(module.as_a_program([name, *arguments]))
    sys.argv[:] = [f"headwater {name}", *arguments]
    return int(module.main() or 0)


FORMER = {"completion": COMPLETION, "jars": "submit --fetch-jars", "kafka": "try kafka", "scan": "check --secrets"}
"""What took the place of commands that were called otherwise."""


def _without_command(word: str) -> int:
    """Answer a word that is not a command."""
    if word in ("-h", "--help"):
        print(usage())
        return 0
    if word in ("-V", "--version"):
        print(f"headwater {_version()}")
        return 0
    if word == COMPLETION:
        if sys.argv[2:] and sys.argv[2] in SHELLS:
            print(importlib.import_module("headwater.cli.completion").script(sys.argv[2]))
            return 0
        print(f"{COMPLETION}: name a shell, one of {', '.join(SHELLS)}", file=sys.stderr)
        return 2
    print(usage(), file=sys.stderr)
    if word:
        near = [FORMER[word]] if word in FORMER else difflib.get_close_matches(word, COMMANDS, n=1)
        print(f"headwater has no command {word!r}", file=sys.stderr)
        print(f"next: `headwater {near[0] if near else '--help'}`", file=sys.stderr)
    return 2


def _version() -> str:
    """The version of the installed wheel, else that of this checkout."""
    try:
        return version("headwater")
    except PackageNotFoundError:
        project = Path(__file__).resolve().parents[4] / "pyproject.toml"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


def usage() -> str:
    calls = {name: f"{name} {command.usage}" for name, command in COMMANDS.items()}
    width = max(map(len, calls.values()))
    lines = ["usage: headwater COMMAND [OPTION...]"]
    for group, commands in GROUPS.items():
        lines += ["", group, *(f"  {calls[name]:{width}}  {command.does}" for name, command in commands.items())]
    more = "`headwater COMMAND --help` has the options, `headwater --version` prints the version,"
    return "\n".join([*lines, "", more, f"`headwater {COMPLETION} {'|'.join(SHELLS)}` prints a completion script."])


if __name__ == "__main__":
    sys.exit(main())
