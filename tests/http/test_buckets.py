"""A copy of a function has a bucket for each caller: who used its share waits while others ask."""

import pytest

from headwater.access.principal import Principal
from headwater.http.gateway import BURST_SECONDS, SEEN_SECONDS, SHARE, Buckets
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, RequestError

LONG = 4.0


class Copy:
    """A copy of a function, whose answers take time by a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self._buckets = Buckets(lambda: self.now)

    def __call__(self, caller: str, seconds: float = LONG, method: str = "GET") -> int:
        def respond(_: ApiRequest) -> ApiResponse:
            self.now += seconds
            return ApiResponse(200, {})

        request = ApiRequest(Principal(caller, frozenset(), ()), method, "/", {})
        try:
            return self._buckets.answer(caller, request, respond).status
        except RequestError as refused:
            return refused.status

    def until_refused(self, caller: str, method: str = "GET") -> int:
        """The status of the refusal, once there is one."""
        statuses = [self(caller, method=method) for _ in range(10)]
        assert statuses[0] == 200
        return max(statuses)


@pytest.fixture
def copy() -> Copy:
    return Copy()


def test_a_caller_that_asks_alone_is_never_refused(copy: Copy) -> None:
    assert {copy("a") for _ in range(100)} == {200}


@pytest.mark.parametrize(("method", "status"), [("GET", 429), ("HEAD", 429), ("POST", 200), ("DELETE", 200)])
def test_who_has_used_its_share_is_refused_lookups_while_another_asks(copy: Copy, method: str, status: int) -> None:
    copy("b", 0.01)
    assert copy.until_refused("a", method) == status
    assert copy("b", 0.01) == 200


def test_the_share_comes_back(copy: Copy) -> None:
    copy("b", 0.01)
    copy.until_refused("a")
    copy.now += LONG / SHARE
    copy("b", 0.01)
    assert copy("a") == 200


def test_another_caller_counts_for_a_while(copy: Copy) -> None:
    copy("b", 0.01)
    copy.until_refused("a")
    assert copy("a", 0) != 200
    copy.now += SEEN_SECONDS
    assert {copy("a") for _ in range(10)} == {200}


def test_half_of_the_time_is_never_too_much(copy: Copy) -> None:
    for _ in range(100):
        copy("b", 0.01)
        assert copy("a", BURST_SECONDS * SHARE) == 200
        copy.now += BURST_SECONDS * SHARE


def test_a_failed_answer_has_taken_its_time(copy: Copy) -> None:
    buckets = Buckets(lambda: copy.now)

    def fail(_: ApiRequest) -> ApiResponse:
        copy.now += 3 * BURST_SECONDS
        raise ValueError("an item is broken")

    request = ApiRequest(Principal("a", frozenset(), ()), "GET", "/", {})
    buckets.answer("b", request, lambda _: ApiResponse(200, {}))
    with pytest.raises(ValueError, match="broken"):
        buckets.answer("a", request, fail)
    buckets.answer("b", request, lambda _: ApiResponse(200, {}))
    with pytest.raises(RequestError):
        buckets.answer("a", request, lambda _: ApiResponse(200, {}))
