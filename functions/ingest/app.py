"""Accepts OpenLineage events over HTTP: POST /api/v1/lineage, /lineage and /, and arrays of events at .../batch."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import headwater.start
from headwater import metrics
from headwater.bootstrap import Root
from headwater.config import IngestSettings, from_environment
from headwater.http.gateway import answer
from headwater.http.private_api import as_http_api
from headwater.ingest.refusals import CountedRefusals
from headwater.ingest.routes import ROUTER, Ingest
from headwater.openlineage.redaction import redacted_text

root = Root(from_environment(IngestSettings))
log = root.log()
ingest = Ingest(root.queue(), root.bucket(), root.naming(), root.settings.max_body_bytes, log.name_run)
refusals = CountedRefusals(root.audit(), root.refusals, log.failure)
headwater.start.end()


@log.handler
def handler(request: Mapping[str, Any], context: Any) -> dict[str, Any]:
    request = as_http_api(request)
    response = answer(request, partial(ROUTER.respond, ingest), log, audit=refusals)
    if response.status >= 400:
        metrics.count(EventsRefused=1)
        log.info("refused", status=response.status, reason=redacted_text(response.body["message"])[:1000])
    return response.to_gateway()
