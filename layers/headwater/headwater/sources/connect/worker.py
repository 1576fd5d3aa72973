"""The REST API of Kafka Connect workers: what one poll reads.

The workers of a cluster give the same answers: if one cannot be reached, the next is asked. No answer is an error of
its own kind (`Unreachable`), never an empty cluster.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import quote

from headwater.rest import ANSWER_SECONDS, BadAnswer, HttpError, RestUrl, Unreachable, first_answer
from headwater.retry import Deadline
from headwater.sources.connect.connector import Connector, read_connector, read_offsets, read_topics
from headwater.sources.poller import read_each

CONFIRM_SECONDS = 5
"""A worker that is starting may list a part of its connectors. A connector that is missing is looked for again."""


class NotOffered(Exception):
    """The worker has no such resource: a connector that does not exist, or a route that a release lacks."""


class Cluster(NamedTuple):
    """A Connect cluster at the time of a poll.

    connectors  the connectors that were described whole
    partly      connectors that exist, whose topics or offsets could not be read
    """

    kafka_id: str
    connectors: Mapping[str, Connector]
    partly: Mapping[str, str]


class WorkerUrl(RestUrl):
    expected = "a worker has a URL such as http://connect-1:8083"
    server = "worker"


@dataclass(frozen=True)
class Workers:
    """The workers of one Connect cluster."""

    urls: Sequence[WorkerUrl]
    sleep: Callable[[float], None] = time.sleep
    seconds: float = ANSWER_SECONDS

    def cluster(self, deadline: Deadline) -> Cluster:
        """The connectors as they are now, as many as can be read until the deadline. Raises Unreachable."""
        return first_answer(self.urls, lambda worker: self._cluster(worker, deadline))

    def are_gone(self, names: Iterable[str]) -> set[str]:
        """Which of some connectors are deleted: some seconds later the worker lists other connectors, and answers that
        it has none of that name. Raises Unreachable."""
        self.sleep(CONFIRM_SECONDS)
        return first_answer(self.urls, lambda worker: self._gone(worker, set(names)))

    def _gone(self, worker: WorkerUrl, names: set[str]) -> set[str]:
        listed = self._get(worker, "/connectors")
        if not isinstance(listed, list):
            raise BadAnswer("the list of connectors is no JSON array")
        return {name for name in names - set(map(str, listed)) if not self._exists(worker, name)}

    def _exists(self, worker: WorkerUrl, name: str) -> bool:
        try:
            self._get(worker, f"/connectors/{quote(name, safe='')}/status")
        except NotOffered:
            return False
        return True

    def _cluster(self, worker: WorkerUrl, deadline: Deadline) -> Cluster:
        about = self._get(worker, "/")
        if not isinstance(about, dict) or not about.get("kafka_cluster_id"):
            raise BadAnswer("the worker does not name its Kafka cluster")
        entries = self._get(worker, "/connectors?expand=status&expand=info")
        if not isinstance(entries, dict):
            raise BadAnswer("the list of connectors is no JSON object")
        read = read_each(entries, lambda name: self._connector(worker, read_connector(name, entries[name])), deadline)
        return Cluster(str(about["kafka_cluster_id"]), *read)

    def _connector(self, worker: WorkerUrl, connector: Connector) -> Connector:
        """The connector with its topics and offsets. A worker before release 3.5 has no offsets, and a worker may
        be set not to track topics."""
        path = f"/connectors/{quote(connector.name, safe='')}"
        topics, offsets = connector.topics, connector.offsets
        with suppress(NotOffered):
            topics = read_topics(connector.name, self._get(worker, f"{path}/topics"))
        with suppress(NotOffered):
            offsets = read_offsets(connector.name, self._get(worker, f"{path}/offsets"))
        return replace(connector, topics=topics, offsets=offsets)

    def _get(self, worker: WorkerUrl, path: str) -> Any:
        """The JSON of an answer. Raises Unreachable, or NotOffered if the resource is absent."""
        try:
            return worker.ask(path, seconds=self.seconds)
        except HttpError as error:
            raise _absence(path, error) from None


def _absence(path: str, error: HttpError) -> Exception:
    """A connector or a resource of it that does not exist. 403 is the answer for topics that are not tracked."""
    is_absent = error.status == 404 or (error.status == 403 and path.endswith("/topics"))
    is_told = error.code == error.status and path.count("/") > 1
    return NotOffered(str(error)) if is_told and is_absent else Unreachable(str(error))
