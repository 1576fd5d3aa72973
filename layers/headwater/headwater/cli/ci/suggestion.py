"""A map of names, proposed from a side and production: a dataset of the side is likely the one of production whose name
ends alike and which has its columns."""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from headwater.cli.ci.production import Production
from headwater.cli.ci.side import ChangeSide
from headwater.graph.expectations.policy import NameRule
from headwater.openlineage.event import Name

FOUND = 20
"""Datasets of production that are compared with one of a side."""


class _Match(NamedTuple):
    """How alike a dataset of production is: the last parts of the names, and of how many columns it has how many."""

    parts: int
    columns: int
    of: int
    name: Name


def suggested(side: ChangeSide, production: Production) -> list[str]:
    """The lines of a section `names`, the surest rule first, each with what speaks for it. Raises CommandFailure."""
    rules: dict[tuple[str, str], list[_Match]] = defaultdict(list)
    for node in side.datasets:
        match = max(_matches(side, node, production), default=None)
        rule = _rule(side.names[node], match) if match else None
        if match and rule and NameRule.of(*rule).applied(side.names[node]) == match.name:
            rules[rule].append(match)
    ranked = sorted(rules.items(), key=lambda rule: (-len(rule[1]), rule[0]))
    lines = []
    for (begins, becomes), found in ranked:
        columns, of = sum(each.columns for each in found), sum(each.of for each in found)
        sure = f"{len(found)} of {len(side.datasets)} datasets, {columns} of {of} columns agree"
        lines.append(f"  - {{from: {json.dumps(begins)}, to: {json.dumps(becomes)}}}  # {sure}")
    return ["names:", *lines] if lines else []


def _matches(side: ChangeSide, node: str, production: Production) -> Iterator[_Match]:
    name = side.names[node]
    own = {*(side.graph.columns.get(node) or ())}
    asked = production.ask("search", q=_parts(name.name)[-1], filter="DATASET", limit=FOUND) or {"results": ()}
    for found in asked["results"]:
        other = Name(found["namespace"], found["name"])
        parts = _common(name, other)
        if parts and (dataset := production.dataset(other)):
            columns = {field["name"] for field in dataset.get("fields") or ()}
            if own & columns or not (own and columns):
                yield _Match(parts, len(own & columns), len(own), other)


def _rule(name: Name, match: _Match) -> tuple[str, str]:
    """The beginnings that differ: `file:/tmp/lake/orders` and `s3://lake:orders` are `file:/tmp/lake` and `s3://lake`."""
    return _beginning(name, match.parts), _beginning(match.name, match.parts)


def _beginning(name: Name, parts: int) -> str:
    split = _parts(name.name)
    length = len(name.name) - len("/".join(split[len(split) - parts :]))
    beginning = name.name[:length].rstrip("/.")
    slash = "/" if "://" in name.namespace else ":"
    return f"{name.namespace}{slash}{beginning}" if beginning else name.namespace


def _common(one: Name, other: Name) -> int:
    """How many of the last parts of two names are alike."""
    parts = 0
    for ours, theirs in zip(reversed(_parts(one.name)), reversed(_parts(other.name)), strict=False):
        if ours != theirs:
            break
        parts += 1
    return parts


def _parts(name: str) -> list[str]:
    return name.strip("/").replace(".", "/").split("/") if "/" not in name else name.strip("/").split("/")
