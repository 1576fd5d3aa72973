"""The doctor waits for its canary."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from headwater.cli.api import Api
from headwater.cli.doctor.canary import wait_until_seen
from headwater.cli.doctor.finding import Blame, Diagnosis
from headwater.cli.refusal import Response


class Answers:
    """An API that gives these answers, one after the other."""

    def __init__(self, *answers: tuple[int, dict[str, Any]]) -> None:
        self.left: Iterator[tuple[int, dict[str, Any]]] = iter(answers)

    def get(self, *_path: str, **_query: object) -> Response:
        status, body = next(self.left)
        return Response(status, json.dumps(body), 0.0)


COMPLETED = (200, {"state": "COMPLETED"})


def test_a_refusal_by_api_gateway_itself_is_no_answer() -> None:
    """While the authoriser fails, API Gateway refuses what the key may do."""
    answers = Answers((403, {"message": "Forbidden"}), COMPLETED)
    wait_until_seen(cast(Api, answers), "prod", "a run", seconds=30)
    assert next(answers.left, None) is None


def test_a_key_that_may_not_read_is_to_blame() -> None:
    lacking = (403, {"code": 403, "message": "key: lacks the scope read"})
    with pytest.raises(Diagnosis) as raised:
        wait_until_seen(cast(Api, Answers(lacking, COMPLETED)), "prod", "a run", seconds=30)
    assert raised.value.finding.blame is Blame.KEY
