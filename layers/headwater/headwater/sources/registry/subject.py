"""Subjects of a registry: their versions, and the topics that they describe.

TopicNameStrategy          orders-value, orders-key       the topic orders
TopicRecordNameStrategy    orders-com.acme.Order          the topic orders
RecordNameStrategy         com.acme.Order                 the topics that the settings name
Glue                       orders                         the topic orders
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Protocol

from headwater.retry import Deadline
from headwater.sources.poller import ReadParts
from headwater.sources.registry import avro, json_schema, protobuf
from headwater.sources.registry.columns import BadSchema, RecordSchema


class SchemaFormat(StrEnum):
    AVRO = "AVRO"
    JSON = "JSON"
    PROTOBUF = "PROTOBUF"


MAX_REFERENCES = 200
"""Schemas that a version may refer to, by way of others too: each is a request, and a chain of them nests calls."""
_RECORD_NAMES: Mapping[SchemaFormat, Callable[[str], str]] = {
    SchemaFormat.AVRO: avro.record_name,
    SchemaFormat.JSON: json_schema.record_name,
    SchemaFormat.PROTOBUF: protobuf.record_name,
}


class SubjectRole(StrEnum):
    """The part of a topic's records that a subject describes."""

    KEY = "key"
    VALUE = "value"


class Reference(NamedTuple):
    """A version of another subject whose types a schema names, by the name in the schema."""

    name: str
    subject: str
    version: int


@dataclass(frozen=True)
class SubjectVersion:
    """A version of a subject. `id` is the registry's: a number in Confluent's, a UUID in Glue."""

    subject: str
    version: int
    id: int | str
    format: SchemaFormat
    text: str
    references: Sequence[Reference] = ()

    def record_name(self) -> str:
        """The full name of the record; empty if there is none, or if the schema cannot be read."""
        try:
            return _RECORD_NAMES[self.format](self.text)
        except (BadSchema, RecursionError):
            return ""

    def schema(self, references: Mapping[str, str]) -> RecordSchema:
        """The columns. `references` are the texts of all schemas that are referred to, the deepest first, by the names
        of the references. Raises BadSchema."""
        try:
            match self.format:
                case SchemaFormat.AVRO:
                    return avro.read_avro(self.text, references.values())
                case SchemaFormat.JSON:
                    return json_schema.read_json_schema(self.text, references)
                case SchemaFormat.PROTOBUF:
                    return protobuf.read_protobuf(self.text, references.values())
        except RecursionError:
            raise BadSchema("nested too deeply") from None


class RegisteredSubject(NamedTuple):
    """A subject with its newest version and its compatibility level."""

    latest: SubjectVersion
    compatibility: str


class SubjectSource(Protocol):
    """A registry. Each method raises Unreachable if there is no complete answer."""

    def listed(self, deadline: Deadline, /) -> ReadParts[RegisteredSubject]:
        """All subjects as they are now, as many as can be read until the deadline."""

    def versions(self, subject: str) -> list[int]:
        """The versions of a subject in order; none if the subject does not exist."""

    def version(self, subject: str, version: int) -> SubjectVersion:
        """One version of a subject."""

    def incompatibilities(self, version: SubjectVersion, before: int, /) -> list[str] | None:
        """Why a version is not compatible with one before, by the registry's own check at the subject's level. None if
        the registry does not know, or will not say to this client."""


class DescribedTopic(NamedTuple):
    """A topic, and the part of its records that a subject describes."""

    topic: str
    role: SubjectRole


def described_by(
    latest: SubjectVersion, topics: Mapping[str, Sequence[str]], *, is_named_after_topic: bool
) -> list[DescribedTopic]:
    """What a subject describes. `topics` are the topics of subjects by the settings, which come first. With
    `is_named_after_topic`, as in Glue, a subject that follows no strategy has the name of its topic."""
    subject = latest.subject
    if subject in topics:
        return [DescribedTopic(topic, SubjectRole.VALUE) for topic in topics[subject]]
    for role in SubjectRole:
        if subject.endswith(f"-{role}") and len(subject) > len(role) + 1:
            return [DescribedTopic(subject.removesuffix(f"-{role}"), role)]
    record = latest.record_name()
    if record and subject.endswith(f"-{record}") and len(subject) > len(record) + 1:
        return [DescribedTopic(subject.removesuffix(f"-{record}"), SubjectRole.VALUE)]
    return [DescribedTopic(subject, SubjectRole.VALUE)] if is_named_after_topic and subject != record else []


def texts_of(source: SubjectSource, version: SubjectVersion) -> dict[str, str]:
    """The texts of all schemas that a version refers to, the deepest first, by the names of the references. Raises
    Unreachable, or BadSchema for more than MAX_REFERENCES."""
    texts: dict[str, str] = {}
    _add_texts(source, version.references, texts, set())
    return texts


def _add_texts(
    source: SubjectSource, references: Iterable[Reference], texts: dict[str, str], seen: set[tuple[str, int]]
) -> None:
    for reference in references:
        if (reference.subject, reference.version) not in seen:
            if len(seen) == MAX_REFERENCES:
                raise BadSchema(f"refers to more than {MAX_REFERENCES} schemas")
            seen.add((reference.subject, reference.version))
            referred = source.version(reference.subject, reference.version)
            _add_texts(source, referred.references, texts, seen)
            texts[reference.name] = referred.text
