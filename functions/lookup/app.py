"""Answers questions about the graph: GET /api/v1/..., in the shapes of Marquez's API; 404 or 405 for all else."""

import gc
from typing import Any
from urllib.parse import parse_qsl

from aws_lambda_powertools import Logger

from headwater.access.principal import principal_of
from headwater.config import LookupSettings, from_environment
from headwater.graph.naming import Naming
from headwater.http.request import ApiRequest
from headwater.http.response import ApiResponse, response_or_error
from headwater.lookup.routes import respond
from headwater.read.reader import Reader
from headwater.store.aws import client
from headwater.store.dynamodb import DynamoTable
from headwater.store.s3 import Bucket

logger = Logger()
settings = from_environment(LookupSettings)
bucket = Bucket(client("s3"), settings.archive_bucket)
table = DynamoTable(client("dynamodb"), settings.table_name, bucket)
reader = Reader(table, Naming(settings.namespace_aliases))


gc.freeze()
gc.set_threshold(50_000)
"""What was imported stays, and an answer is gone as soon as it is given: collecting in between took a quarter of a long
lookup's time."""


def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    response = response_or_error(lambda: _lookup(request), logger.exception)
    accepts = (request.get("headers") or {}).get("accept-encoding", "")
    return response.to_gateway(accepts_gzip="gzip" in accepts)


def _lookup(request: dict[str, Any]) -> ApiResponse:
    principal = principal_of(request)
    method = request["requestContext"]["http"]["method"]
    pairs = parse_qsl(request.get("rawQueryString") or "", keep_blank_values=True)
    repeated = {name: tuple(value for other, value in pairs if other == name) for name, _ in pairs}
    return respond(reader, ApiRequest(principal, method, request["rawPath"], dict(pairs), repeated))
