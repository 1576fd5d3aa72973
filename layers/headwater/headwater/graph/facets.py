"""Reads single facets, whatever a producer put into them: texts, fields, owners, parents, assertions, errors."""

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
"""A secret as an error tells it: in the URL of a database, say."""


def fields_of(holder: Any) -> list[JsonObject]:
    """The named fields of a schema, or of a field that nests some."""
    fields = holder.get("fields") if isinstance(holder, dict) else None
    named = fields if isinstance(fields, list) else []
    return [each for each in named if isinstance(each, dict) and isinstance(each.get("name"), str)]


def owners_of(facets: Facets) -> list[str]:
    """The owners in an `ownership` facet, as it names them."""
    facet = facets.get("ownership")
    owners = facet.get("owners") if isinstance(facet, dict) else None
    names = [each.get("name") for each in owners if isinstance(each, dict)] if isinstance(owners, list) else []
    return [each for each in names if isinstance(each, str)]


def parent_name(head: JobHead) -> Name | None:
    """The job that the newest `parent` facet of a job's runs names."""
    match values(head.facts.run_facets).get("parent"):
        case {"job": {"namespace": str(namespace), "name": str(name)}}:
            return Name(namespace, name)
    return None


def facet_text(facets: Facets, facet: str, member: str) -> str | None:
    """The text in a member of a facet; None if the facet or the member is absent, or the member is no text."""
    found = facets.get(facet)
    value = found.get(member) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None


def assertions_of(facets: JsonObject) -> list[dict[str, Any]]:
    """The assertions among what a run found out about a dataset."""
    facet = facets.get(ASSERTIONS)
    assertions = facet.get("assertions") if isinstance(facet, dict) else None
    return [each for each in assertions if isinstance(each, dict)] if isinstance(assertions, list) else []


def describe_assertion(assertion: Mapping[str, Any]) -> str:
    """An assertion in few words: `not_null of email`."""
    column = f" of {assertion['column']}" if assertion.get("column") else ""
    return f"{assertion.get('assertion')}{column}"


def error_message(facets: Facets) -> str:
    """What a run says that it failed of, mostly with a stack trace; the Spark listener has a facet of its own."""
    return facet_text(facets, "errorMessage", "message") or facet_text(facets, "spark.exception", "message") or ""


def first_line(message: str) -> str:
    """The first line of a message, without what it says to be secret: what follows may hold lines of the source."""
    line = next(iter(message.strip().splitlines()), "")
    return _SECRET.sub(r"\1***", line)[:MAX_FIRST_LINE]
