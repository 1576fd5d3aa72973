"""A snapshot is text that a person reviews, and reads back as what was written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.cli.testing.snapshot import ColumnSnapshot, LineageSnapshot, TableSnapshot

REVENUE = TableSnapshot(
    ("file:TMP/orders",),
    {
        "total": ColumnSnapshot("double", {"file:TMP/orders.price": "AGGREGATION"}),
        "day": ColumnSnapshot("date"),
        "score": ColumnSnapshot("double", may_come_from=("file:TMP/orders",)),
    },
    {"file:TMP/orders.status": "FILTER"},
)
TEXT = """\
tables:
  file:TMP/revenue:
    reads:
    - file:TMP/orders
    columns:
      day:
        type: date
      score:
        type: double
        may come from:
        - file:TMP/orders
      total:
        type: double
        from:
          file:TMP/orders.price: AGGREGATION
    rows:
      file:TMP/orders.status: FILTER
"""
names = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029"), min_size=1, max_size=12
)
"""Without surrogates, and without the line breaks that PyYAML folds."""
kinds = st.dictionaries(names, st.sampled_from(["IDENTITY", "AGGREGATION, masked", "untold"]), max_size=3)
lists = st.frozensets(names, max_size=3).map(sorted).map(tuple)
columns = st.dictionaries(names, st.builds(ColumnSnapshot, names, kinds, lists), max_size=4)
snapshots = st.builds(
    LineageSnapshot, st.dictionaries(names, st.builds(TableSnapshot, lists, columns, kinds), max_size=4)
)


def test_the_text_has_one_fact_a_line_sorted() -> None:
    remark, _, text = LineageSnapshot({"file:TMP/revenue": REVENUE}).to_yaml().partition("\n")
    assert (remark[0], text) == ("#", TEXT)
    assert LineageSnapshot.of_yaml(TEXT) == LineageSnapshot({"file:TMP/revenue": REVENUE})


@given(snapshots)
def test_any_snapshot_is_read_back_as_it_was_written(snapshot: LineageSnapshot) -> None:
    text = snapshot.to_yaml()
    assert LineageSnapshot.of_yaml(text) == snapshot
    assert LineageSnapshot.of_yaml(text).to_yaml() == text


def test_another_column_changes_its_own_lines_alone() -> None:
    more = TableSnapshot(REVENUE.reads, {**REVENUE.columns, "since": ColumnSnapshot("date")}, REVENUE.rows)
    before = LineageSnapshot({"file:TMP/revenue": REVENUE}).to_yaml().splitlines()
    after = LineageSnapshot({"file:TMP/revenue": more}).to_yaml().splitlines()
    assert [line for line in after if line not in before] == ["      since:"]
    assert len(after) == len(before) + 2


def test_members_of_a_later_release_are_passed_over() -> None:
    later = TEXT.replace("    reads:", "    owner: finance\n    reads:")
    assert LineageSnapshot.of_yaml(later) == LineageSnapshot.of_yaml(TEXT)


@pytest.mark.parametrize("text", ["<<<<<<< HEAD\n" + TEXT, "tables: [orders]", "- orders", "tables: {a: {reads: b}}"])
def test_what_is_no_snapshot_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no snapshot"):
        LineageSnapshot.of_yaml(text)
