"""Takes what people say of the graph: PUT, POST and DELETE /api/v1/..., as Marquez's API; 404 or 405 for all else."""

import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from aws_lambda_powertools import Logger

from headwater.access.principal import Scope, principal_of
from headwater.answers import Answer, answered
from headwater.config import CurateSettings, from_environment
from headwater.curate.curator import Command, Curator
from headwater.curate.routes import respond
from headwater.graph.naming import Naming
from headwater.lookup.question import Question
from headwater.openlineage.body import MAX_WIRE_BYTES, read_body
from headwater.store.aws import client
from headwater.store.dynamodb import DynamoTable
from headwater.store.records import Retention
from headwater.store.s3 import Bucket
from headwater.store.sqs import Queue

SECONDS = 12
"""For deletions without end; the function has 25, and one more batch of them may take several."""

logger = Logger()
settings = from_environment(CurateSettings)
bucket = Bucket(client("s3"), settings.archive_bucket)
curator = Curator(
    table=DynamoTable(client("dynamodb"), settings.table_name, bucket),
    queue=Queue(client("sqs"), settings.queue_url),
    bucket=bucket,
    retention=Retention(settings.run_retention_days, settings.event_retention_days),
    naming=Naming(settings.namespace_aliases),
)


def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    end = time.monotonic() + SECONDS
    answer = answered(lambda: _curate(request, end), logger.exception)
    accepts = (request.get("headers") or {}).get("accept-encoding", "")
    return answer.to_gateway(accepts_gzip="gzip" in accepts)


def _curate(request: dict[str, Any], end: float) -> Answer:
    principal = principal_of(request, by_iam=tuple(Scope))
    body = request.get("body") or ""
    is_base64 = bool(request.get("isBase64Encoded"))
    text = read_body(body, is_base64=is_base64, max_bytes=MAX_WIRE_BYTES) if body else ""
    query = dict(parse_qsl(request.get("rawQueryString") or "", keep_blank_values=True))
    method = request["requestContext"]["http"]["method"]
    question = Question(principal, method, request["rawPath"], query, asked_at=datetime.now(UTC))
    return respond(curator, Command(question, text, lambda: time.monotonic() < end))
