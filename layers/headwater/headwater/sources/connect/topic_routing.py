"""The names of topics after the routers in a chain of transformations: `orders` becomes `shop-orders`."""

import re
from collections.abc import Sequence

from headwater.sources.connect.transform import Transform

ROUTERS = {"RegexRouter", "ByLogicalTableRouter"}
ROUTERS_BY_RECORD = {"TimestampRouter", "ExtractTopic", "EventRouter", "TopicRegexRouter", "ContentBasedRouter"}
"""Routers that make names of what a record has, such as its time."""


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
