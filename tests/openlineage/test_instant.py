"""Times of any spelling are compared as times."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.instant import instant_of, milliseconds_between, parse_instant, shown, to_datetime


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20T08:00:36.09Z",
        "2026-11-20T08:00:36.090Z",
        "2026-11-20T08:00:36.090000000+00:00",
        "2026-11-20t09:00:36.09+01:00",
        "2026-11-20T03:30:36,09-0430",
        "2026-11-20 08:00:36.09",
        "2026-11-20T10:00:36.09+02",
    ],
)
def test_one_moment_has_one_spelling(text: str) -> None:
    assert parse_instant(text) == "2026-11-20T08:00:36.090000000Z"


def test_a_java_time_without_seconds_and_with_its_zone_s_name_is_read() -> None:
    assert parse_instant("2026-11-20T08:00Z[UTC]") == "2026-11-20T08:00:00.000000000Z"


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20",
        "yesterday",
        "1700000000",
        "",
        "2026-13-01T00:00:00Z",
        "2026-11-20T25:00:00Z",
        "0001-01-01T00:00:00+14:00",
    ],
)
def test_a_text_that_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"not an ISO 8601 time|no time of the calendar"):
        parse_instant(text)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_instants_sort_as_moments_do(one: datetime, other: datetime) -> None:
    assert (instant_of(one) < instant_of(other)) == (one < other)
    assert to_datetime(instant_of(one)) == one


def test_nanoseconds_are_kept_and_shown_as_far_as_they_are_there() -> None:
    shortest = {"36": "36Z", "36.5": "36.500Z", "36.000001": "36.000001Z", "36.000000001": "36.000000001Z"}
    for sent, answered in shortest.items():
        assert shown(parse_instant(f"2026-11-20T08:00:{sent}Z")) == f"2026-11-20T08:00:{answered}"


def test_durations_are_whole_milliseconds() -> None:
    start, end = parse_instant("2026-11-20T08:00:00Z"), parse_instant("2026-11-20T08:01:00.0015Z")
    assert milliseconds_between(start, end) == 60_001
    assert milliseconds_between(end, start) < 0
