"""A lookup of a released version's items is answered as that version answered it, byte for byte."""

import pytest

from headwater.store.memory import MemoryTable
from tests.lookup.golden_answers import answers_of, status_and_body
from tests.store import golden


@pytest.mark.parametrize("release", golden.RELEASES)
def test_the_items_of_a_release_are_answered_as_by_that_release(release: str) -> None:
    table = golden.table_of(release)
    for given in answers_of(release):
        assert status_and_body(table, given.path, given.query) == (given.status, given.body), given


@pytest.mark.parametrize("release", golden.RELEASES)
def test_the_items_of_this_release_are_answered_as_those_of_an_earlier_one(release: str) -> None:
    table = golden.folded(MemoryTable())
    for given in answers_of(release):
        assert status_and_body(table, given.path, given.query) == (given.status, given.body), given
