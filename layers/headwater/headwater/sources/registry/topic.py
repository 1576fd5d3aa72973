"""A topic as the graph has it: the facet that says what was sent of the topic's subjects last."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from headwater.graph.facets.schema import REGISTRY
from headwater.openlineage.event import Facets
from headwater.sources.registry.compatibility import strictest
from headwater.sources.registry.subject import RegisteredSubject, SubjectRole, SubjectVersion


@dataclass(frozen=True)
class TopicSubject:
    """A subject of a topic, as an event tells it.

    versions        the versions that the registry has, as far as they were read: the history
    compatibility   the level that holds for the next version
    promised        the strictest level since this version is the newest: what its readers may rely on
    is_deleted      whether the registry no longer has the subject. Its schema stays: records of it are in the topic
    """

    subject: str
    role: SubjectRole
    format: str
    record: str
    version: int
    id: int | str
    versions: tuple[int, ...]
    compatibility: str
    promised: str
    is_deleted: bool = False

    @classmethod
    def of(cls, version: SubjectVersion, role: SubjectRole, versions: Sequence[int], level: str) -> "TopicSubject":
        """A subject with a version that is told for the first time."""
        record, promise = version.record_name(), strictest([level])
        numbers = tuple(number for number in versions if number <= version.version)
        return cls(version.subject, role, version.format, record, version.version, version.id, numbers, level, promise)

    def is_like(self, subject: RegisteredSubject) -> bool:
        """Whether nothing has changed since."""
        latest = subject.latest
        known = (self.version, self.id, self.compatibility, self.is_deleted)
        return known == (latest.version, latest.id, subject.compatibility, False)

    def as_json(self) -> dict[str, Any]:
        return {
            "subject": self.subject,
            "role": self.role.value,
            "format": self.format,
            "record": self.record,
            "version": self.version,
            "id": self.id,
            "versions": list(self.versions),
            "compatibility": self.compatibility,
            "promised": self.promised,
            **({"deleted": True} if self.is_deleted else {}),
        }


class ToldTopic(NamedTuple):
    """What was sent of a topic last: the name of its registry, and its subjects."""

    registry: str = ""
    subjects: Sequence[TopicSubject] = ()


class TopicGraph(Protocol):
    """What a poll asks the graph."""

    def told_topics(self, namespace: str) -> Mapping[str, ToldTopic]:
        """The topics with subjects by name."""


def told_topics(facets: Iterable[tuple[str, Facets]]) -> dict[str, ToldTopic]:
    """The topics with subjects, by the facets of datasets. An entry that is not ours is passed over."""
    topics: dict[str, ToldTopic] = {}
    for name, of_topic in facets:
        match of_topic.get(REGISTRY):
            case {"registry": str(registry), "subjects": [_, *_] as entries}:
                topics[name] = ToldTopic(registry, [subject for entry in entries if (subject := _subject(entry))])
    return topics


def _subject(entry: Any) -> TopicSubject | None:
    match entry:
        case {
            "subject": str(subject),
            "role": "key" | "value" as role,
            "format": str(format_),
            "record": str(record),
            "version": int(version),
            "id": int() | str() as id_,
            "versions": list(versions),
            "compatibility": str(level),
            "promised": str(promised),
        }:
            numbers = tuple(number for number in versions if isinstance(number, int))
            is_deleted = entry.get("deleted") is True
            return TopicSubject(
                subject, SubjectRole(role), format_, record, version, id_, numbers, level, promised, is_deleted
            )
    return None
