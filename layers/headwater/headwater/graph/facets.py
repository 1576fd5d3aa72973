"""Reads members of facets (texts, fields, owners, parents, assertions, errors), whatever a producer put there."""

import re
from collections.abc import Mapping
from typing import Any

from headwater.graph.dataset_reference import ASSERTIONS
from headwater.graph.job import JobHead
from headwater.graph.register import values
from headwater.openlineage.event import Facets, Name
from headwater.openlineage.exact_json import JsonObject

MAX_FIRST_LINE = 300
"""Characters of the first line of an error message."""
_SECRET = re.compile(
    r"(?i)((?:password|passwd|pwd|secret|token|credential|api.?key|access.?key)\w*\s*[=:]\s*)[^\s;&,]+"
)
"""A secret in an error message, such as a password in a database's URL."""


def fields_of(holder: Any) -> list[JsonObject]:
    """The named fields of a schema, or the nested fields of a field."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    named = fields if isinstance(fields, list) else []
    return [field for field in named if isinstance(field, dict) and isinstance(field.get("name"), str)]


def owners_of(facets: Facets) -> list[str]:
    """The names of the owners in an `ownership` facet."""
    facet = facets.get("ownership")
    owners = facet.get("owners") if isinstance(facet, dict) else None
    names = [owner.get("name") for owner in owners if isinstance(owner, dict)] if isinstance(owners, list) else []
    return [name for name in names if isinstance(name, str)]


def parent_name(head: JobHead) -> Name | None:
    """The job that the newest `parent` facet of a job's runs names."""
    match values(head.facts.run_facets).get("parent"):
        case {"job": {"namespace": str(namespace), "name": str(name)}}:
            return Name(namespace, name)
    return None


def facet_text(facets: Facets, facet: str, member: str) -> str | None:
    """The text in a member of a facet; None if the facet or the member is absent, or the member is no text."""
    holder = facets.get(facet)
    value = holder.get(member) if isinstance(holder, dict) else None
    return value if isinstance(value, str) else None


def assertions_of(facets: JsonObject) -> list[dict[str, Any]]:
    """The assertions among the quality facets of a dataset."""
    facet = facets.get(ASSERTIONS)
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [check for check in assertions if isinstance(check, dict)] if isinstance(assertions, list) else []


def describe_assertion(assertion: Mapping[str, Any]) -> str:
    """An assertion as text: `not_null of email`."""
    column = f" of {assertion['column']}" if assertion.get("column") else ""
    return f"{assertion.get('assertion')}{column}"


def error_message(facets: Facets) -> str:
    """The error message of a failed run, mostly with a stack trace; the Spark listener has a facet of its own."""
    return facet_text(facets, "errorMessage", "message") or facet_text(facets, "spark.exception", "message") or ""


def first_line(message: str) -> str:
    """The first line of a message, with secrets masked. Further lines may hold source code."""
    line = next(iter(message.strip().splitlines()), "")
    return _SECRET.sub(r"\1***", line)[:MAX_FIRST_LINE]
