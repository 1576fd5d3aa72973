"""Transformations (SMTs) in the settings of a connector, and the names of topics after a chain of them: `orders`
becomes `shop-orders`."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

Settings = Mapping[str, str]

ROUTERS = {"RegexRouter", "ByLogicalTableRouter"}
ROUTERS_BY_RECORD = {"TimestampRouter", "ExtractTopic", "EventRouter", "TopicRegexRouter", "ContentBasedRouter"}
"""Routers that make names of what a record has, such as its time."""
MATCH_SECONDS = 2.0
_MATCH = """
import json, re, sys
pattern, topic, template = json.load(sys.stdin)
match = re.fullmatch(pattern, topic)
json.dump(match.expand(template) if match else topic, sys.stdout)
"""
"""The program that matches an expression that may take for ever: it is ended after MATCH_SECONDS. It imports nothing of
the current folder."""
_ENDLESS = set[str]()
"""Expressions that were ended: no other topic waits for them."""


class Transform(NamedTuple):
    """One transformation: its class without the package, its target (`Key`, `Value` or none), and its settings."""

    kind: str
    target: str
    settings: Settings
    is_conditional: bool

    def listed(self, *keys: str) -> list[str]:
        texts = [self.settings[key] for key in keys if self.settings.get(key)]
        return [entry.strip() for text in texts for entry in text.split(",") if entry.strip()]


def transforms_of(config: Settings) -> list[Transform]:
    """The transformations of a connector, in order."""
    return [_transform(config, name.strip()) for name in config.get("transforms", "").split(",") if name.strip()]


def _transform(config: Settings, name: str) -> Transform:
    start = f"transforms.{name}."
    settings = {key.removeprefix(start): text for key, text in config.items() if key.startswith(start)}
    kind, _, target = settings.get("type", "").rpartition(".")[2].partition("$")
    return Transform(kind, target, settings, bool(settings.get("predicate")))


def routed(transforms: Sequence[Transform], topic: str) -> list[str] | None:
    """The names that a topic may have after the chain: two, if a router applies on a condition. None if a router makes
    names of what a record has, such as its time, or has an expression that finds no end."""
    names = [topic]
    for transform in transforms:
        if transform.kind in ROUTERS_BY_RECORD:
            return None
        if transform.kind in ROUTERS:
            after = [_replaced(transform, name) for name in names]
            replaced = [name for name in after if name is not None]
            if len(replaced) < len(after):
                return None
            names = list(dict.fromkeys([*names, *replaced] if transform.is_conditional else replaced))
    return names


def _replaced(transform: Transform, topic: str) -> str | None:
    """The name after RegexRouter, or Debezium's ByLogicalTableRouter: the expression has to match the whole name. None
    if the expression finds no end."""
    prefix = "topic." if transform.kind == "ByLogicalTableRouter" else ""
    pattern, replacement = (transform.settings.get(prefix + key, "") for key in ("regex", "replacement"))
    expression, template = python_expression(pattern), python_template(replacement)
    if not _ends_soon(expression):
        return None if expression in _ENDLESS else _replaced_in_time(expression, topic, template)
    try:
        match = re.fullmatch(expression, topic)
        return match.expand(template) if match else topic
    except (re.error, IndexError, RecursionError, OverflowError):
        return topic


def _ends_soon(expression: str) -> bool:
    """Whether no group is repeated, and little else: `(.*)-(.*)` ends soon, `(a+)+b` may try each way to cut a name."""
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "x", expression)
    return not re.search(r"\)[*+?{]", plain) and sum(map(plain.count, "*+{")) <= 3 and plain.count("?") <= 6


@lru_cache(maxsize=1_000)
def _replaced_in_time(expression: str, topic: str, template: str) -> str | None:
    """The name, by a process of its own; the topic itself if the expression is none."""
    given = json.dumps([expression, topic, template])
    try:
        run = subprocess.run(  # noqa: S603 - the program is ours, and reads what is given as JSON
            [sys.executable, "-I", "-c", _MATCH],
            input=given,
            capture_output=True,
            text=True,
            timeout=MATCH_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        _ENDLESS.add(expression)
        return None
    return str(json.loads(run.stdout)) if run.returncode == 0 else topic


def python_expression(pattern: str) -> str:
    """A regular expression of Java in Python's form, as far as they differ in what names need."""
    return re.sub(r"\(\?<(?![=!])", "(?P<", pattern)


def python_template(replacement: str) -> str:
    """A replacement of Java (`$1`, `${name}`) in Python's form."""
    escaped = re.sub(r"\\(.)", r"\1", replacement).replace("\\", "\\\\")
    return re.sub(r"\$(?:\{(\w+)\}|(\d))", lambda group: rf"\g<{group[1] or group[2]}>", escaped)
