"""A lookup of a released version's items is answered as the last release answered it, byte for byte.

Where an answer has changed since, `tests/lookup/changed_answers.py` says which member has changed, and why.
"""

import pytest

from headwater.store.memory import MemoryTable
from tests.lookup.changed_answers import without_changes
from tests.lookup.golden_answers import answers_of, status_and_body
from tests.store import golden


@pytest.mark.parametrize("release", golden.RELEASES)
def test_the_items_of_a_release_are_answered_as_by_the_last_release(release: str) -> None:
    check(golden.table_of(release), release)


def test_the_items_of_this_release_are_answered_as_those_of_the_last_one() -> None:
    check(golden.folded(MemoryTable()), golden.RELEASES[-1])


def check(table: MemoryTable, release: str) -> None:
    for given in answers_of(release):
        status, body = status_and_body(table, given.path, given.query)
        old, new = without_changes(given.path, given.body, body)
        assert (status, new) == (given.status, old), given
