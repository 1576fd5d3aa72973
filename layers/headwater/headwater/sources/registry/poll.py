"""A poll: the subjects of a registry as they are now, held against what the graph was told of their topics.

now, in the registry        told before                 sent
a topic's subjects          nothing                     the schema, with the newest versions
the same versions, levels   the same                    nothing
versions 2 and 3            version 1                   two events: with version 2, and with version 3
another level               the same version            the level, without a schema
(deleted)                   a version                   that the subject is deleted; the schema stays
(not reached)               any                         nothing
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.rest import Unreachable
from headwater.sources.registry.columns import BadSchema, RecordSchema
from headwater.sources.registry.compatibility import broken, level_of, promised, strictest
from headwater.sources.registry.subject import (
    Listed,
    RegisteredSubject,
    SubjectRole,
    SubjectSource,
    SubjectVersion,
    described_by,
    texts_of,
)
from headwater.sources.registry.topic import ToldTopic, TopicGraph, TopicSubject
from headwater.sources.registry.topic_events import (
    BrokenPromise,
    Document,
    ReadSubject,
    registry_facet,
    topic_columns,
    topic_event,
)


@dataclass(frozen=True)
class FollowedRegistry:
    """A registry to poll.

    name                  by which the topics' facet names it
    source                what lists its subjects
    kafka                 the namespace of its topics, such as `kafka://broker-1:9092`
    topics                the topics of subjects that are named after a record alone
    is_named_after_topic  whether a subject without a strategy has the name of its topic, as in Glue
    """

    name: str
    source: SubjectSource
    kafka: str
    topics: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_named_after_topic: bool = False


@dataclass
class RegistryPollResult:
    """The outcome of a poll: the subjects that exist, the events that were sent, the subjects and topics of which
    nothing could be told, with the reasons, and the subjects that name no topic."""

    subjects: int = 0
    sent: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    without_topic: list[str] = field(default_factory=list)


class DescribedSubject(NamedTuple):
    """A subject as it is now, and the part of a topic that it describes."""

    subject: RegisteredSubject
    role: SubjectRole


@dataclass(frozen=True)
class RegistryPoll:
    """Polls registries. `send` puts events into the queue like those of any producer, and raises if it cannot."""

    graph: TopicGraph
    send: Callable[[Sequence[Document]], None]

    def poll(self, registry: FollowedRegistry, now: datetime) -> RegistryPollResult:
        """Sends what has changed since the last poll. Raises Unreachable if the registry gave no whole answer: then
        nothing is told of any topic."""
        listed = registry.source.listed()
        result = RegistryPollResult(len(listed.subjects) + len(listed.partly), skipped=dict(listed.partly))
        topics = _topics(registry, listed, result)
        told = self.graph.told_topics(registry.kafka)
        events: list[Document] = []
        for topic in sorted({*topics, *told}):
            before = told.get(topic, ToldTopic())
            if _is_partly_read(topic, before.subjects, listed.partly):
                continue
            news = TopicNews(registry, topic, topics.get(topic, {}), before)
            try:
                changes = list(news.changes())
            except (BadSchema, Unreachable) as error:
                result.skipped[topic] = str(error)
                continue
            events += news.events(changes, now)
        if events:
            self.send(events)
        result.sent = len(events)
        return result


def _topics(
    registry: FollowedRegistry, listed: Listed, result: RegistryPollResult
) -> dict[str, dict[str, DescribedSubject]]:
    """The subjects of each topic by name."""
    topics: dict[str, dict[str, DescribedSubject]] = {}
    for name, subject in sorted(listed.subjects.items()):
        described = described_by(subject.latest, registry.topics, is_named_after_topic=registry.is_named_after_topic)
        for topic, role in described:
            topics.setdefault(topic, {})[name] = DescribedSubject(subject, role)
        if not described:
            result.without_topic.append(name)
    return topics


def _is_partly_read(topic: str, told: Sequence[TopicSubject], partly: Mapping[str, str]) -> bool:
    """Whether one of a topic's subjects could not be read: the topic is left as it is."""
    names = {subject.subject for subject in told} | {f"{topic}-{role}" for role in SubjectRole}
    return bool(names & partly.keys())


class Change(NamedTuple):
    """One event of a topic: its subjects, whether they have another schema than before, and what was broken."""

    subjects: Mapping[str, TopicSubject]
    is_new_version: bool
    broken: BrokenPromise | None = None
    columns: Sequence[ReadSubject] = ()


