"""Takes OpenLineage events in over HTTP: POST /api/v1/lineage, /lineage, / and, for arrays, .../batch."""

from datetime import UTC, datetime
from typing import Any

from aws_lambda_powertools import Logger

from headwater import metrics
from headwater.access.principal import Scope, principal_of
from headwater.config import IngestSettings, from_environment
from headwater.http.response import ApiResponse, response_or_error
from headwater.ingest.accept import Ingest
from headwater.openlineage.body import read_body
from headwater.store.aws import client
from headwater.store.s3 import Bucket
from headwater.store.sqs import Queue

logger = Logger()
settings = from_environment(IngestSettings)
queue = Queue(client("sqs"), settings.queue_url)
bucket = Bucket(client("s3"), settings.archive_bucket)


def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    response = response_or_error(lambda: _ingest(request), logger.exception)
    if response.status >= 400:
        metrics.count(EventsRefused=1)
        logger.info("refused", status=response.status, reason=response.body["message"][:1000])
    return response.to_gateway()


def _ingest(request: dict[str, Any]) -> ApiResponse:
    principal = principal_of(request)
    principal.require(Scope.INGEST)
    is_base64 = bool(request.get("isBase64Encoded"))
    text = read_body(request.get("body"), is_base64=is_base64, max_bytes=settings.max_body_bytes)
    ingest = Ingest(principal, queue, bucket, datetime.now(UTC))
    is_batch = request["rawPath"].rstrip("/").endswith("/batch")
    counted = ingest.batch(text) if is_batch else ingest.one(text)
    metrics.count(EventsReceived=counted.received)
    if counted.response.status < 400:
        metrics.count(EventsRefused=counted.refused)
    return counted.response
