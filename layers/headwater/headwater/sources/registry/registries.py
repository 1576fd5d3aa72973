"""The schema registries that a deployment follows, by its settings.

    {"shop": {"urls": ["https://registry-1:8081"], "kafka": "broker-1:9092", "topics": {"com.acme.Order": ["orders"]}},
     "msk": {"glue": "shop-registry", "kafka": "b-1.shop.kafka.eu-west-1.amazonaws.com:9092"}}

The name of a registry is in the facet of its topics. A secret may have the header `Authorization` for each registry, by
the same names, or an API key of Confluent Cloud: `{"shop": {"key": "...", "secret": "..."}}`.
"""

import base64
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from headwater.graph.names.naming import kafka_namespace
from headwater.openlineage.event import Name
from headwater.retry import Deadline
from headwater.sources.poller import Comparison, PolledGraph
from headwater.sources.registry.confluent import ConfluentRegistry, RegistryUrl
from headwater.sources.registry.glue import GlueRegistry
from headwater.sources.registry.subject import RegisteredSubject, SubjectRole, SubjectSource, described_by
from headwater.sources.registry.topic import StoredTopic, TopicSubject, stored_topics
from headwater.sources.registry.topic_update import DescribedSubject, TopicUpdate

_MEMBERS = frozenset({"urls", "glue", "kafka", "topics"})


@dataclass(frozen=True)
class FollowedRegistry:
    """A registry to poll (`PolledSource`), whose parts are subjects, and the topics that they describe.

    name                  by which the topics' facet names it
    source                what lists its subjects
    kafka                 the namespace of its topics, such as `kafka://broker-1:9092`
    topics                the topics of subjects that are named only after a record
    is_named_after_topic  whether a subject without a strategy has the name of its topic, as in Glue
    """

    name: str
    source: SubjectSource
    kafka: str
    topics: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_named_after_topic: bool = False

    def compare(self, graph: PolledGraph, deadline: Deadline) -> Comparison:
        subjects, partly = self.source.listed(deadline)
        topics, unplaced = self._topics(subjects)
        stored = {topic: StoredTopic() for topic in topics} | stored_topics(graph.datasets(self.kafka))
        changes = {
            topic: partial(
                TopicUpdate(self.name, self.source, topics.get(topic, {}), last).events, Name(self.kafka, topic)
            )
            for topic, last in sorted(stored.items())
            if not _is_partly_read(topic, last.subjects, partly)
        }
        return Comparison(len(subjects) + len(partly), changes, partly, unplaced)

    def _topics(
        self, subjects: Mapping[str, RegisteredSubject]
    ) -> tuple[dict[str, dict[str, DescribedSubject]], list[str]]:
        """The subjects of each topic by name, and the names of subjects that describe none."""
        topics: dict[str, dict[str, DescribedSubject]] = {}
        unplaced = []
        for name, subject in sorted(subjects.items()):
            described = described_by(subject.latest, self.topics, is_named_after_topic=self.is_named_after_topic)
            for topic, role in described:
                topics.setdefault(topic, {})[name] = DescribedSubject(subject, role)
            if not described:
                unplaced.append(name)
        return topics, unplaced


def _is_partly_read(topic: str, stored: Sequence[TopicSubject], partly: Mapping[str, str]) -> bool:
    """Whether one of a topic's subjects could not be read: the topic is left as it is."""
    names = {subject.subject for subject in stored} | {f"{topic}-{role}" for role in SubjectRole}
    return bool(names & partly.keys())


def read_registries(
    settings: Mapping[str, Mapping[str, Any]], secret: Mapping[str, Any], glue: Callable[[], Any]
) -> list[FollowedRegistry]:
    """The registries; `glue` makes a client of Glue. Raises ValueError, which names the wrong member and repeats no
    secret."""
    headers = {name: _header(credentials) for name, credentials in secret.items()}
    return [_registry(name, members, headers.get(name, ""), glue) for name, members in settings.items()]


def _registry(name: str, members: Mapping[str, Any], authorization: str, glue: Callable[[], Any]) -> FollowedRegistry:
    if unknown := sorted(members.keys() - _MEMBERS):
        raise ValueError(f"{name}.{unknown[0]}: expected no other members than urls or glue, kafka, and topics")
    kafka, topics = members.get("kafka"), _topics(name, members.get("topics", {}))
    if not isinstance(kafka, str) or not kafka_namespace(kafka):
        raise ValueError(f"{name}.kafka: expected the bootstrap server of the topics, such as broker-1:9092")
    namespace = kafka_namespace(kafka)
    match members:
        case {"glue": str(registry)} if registry and "urls" not in members:
            return FollowedRegistry(name, GlueRegistry(glue(), registry), namespace, topics, is_named_after_topic=True)
        case {"urls": [_, *_] as urls} if "glue" not in members and all(isinstance(url, str) for url in urls):
            nodes = RegistryUrl.all_of(f"{name}.urls", urls, authorization)
            return FollowedRegistry(name, ConfluentRegistry(nodes), namespace, topics)
    raise ValueError(f"{name}: expected urls, an array of URLs, or glue, the name of a registry")


def _topics(name: str, topics: Any) -> Mapping[str, list[str]]:
    is_whole = isinstance(topics, dict) and all(
        isinstance(of, list) and all(isinstance(topic, str) and topic for topic in of) for of in topics.values()
    )
    if not is_whole:
        raise ValueError(f"{name}.topics: expected arrays of topics, by the names of subjects")
    return dict(topics)


def _header(credentials: Any) -> str:
    match credentials:
        case str():
            return credentials
        case {"key": str(key), "secret": str(secret)}:
            return f"Basic {base64.b64encode(f'{key}:{secret}'.encode()).decode()}"
    raise ValueError("the secret has neither a header nor a key and a secret for each registry")