class TopicNews:
    """What has changed of one topic."""

    def __init__(
        self,
        registry: FollowedRegistry,
        topic: str,
        listed: Mapping[str, DescribedSubject],
        told: ToldTopic,
    ) -> None:
        self._registry = registry
        self._source = registry.source
        self._topic = topic
        self._listed = listed
        self._told = {subject.subject: subject for subject in told.subjects}
        self._is_ours = told.registry == registry.name
        self._read: dict[tuple[str, int], RecordSchema] = {}

    def changes(self) -> Iterator[Change]:
        """The changes, the oldest first. Raises BadSchema or Unreachable."""
        state = dict(self._told)
        new = [name for name in self._listed if name not in state or state[name].is_deleted]
        if new:
            state |= {name: self._first(name) for name in new}
            yield self._change(state)
        for name in sorted(self._listed.keys() - set(new)):
            for subject, broke in self._steps(name, state[name]):
                state[name] = subject
                yield self._change(state, broke)
        levelled = {name: self._with_level(state[name], of.subject) for name, of in self._listed.items()}
        gone = {name: replace(subject, is_deleted=True) for name, subject in state.items() if self._is_gone(subject)}
        if {**state, **levelled, **gone} != state:
            yield Change({**state, **levelled, **gone}, is_new_version=False)

    def events(self, changes: Sequence[Change], now: datetime) -> Iterator[Document]:
        """The events of changes, a millisecond after each other."""
        for number, change in enumerate(changes):
            at = instant_of(now + timedelta(milliseconds=number))
            columns = topic_columns(change.columns)
            name = Name(self._registry.kafka, self._topic)
            subjects = [change.subjects[subject] for subject in sorted(change.subjects)]
            yield topic_event(name, registry_facet(self._registry.name, subjects, change.broken), columns, at)

    def _first(self, name: str) -> TopicSubject:
        """A subject that is told for the first time."""
        (latest, level), role = self._listed[name]
        return TopicSubject.of(latest, role, self._source.versions(name), level)

    def _steps(self, name: str, told: TopicSubject) -> Iterator[tuple[TopicSubject, BrokenPromise | None]]:
        """The versions of a subject that are not told yet, each with what it broke."""
        (latest, level), role = self._listed[name]
        if (latest.version, latest.id) == (told.version, told.id):
            return
        versions = self._source.versions(name)
        newer = [number for number in versions if told.version < number < latest.version]
        for version in (*(self._source.version(name, number) for number in newer), latest):
            is_kept = told.version in versions and told.version < version.version
            broke = self._broken(version, told, level) if is_kept else None
            told = TopicSubject.of(version, role, versions, level)
            yield told, broke

    def _broken(self, version: SubjectVersion, before: TopicSubject, level: str) -> BrokenPromise | None:
        """What a version broke: of the level that holds, by the registry's own check; of the level that held, or if the
        registry cannot tell, by the columns."""
        reasons, broke = self._source.incompatibilities(version, before.version), level
        lost = promised(before.promised) - (frozenset() if reasons is None else promised(level))
        if lost and not reasons:
            old = self._schema(self._source.version(version.subject, before.version))
            reasons, broke = broken(level_of(lost), old.columns, self._schema(version).columns), before.promised
        name, number = version.subject, version.version
        return BrokenPromise(name, number, before.version, broke, reasons) if reasons else None

    def _with_level(self, told: TopicSubject, subject: RegisteredSubject) -> TopicSubject:
        """A subject with the level of now. A stricter one adds to what is promised."""
        level = subject.compatibility
        return replace(told, compatibility=level, promised=strictest([told.promised, level]))

    def _is_gone(self, told: TopicSubject) -> bool:
        """Whether a subject was deleted. Another registry of the Kafka cluster may have those that this one lacks."""
        is_missing = self._is_ours and told.subject not in self._listed and not told.is_deleted
        return is_missing and not self._source.versions(told.subject)

    def _change(self, state: Mapping[str, TopicSubject], broke: BrokenPromise | None = None) -> Change:
        present = [subject for subject in state.values() if not subject.is_deleted and subject.subject in self._listed]
        read = [self._columns(subject) for subject in present]
        return Change(dict(state), is_new_version=True, broken=broke, columns=read)

    def _columns(self, subject: TopicSubject) -> ReadSubject:
        latest = self._listed[subject.subject].subject.latest
        is_latest = latest.version == subject.version
        schema = self._schema(latest if is_latest else self._source.version(subject.subject, subject.version))
        return ReadSubject(subject.role, schema.columns, schema.value)

    def _schema(self, version: SubjectVersion) -> RecordSchema:
        """The columns of a version. Raises BadSchema, which names the version, or Unreachable."""
        key = (version.subject, version.version)
        if key not in self._read:
            try:
                self._read[key] = version.schema(texts_of(self._source, version))
            except BadSchema as error:
                raise BadSchema(f"version {version.version} of {version.subject} cannot be read: {error}") from None
        return self._read[key]
