"""What events are forwarded to: Amazon SageMaker Catalog, and an HTTP endpoint such as Marquez's."""

from collections.abc import Callable
from typing import Any
from urllib.error import HTTPError

import simplejson

from headwater.rest import Unreachable, post
from headwater.store.aws.client import translated_errors
from headwater.store.errors import Rejected, StorageError

CATALOG, URL = "catalog", "url"
"""The names of the targets, in groups of messages and in the setting FORWARD_TO."""

CATALOG_TYPES = ("START", "COMPLETE", "FAIL")
MAX_CATALOG_BYTES = 300_000
"""PostLineageEvent, https://docs.aws.amazon.com/datazone/latest/APIReference/API_PostLineageEvent.html"""

UNAUTHORISED = (401, 403)
NEVER_TAKEN = (400, 413, 422)
"""The statuses by which an endpoint says that the event is wrong or too long. Any other may change."""


class SageMakerCatalog:
    """A domain of Amazon SageMaker Catalog, formerly DataZone. It takes the START, COMPLETE and FAIL of runs with
    datasets."""

    def __init__(self, client: Any, domain: str) -> None:
        self._client = client
        self._domain = domain

    def wants(self, event: str) -> bool:
        if len(event) > MAX_CATALOG_BYTES:
            return True  # and is rejected, without the memory that reading it takes
        document = simplejson.loads(event)
        has_datasets = document.get("inputs") or document.get("outputs")
        return "run" in document and document.get("eventType") in CATALOG_TYPES and bool(has_datasets)

    def send(self, event: str, token: str) -> None:
        content = event.encode()
        if len(content) > MAX_CATALOG_BYTES:
            raise Rejected(f"{len(content)} bytes, and SageMaker Catalog takes {MAX_CATALOG_BYTES}")
        with translated_errors(writing=True):
            self._client.post_lineage_event(domainIdentifier=self._domain, event=content, clientToken=token)


class HttpEndpoint:
    """An endpoint that takes OpenLineage over HTTP. `authorization` reads the header, or is None without one."""

    def __init__(self, url: str, authorization: Callable[[], str] | None) -> None:
        self._url = url
        self._authorization = authorization
        self._headers: dict[str, str] | None = None

    def wants(self, event: str) -> bool:  # noqa: ARG002 - it takes whatever Headwater takes
        return True

    def send(self, event: str, token: str) -> None:  # noqa: ARG002 - by OpenLineage, a repeated event changes nothing
        if self._headers is None:
            value = self._authorization() if self._authorization else ""
            self._headers = {"Authorization": " ".join(value.split())} if value else {}
        try:
            post(self._url, event.encode(), self._headers)
        except HTTPError as error:
            if error.code in UNAUTHORISED:
                self._headers = None  # the secret may have another by the next try
            raise (Rejected if error.code in NEVER_TAKEN else StorageError)(f"status {error.code}") from None
        except OSError as error:
            raise Unreachable(f"{type(error).__name__}: {error}") from None
