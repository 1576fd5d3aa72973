"""Takes what people say of the graph: PUT, POST and DELETE /api/v1/..., as Marquez's API; 404 or 405 for all else."""

import time
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

from aws_lambda_powertools import Logger

from headwater.access.principal import Scope, principal_of
from headwater.config import CurateSettings, from_environment
from headwater.curate.curator import Command, Curator
from headwater.curate.routes import respond
from headwater.graph.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.openlineage.body import MAX_WIRE_BYTES, read_body
from headwater.store.aws import client
from headwater.store.dynamodb import DynamoTable
from headwater.store.item_codec import Retention
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


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    end = time.monotonic() + SECONDS
    response = response_or_error(lambda: _curate(event, end), logger.exception)
    accepts = (event.get("headers") or {}).get("accept-encoding", "")
    return response.to_gateway(accepts_gzip="gzip" in accepts)


def _curate(event: dict[str, Any], end: float) -> ApiResponse:
    principal = principal_of(event, by_iam=tuple(Scope))
    body = event.get("body") or ""
    is_base64 = bool(event.get("isBase64Encoded"))
    text = read_body(body, is_base64=is_base64, max_bytes=MAX_WIRE_BYTES) if body else ""
    query = dict(parse_qsl(event.get("rawQueryString") or "", keep_blank_values=True))
    method = event["requestContext"]["http"]["method"]
    request = ApiRequest(principal, method, event["rawPath"], query, received_at=datetime.now(UTC))
    return respond(curator, Command(request, text, lambda: time.monotonic() < end))
