"""Transformations (SMTs) in the settings of a connector, and the names of topics after a chain of them: `orders`
becomes `shop-orders`."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

Settings = Mapping[str, str]

ROUTERS = {"RegexRouter", "ByLogicalTableRouter"}
ROUTERS_BY_RECORD = {"TimestampRouter", "ExtractTopic", "EventRouter", "TopicRegexRouter", "ContentBasedRouter"}
"""Routers that make names of what a record has, such as its time."""


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
    names of what a record has, such as its time."""
    names = [topic]
    for transform in transforms:
        if transform.kind in ROUTERS_BY_RECORD:
            return None
        if transform.kind in ROUTERS:
            after = [_replaced(transform, name) for name in names]
            names = list(dict.fromkeys([*names, *after] if transform.is_conditional else after))
    return names


def _replaced(transform: Transform, topic: str) -> str:
    """The name after RegexRouter, or Debezium's ByLogicalTableRouter: the expression has to match the whole name."""
    prefix = "topic." if transform.kind == "ByLogicalTableRouter" else ""
    pattern, replacement = (transform.settings.get(prefix + key, "") for key in ("regex", "replacement"))
    try:
        match = re.fullmatch(python_expression(pattern), topic)
        return match.expand(python_template(replacement)) if match else topic
    except (re.error, IndexError):
        return topic


def python_expression(pattern: str) -> str:
    """A regular expression of Java in Python's form, as far as they differ in what names need."""
    return re.sub(r"\(\?<(?![=!])", "(?P<", pattern)


def python_template(replacement: str) -> str:
    """A replacement of Java (`$1`, `${name}`) in Python's form."""
    escaped = re.sub(r"\\(.)", r"\1", replacement).replace("\\", "\\\\")
    return re.sub(r"\$(?:\{(\w+)\}|(\d))", lambda group: rf"\g<{group[1] or group[2]}>", escaped)
