"""Answers questions about the graph: GET /api/v1/..., in the shapes of Marquez's API; 404 or 405 for all else."""

import gc
from functools import partial
from typing import Any

from headwater.bootstrap import Root
from headwater.config import LookupSettings, from_environment
from headwater.http.gateway import accepts_gzip, answer
from headwater.lookup.routes import Lookups, respond

root = Root(from_environment(LookupSettings))
lookups = Lookups(root.graph(), root.naming(), root.log())

gc.freeze()
gc.set_threshold(50_000)
"""What was imported stays, and an answer is gone as soon as it is given: collecting in between took a quarter of a long
lookup's time."""


@root.log().handler
def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    response = answer(request, partial(respond, lookups), root.log())
    return response.to_gateway(accepts_gzip=accepts_gzip(request))
