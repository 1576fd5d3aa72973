"""Curation of the graph: PUT, POST and DELETE /api/v1/..., as in Marquez's API. Other paths and methods are answered
404 or 405. And the ends of steps and job runs, which EventBridge puts into a queue."""

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import headwater.start
from headwater.access.principal import Scope, principal_of
from headwater.bootstrap import Root
from headwater.config import CurateSettings, from_environment
from headwater.curate.curator import Curator
from headwater.curate.routes import respond
from headwater.curate.run_lifecycle import UnknownRun, end_as_reported
from headwater.http.gateway import accepts_gzip, answer
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse

SECONDS = 12
"""The time for the deletion of a namespace. The function has 25 seconds; the last batch of nodes may take several."""

root = Root(from_environment(CurateSettings))
curator = Curator(root.store(), root.queue(), root.bucket(), root.naming())
authenticate = partial(principal_of, iam_scopes=tuple(Scope), person=root.people().principal)
headwater.start.end()


@root.log().handler
def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answers one request, or takes ends of steps and job runs. SQS delivers what is in `batchItemFailures` again."""
    if "Records" in request:
        early = [record["messageId"] for record in request["Records"] if not is_told(json.loads(record["body"]))]
        return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in early]}
    end = time.monotonic() + SECONDS

    def respond_in_time(asked: ApiRequest) -> ApiResponse:
        return respond(curator, replace(asked, has_time=lambda: time.monotonic() < end))

    response = answer(request, respond_in_time, root.log(), audit=root.audit(), authenticate=authenticate)
    return response.to_gateway(accepts_gzip=accepts_gzip(request))


def is_told(notice: dict[str, Any]) -> bool:
    """Whether the run that a notice is about is known."""
    try:
        end_as_reported(curator.for_one_request(curator.caller), notice, datetime.now(UTC))
    except UnknownRun:
        return False
    return True
