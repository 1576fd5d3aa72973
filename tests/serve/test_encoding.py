"""Responses of the server as bytes: the document, digit for digit."""

import json
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.http.response import ApiResponse
from headwater.openlineage import exact_json
from serve import app

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
DOCUMENTS = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
)


class State(StrEnum):
    DONE = "COMPLETED"


class Pair(NamedTuple):
    namespace: str
    name: str


def written(document: Any) -> str:
    """The text of a response with a document."""
    _, content = ApiResponse(200, document).content(app._JSON.encode)
    return content.decode()


@given(DOCUMENTS)
def test_every_digit_is_kept(document: Any) -> None:
    assert exact_json.dumps(exact_json.loads_trusted(written([document]))) == exact_json.dumps([document])


@pytest.mark.parametrize("number", ["1e400", "1.10000000000000000000000000001", "123456789012345678901234567890"])
def test_numbers_beyond_a_double_are_written_as_they_were_sent(number: str) -> None:
    sent = exact_json.loads(f'{{"number":{number}}}')
    assert exact_json.dumps(exact_json.loads(written(sent))) == exact_json.dumps(sent)


def test_a_document_is_that_of_the_functions() -> None:
    document = {"a/b": [State.DONE, Pair("é", "\u2028"), 1.5, Decimal("1.50"), None, True, 'q"\\\n\x7f'], "": {}}
    assert json.loads(written(document)) == json.loads(ApiResponse(200, document).to_gateway()["body"])
