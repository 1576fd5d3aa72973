"""Packed documents: equal documents are equal bytes, and what any release packed is unpacked."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage import exact_json
from headwater.store.items.compression import DICTIONARIES, pack, unpack

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda values: st.lists(values, max_size=4) | st.dictionaries(st.text("abc", max_size=3), values, max_size=4),
)
OF_DICTIONARY_1 = bytes.fromhex("78bb75289b64ab46aee21315a087812bd502006c150898")


@given(DOCUMENTS)
def test_a_document_is_packed_and_unpacked(document: object) -> None:
    assert unpack(pack(document)) == document
    assert pack(document) == pack(document)


@given(DOCUMENTS)
def test_a_document_of_release_0_1_0_has_no_dictionary(document: object) -> None:
    assert unpack(zlib.compress(exact_json.dumps(document).encode(), 6)) == document


def test_the_dictionaries_never_change() -> None:
    assert list(DICTIONARIES) == [1_965_595_492]
    assert unpack(OF_DICTIONARY_1) == {"producer": "a program"}


@given(DOCUMENTS, st.data())
def test_a_document_that_was_cut_off_is_refused(document: object, data: st.DataObject) -> None:
    packed = pack(document)
    with pytest.raises((ValueError, zlib.error)):
        unpack(packed[: data.draw(st.integers(0, len(packed) - 1))])


def test_a_document_with_the_dictionary_of_a_newer_release_is_refused() -> None:
    packer = zlib.compressobj(zdict=b"a better dictionary")
    with pytest.raises(ValueError, match="a dictionary that this release does not have"):
        unpack(packer.compress(b"{}") + packer.flush())


def test_texts_that_documents_have_in_common_are_one_object_in_memory() -> None:
    document = {"fields": [{"name": "id of the order", "type": "a long type"}], "the member's name": 1}
    one, other = (unpack(pack({**document, "n": number})) for number in (1, 2))
    assert one["fields"][0]["name"] is other["fields"][0]["name"]
    assert [id(name) for name in one] == [id(name) for name in other]
