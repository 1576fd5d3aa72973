"""Reads a Marquez by its API: its events by time, then what people have put there: tags and descriptions.

Headwater speaks the same API, so it can be the source, too. Marquez only lists its RunEvents.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from headwater.cli.api import Api
from headwater.cli.refusal import RefusedRequest
from headwater.ingest.event_files import SentEvent
from headwater.openlineage import exact_json

PAGE = 100
EARLIEST, LATEST = "1970-01-01T00:00:00Z", "2200-01-01T00:00:00Z"
KINDS = ("RunEvent", "JobEvent", "DatasetEvent")
FOLDED_WITHIN = 60.0
"""Seconds until the server knows a node of the events that were sent."""

Reason = tuple[str, str]
"""What could not be copied, and why."""


def events_of(source: Api) -> Iterator[SentEvent]:
    """Every event, by event time. Raises CommandFailure.

    The next page begins at the time of the last event: an offset over all events would cost more with each page. Events
    of that time come twice, which does no harm; an offset is used only within one time.
    """
    after, offset = EARLIEST, 0
    while True:
        query = {"after": after, "before": LATEST, "sortDirection": "asc", "limit": PAGE, "offset": offset}
        page = exact_json.loads(source.text("events", "lineage", eventKinds=KINDS, **query))["events"]
        for number, event in enumerate(page):
            yield SentEvent(f"event {offset + number + 1} from {after} on", exact_json.dumps(event))
        if len(page) < PAGE:
            return
        last = page[-1]["eventTime"]
        after, offset = (after, offset + len(page)) if last == after else (last, 0)


def copy_annotations(source: Api, server: Api) -> list[Reason]:
    """Copy tags and descriptions of namespaces, datasets, columns and jobs. Return what could not be copied."""
    copying = _Copying(server)
    for tag in source.ask("tags", limit=PAGE * 10).document["tags"]:
        if tag["description"]:
            copying.do("tag", copying.tag, tag)
    for namespace in _paged(source, "namespaces"):
        name = namespace["name"]
        if namespace.get("description") and not namespace.get("isHidden"):
            copying.do("namespace", copying.namespace, namespace)
        for dataset in _paged(source, "namespaces", name, "datasets"):
            copying.do("dataset", copying.dataset, dataset)
        for job in _paged(source, "namespaces", name, "jobs"):
            copying.do("job", copying.job, job)
    return copying.failed


class _Copying:
    """Writes what the server lacks, and notes what it refuses."""

    def __init__(self, server: Api) -> None:
        self._server = server
        self.failed: list[Reason] = []

    def do(self, what: str, copy: Callable[[Any], object], node: Any) -> None:
        try:
            copy(node)
        except RefusedRequest as refused:
            self.failed.append((f"{what} {node['name']}", str(refused)))

    def tag(self, tag: Any) -> None:
        self._put(("tags", tag["name"]), {"description": tag["description"]})

    def namespace(self, namespace: Any) -> None:
        owner = {"ownerName": namespace["ownerName"] or "anonymous", "description": namespace["description"]}
        self._put(("namespaces", namespace["name"]), owner)

    def dataset(self, dataset: Any) -> None:
        path = ("namespaces", dataset["namespace"], "datasets", dataset["name"])
        fields = [(field["name"], tag) for field in dataset["fields"] for tag in field["tags"]]
        if not (dataset["tags"] or fields or dataset["description"]):
            return
        known = self._known(path)
        for tag in set(dataset["tags"]) - set(known["tags"]):
            self._server.send("POST", *path, "tags", tag)
        has = {(field["name"], tag) for field in known["fields"] for tag in field["tags"]}
        for field, tag in set(fields) - has:
            self._server.send("POST", *path, "fields", field, "tags", tag)
        if dataset["description"] and dataset["description"] != known["description"]:
            members = ("type", "physicalName", "sourceName", "description")
            self._put(path, {member: dataset[member] for member in members})

    def job(self, job: Any) -> None:
        path = ("namespaces", job["namespace"], "jobs", job["name"])
        if not (job.get("tags") or job["description"]):
            return
        known = self._known(path)
        for tag in set(job.get("tags") or ()) - set(known["tags"]):
            self._server.send("POST", *path, "tags", tag)
        if job["description"] and job["description"] != known["description"]:
            self._put(path, {"type": job["type"], "description": job["description"]})

    def _put(self, path: Sequence[str], document: Any) -> None:
        self._server.send("PUT", *path, body=json.dumps(document))

    def _known(self, path: Sequence[str]) -> Any:
        """A node of the server, once the events that name it are folded."""
        until = time.monotonic() + FOLDED_WITHIN
        while True:
            try:
                return self._server.ask(*path).document
            except RefusedRequest as refused:
                if refused.http_status != 404 or time.monotonic() > until:
                    raise
                time.sleep(0.5)


def _paged(source: Api, *path: str) -> Iterator[Any]:
    """The nodes of a list; the last part of its path is the member that has them."""
    offset = 0
    while page := source.ask(*path, limit=PAGE, offset=offset).document[path[-1]]:
        yield from page
        if len(page) < PAGE:
            return
        offset += len(page)
