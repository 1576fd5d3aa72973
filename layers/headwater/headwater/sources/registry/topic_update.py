"""The events that bring the graph in step with the subjects of a topic.

now, in the registry        reported before             sent
a topic's subjects          nothing                     the schema, with the newest versions
the same versions, levels   the same                    nothing
versions 2 and 3            version 1                   two events: with version 2, and with version 3
another level               the same version            the level, without a schema
(deleted)                   a version                   that the subject is deleted; the schema stays
(not reached)               any                         nothing
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from headwater.openlineage.event import Name
from headwater.openlineage.instant import instant_of
from headwater.sources.poller import Document
from headwater.sources.registry.columns import BadSchema, RecordSchema
from headwater.sources.registry.compatibility import broken, level_of, promised, strictest
from headwater.sources.registry.subject import RegisteredSubject, SubjectRole, SubjectSource, SubjectVersion, texts_of
from headwater.sources.registry.topic import (
    BrokenPromise,
    ReadSubject,
    StoredTopic,
    TopicSubject,
    registry_facet,
    topic_columns,
    topic_event,
)


class DescribedSubject(NamedTuple):
    """A subject as it is now, and the part of a topic that it describes."""

    subject: RegisteredSubject
    role: SubjectRole


class Change(NamedTuple):
    """One event of a topic: its subjects, and with another schema what was broken, and the columns."""

    subjects: Mapping[str, TopicSubject]
    broken: BrokenPromise | None = None
    columns: Sequence[ReadSubject] = ()


class TopicUpdate:
    """What has changed of one topic in a registry of some name."""

    def __init__(
        self, registry: str, source: SubjectSource, listed: Mapping[str, DescribedSubject], stored: StoredTopic
    ) -> None:
        self._registry = registry
        self._source = source
        self._listed = listed
        self._stored = {subject.subject: subject for subject in stored.subjects}
        self._is_ours = stored.registry == registry
        self._read: dict[tuple[str, int], RecordSchema] = {}

    def events(self, topic: Name, now: datetime) -> Iterator[Document]:
        """The events of the changes, a millisecond after each other. Raises BadSchema or Unreachable."""
        for number, change in enumerate(self._changes()):
            at = instant_of(now + timedelta(milliseconds=number))
            subjects = [change.subjects[subject] for subject in sorted(change.subjects)]
            facet = registry_facet(self._registry, subjects, change.broken)
            yield topic_event(topic, facet, topic_columns(change.columns), at)

    def _changes(self) -> Iterator[Change]:
        """The changes, the oldest first."""
        state = dict(self._stored)
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
            yield Change({**state, **levelled, **gone})

    def _first(self, name: str) -> TopicSubject:
        """A subject that is reported for the first time."""
        (latest, level), role = self._listed[name]
        return TopicSubject.of(latest, role, self._source.versions(name), level)

    def _steps(self, name: str, last: TopicSubject) -> Iterator[tuple[TopicSubject, BrokenPromise | None]]:
        """The versions of a subject that are not reported yet, each with what it broke."""
        (latest, level), role = self._listed[name]
        if (latest.version, latest.id) == (last.version, last.id):
            return
        versions = self._source.versions(name)
        newer = [number for number in versions if last.version < number < latest.version]
        for version in (*(self._source.version(name, number) for number in newer), latest):
            is_kept = last.version in versions and last.version < version.version
            broke = self._broken(version, last, level) if is_kept else None
            last = TopicSubject.of(version, role, versions, level)
            yield last, broke

    def _broken(self, version: SubjectVersion, before: TopicSubject, level: str) -> BrokenPromise | None:
        """What a version broke: of the level that holds, by the registry's own check; of the level that held, or if the
        registry does not know, by the columns."""
        reasons, broke = self._source.incompatibilities(version, before.version), level
        lost = promised(before.promised) - (frozenset() if reasons is None else promised(level))
        if lost and not reasons:
            old = self._schema(self._source.version(version.subject, before.version))
            reasons, broke = broken(level_of(lost), old.columns, self._schema(version).columns), before.promised
        name, number = version.subject, version.version
        return BrokenPromise(name, number, before.version, broke, reasons) if reasons else None

    def _with_level(self, last: TopicSubject, subject: RegisteredSubject) -> TopicSubject:
        """A subject with the level of now. A stricter one adds to what is promised."""
        level = subject.compatibility
        return replace(last, compatibility=level, promised=strictest([last.promised, level]))

    def _is_gone(self, last: TopicSubject) -> bool:
        """Whether a subject was deleted. Another registry of the Kafka cluster may have those that this one lacks."""
        is_missing = self._is_ours and last.subject not in self._listed and not last.is_deleted
        return is_missing and not self._source.versions(last.subject)

    def _change(self, state: Mapping[str, TopicSubject], broke: BrokenPromise | None = None) -> Change:
        present = [subject for subject in state.values() if not subject.is_deleted and subject.subject in self._listed]
        read = [self._columns(subject) for subject in present]
        return Change(dict(state), broken=broke, columns=read)

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
