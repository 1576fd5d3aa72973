"""Documents as JSON, digit for digit, and as simplejson writes them."""

import json
from decimal import Decimal
from enum import StrEnum
from typing import Any, NamedTuple

import pytest
import simplejson
from hypothesis import given
from hypothesis import strategies as st

from headwater.http.response import ApiResponse
from headwater.openlineage import exact_json
from headwater.openlineage.exact_json import DocumentText

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
    _, content = ApiResponse(200, document).content()
    return content.decode()


@given(DOCUMENTS)
def test_every_digit_is_kept(document: Any) -> None:
    assert exact_json.dumps(exact_json.loads_trusted(written([document]))) == exact_json.dumps([document])


@pytest.mark.parametrize("number", ["1e400", "1.10000000000000000000000000001", "123456789012345678901234567890"])
def test_numbers_beyond_a_double_are_written_as_they_were_sent(number: str) -> None:
    sent = exact_json.loads(f'{{"number":{number}}}')
    assert exact_json.dumps(exact_json.loads(written(sent))) == exact_json.dumps(sent)


REFERENCE = simplejson.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, use_decimal=True, namedtuple_as_object=False
)


@given(DOCUMENTS)
def test_the_canonical_text_is_that_of_simplejson(document: Any) -> None:
    assert exact_json.dumps(document) == REFERENCE.encode(document)


def test_a_document_has_texts_tuples_and_numbers_of_every_kind() -> None:
    document = {"a/b": [State.DONE, Pair("é", "\u2028"), 1.5, Decimal("1.50"), None, True, 'q"\\\n\x7f'], "": {}}
    assert exact_json.dumps(document) == REFERENCE.encode(document)
    assert json.loads(written(document)) == json.loads(ApiResponse(200, document).to_gateway()["body"])


@pytest.mark.parametrize("number", [7, 2**70])
def test_a_part_that_is_json_is_written_as_it_is(number: int) -> None:
    part = DocumentText('{"b":1.10,"a":1e400}')
    assert written({"number": number, "run": part}) == f'{{"number":{number},"run":{{"b":1.10,"a":1e400}}}}'


@pytest.mark.parametrize("value", [Decimal("NaN"), Decimal("Infinity"), {1, 2}])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        written([value])
