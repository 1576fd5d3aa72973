"""A lookup of a released version's items is answered as that version answered it, byte for byte.

Where an answer has changed since, `tests/lookup/changed_answers.py` says which member has changed, and why.
"""

import pytest

from headwater.store.memory import MemoryTable
from tests.lookup.changed_answers import added_parameters, without_changes
from tests.lookup.golden_answers import answers_of, status_and_body
from tests.store import golden


@pytest.mark.parametrize("release", golden.RELEASES)
def test_the_items_of_a_release_are_answered_as_by_that_release(release: str) -> None:
    check(golden.table_of(release), release)


@pytest.mark.parametrize("release", golden.RELEASES)
def test_the_items_of_this_release_are_answered_as_those_of_an_earlier_one(release: str) -> None:
    check(golden.folded(MemoryTable()), release)


def check(table: MemoryTable, release: str) -> None:
    for given in answers_of(release):
        status, body = status_and_body(table, given.path, given.query, added_parameters(release, given.path))
        old, new = without_changes(release, given.path, given.body, body)
        assert (status, new) == (given.status, old), given
