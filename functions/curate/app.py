"""Takes what people say of the graph: PUT, POST and DELETE /api/v1/..., as Marquez's API; 404 or 405 for all else."""

import time
from functools import partial
from typing import Any

from headwater.access.principal import Scope
from headwater.bootstrap import Root
from headwater.config import CurateSettings, from_environment
from headwater.curate.curator import Curator
from headwater.curate.routes import respond
from headwater.http.gateway import accepts_gzip, answer

SECONDS = 12
"""For deletions without end; the function has 25, and one more batch of them may take several."""

root = Root(from_environment(CurateSettings))
curator = Curator(root.store(), root.queue(), root.bucket(), root.naming())


@root.log().handler
def handler(request: dict[str, Any], context: Any) -> dict[str, Any]:
    """One request."""
    end = time.monotonic() + SECONDS
    response = answer(
        request, partial(respond, curator), root.log(), by_iam=tuple(Scope), has_time=lambda: time.monotonic() < end
    )
    return response.to_gateway(accepts_gzip=accepts_gzip(request))
