"""Holds answers to the description of the API."""

import re
from functools import cache
from itertools import islice
from typing import Any

import simplejson
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from api.document import answer_schema, document
from headwater.http.paths import Path, spellings

MOST = 300_000
"""Characters of an answer that is checked. A test of large graphs asserts more precise things."""


def faults_of(path: str, body: Any) -> list[str]:
    """Where an answer is not as openapi.json says. A path that fits several routes may have the answer of each."""
    if isinstance(body, str):
        return []
    text = simplejson.dumps(body, use_decimal=True, namedtuple_as_object=False)
    fitting = [pattern for pattern in Path if any(re.fullmatch(pattern, text, re.DOTALL) for text in spellings(path))]
    if len(text) > MOST or not fitting:
        return []
    answer = simplejson.loads(text)
    faults = [[error.message for error in islice(_validator(pattern).iter_errors(answer), 3)] for pattern in fitting]
    return min(faults, key=len)


@cache
def _validator(pattern: Path) -> Draft202012Validator:
    return Draft202012Validator({**answer_schema(pattern), "components": document()["components"]})
