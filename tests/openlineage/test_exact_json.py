"""JSON is read and written without loss; a document that cannot be stored is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest

texts = st.text(st.characters(exclude_characters="\x00", codec="utf-8"), max_size=5)
documents = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=10,
)


@given(documents)
def test_a_document_survives_the_round_trip(document: object) -> None:
    assert exact_json.loads(exact_json.dumps(document)) == document


@pytest.mark.parametrize(
    "number", ["1E+400", "0.10000000000000000000001", "1.50", "-0.0", "123456789012345678901234567890"]
)
def test_a_number_keeps_its_digits(number: str) -> None:
    assert exact_json.dumps(exact_json.loads(f'{{"n":{number}}}')) == f'{{"n":{number}}}'


def test_equal_documents_have_one_spelling_and_one_digest() -> None:
    one, other = exact_json.loads('{"b": [1, 2], "a": "é"}'), exact_json.loads('{"a":"\\u00e9","b":[1,2]}')
    assert exact_json.dumps(one) == exact_json.dumps(other) == '{"a":"é","b":[1,2]}'
    assert exact_json.digest(one) == exact_json.digest(other)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "body: not JSON: Expecting value at line 1 column 1"),
        ('{"a":1} x', "body: not JSON: Extra data at line 1 column 9"),
        ('{"a":NaN}', "body: not JSON: NaN is not a number"),
        ('{"a":-Infinity}', "body: not JSON: -Infinity is not a number"),
        ("[" * 100_000, "body: nested more than 200 levels deep"),
        ('{"a":' * 100_000, "body: nested more than 200 levels deep"),
        ("[" * 300 + "]" * 300, "body: nested more than 200 levels deep"),
        ('{"run":{"facets":{"x":"a\\u0000"}}}', "run.facets.x: has a NUL character"),
        ('{"a":["\\ud800"]}', "a[0]: has half of a surrogate pair"),
        ('{"a":"\x00"}', "body: not JSON: Invalid control character at line 1 column 7"),
        ("1" * 5_000, "body: a number has too many digits"),
        ('{"a":1e99999999999999999999}', "body: a number has too many digits"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_with_its_path(text: str, fault: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        exact_json.loads(text)
    assert str(refused.value) == fault
    assert refused.value.status == 400


def test_a_document_of_very_many_values_is_refused_before_it_is_read() -> None:
    with pytest.raises(InvalidRequest, match="more than 1000000 values") as refused:
        exact_json.loads(f"[{'0,' * 1_000_000}0]")
    assert refused.value.status == 413


def test_an_escaped_emoji_is_no_half_of_a_pair() -> None:
    assert exact_json.loads('["\\ud83d\\ude80"]') == ["🚀"]


def test_a_member_s_name_is_checked_as_its_value_is() -> None:
    with pytest.raises(InvalidRequest, match="NUL"):
        exact_json.loads('{"a\\u0000":1}')


def test_deep_nesting_within_the_bound_is_read() -> None:
    assert exact_json.loads("[" * 199 + "]" * 199)
