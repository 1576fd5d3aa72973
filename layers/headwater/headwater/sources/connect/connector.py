"""Connectors of a Kafka Connect cluster, read from the answers of a worker's REST API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

from headwater.openlineage.event import Name
from headwater.rest import BadAnswer

Json = Any


class ConnectorState(StrEnum):
    """The states of connectors and tasks (KIP-26, KIP-52, KIP-875). RESTARTING and UNASSIGNED last for a moment."""

    RUNNING = "RUNNING"
    PAUSED = "PAUSED"
    STOPPED = "STOPPED"
    FAILED = "FAILED"
    UNASSIGNED = "UNASSIGNED"
    RESTARTING = "RESTARTING"


class ConnectorTask(NamedTuple):
    """A task of a connector; `trace` is the Java stack trace of a failed one."""

    id: int
    state: str
    worker: str
    trace: str


@dataclass(frozen=True)
class Connector:
    """A connector.

    is_source   whether it writes topics; a sink reads topics
    state       of the connector and its tasks together: a connector stays RUNNING while its tasks have failed
    topics      the topics really used since the connector was made; empty before the first record
    offsets     pairs of partition and offset, as the worker has them
    is_group    whether it stands for a consumer group of an application (consumer_groups.py)
    """

    name: str
    is_source: bool
    config: Mapping[str, str]
    state: str
    tasks: Sequence[ConnectorTask]
    trace: str
    version: str
    topics: Sequence[str] = ()
    offsets: Sequence[Mapping[str, Json]] = ()
    is_group: bool = False

    @property
    def connector_class(self) -> str:
        return self.config.get("connector.class", "")

    def setting(self, *keys: str) -> str:
        """The first of some settings that has a text."""
        return next((text for key in keys if (text := self.config.get(key, "").strip())), "")

    def listed(self, *keys: str) -> list[str]:
        """The entries of a setting that is a list with commas."""
        return [entry for part in self.setting(*keys).split(",") if (entry := part.strip())]


class SourceTopic(NamedTuple):
    """A dataset that a source reads, and the topic that it writes, before transformations. One of them may be unknown:
    a query names no dataset, and a regular expression of tables no topic."""

    dataset: Name | None
    topic: str


def url_parts(text: str) -> SplitResult:
    """The parts of a URL in a setting. All are empty if it is no URL, as `http://[`: then its dataset is unknown."""
    try:
        return urlsplit(text)
    except ValueError:
        return urlsplit("")


def server_in(url: SplitResult, port: int) -> str:
    """HOST:PORT of a URL; empty if it has no host, or a port that is no number."""
    try:
        return f"{url.hostname}:{url.port or port}" if url.hostname else ""
    except ValueError:
        return ""


def read_connector(name: str, entry: Json) -> Connector:
    """A connector in the answer to `GET /connectors?expand=status&expand=info`. Raises BadAnswer if it is described in
    part: a worker that is just starting gives connectors without a configuration, or of the type `unknown`."""
    match entry:
        case {
            "info": {"config": dict() as config, "type": "source" | "sink" as kind},
            "status": {"connector": {"state": str() as state} as own, "tasks": list() as answers},
        }:
            tasks = [_task(name, answer) for answer in answers]
            trace = own.get("trace") or next((task.trace for task in tasks if task.trace), "")
            texts = {key: text for key, text in config.items() if isinstance(text, str)}
            version = str(own.get("version") or "")
            return Connector(name, kind == "source", texts, _state(state, tasks), tasks, str(trace), version)
    raise BadAnswer(f"the connector {name} is described in part")


def read_topics(name: str, answer: Json) -> list[str]:
    """The topics in the answer to `GET /connectors/NAME/topics`. Raises BadAnswer."""
    match answer:
        case dict() if isinstance(entry := answer.get(name), dict) and isinstance(entry.get("topics"), list):
            return sorted(topic for topic in entry["topics"] if isinstance(topic, str))
    raise BadAnswer(f"the topics of {name} are missing")


def read_offsets(name: str, answer: Json) -> list[Mapping[str, Json]]:
    """The offsets in the answer to `GET /connectors/NAME/offsets`. Raises BadAnswer."""
    match answer:
        case {"offsets": list() as offsets}:
            return [entry for entry in offsets if isinstance(entry, dict)]
    raise BadAnswer(f"the offsets of {name} are missing")


def _task(name: str, answer: Json) -> ConnectorTask:
    match answer:
        case {"id": int() as number, "state": str() as state}:
            return ConnectorTask(number, state, str(answer.get("worker_id") or ""), str(answer.get("trace") or ""))
    raise BadAnswer(f"a task of {name} has no state")


def _state(own: str, tasks: Sequence[ConnectorTask]) -> str:
    """The state of a connector with its tasks: one failed task is a failure of the connector, and a task that has not
    started is reported as such."""
    states = {task.state for task in tasks}
    for state in (ConnectorState.FAILED, ConnectorState.UNASSIGNED, ConnectorState.RESTARTING):
        if own == state or (own == ConnectorState.RUNNING and state in states):
            return state.value
    return own
