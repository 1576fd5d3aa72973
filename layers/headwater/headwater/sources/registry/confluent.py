"""Confluent's schema registry, and those that speak its REST API (Confluent Cloud, Karapace, Apicurio, Redpanda).

The nodes of a registry give the same answers: if one cannot be reached, the next is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from headwater.rest import ANSWER_SECONDS, Answer, BadAnswer, HttpError, RestUrl, Unreachable, first_answer
from headwater.retry import Deadline
from headwater.sources.poller import ReadParts, read_each
from headwater.sources.registry.subject import Reference, RegisteredSubject, SchemaFormat, SubjectVersion

NO_SUBJECT = 40401
NO_VERSION = 40402
NO_LEVEL = 40408
"""The subject has no level of its own (docs.confluent.io, Schema Registry API)."""
_NONE: Mapping[int, Any] = {}
_NO_REASONS: Mapping[int, list[str] | None] = {
    HTTPStatus.FORBIDDEN: None,
    HTTPStatus.UNPROCESSABLE_ENTITY: None,
    NO_SUBJECT: [],
    NO_VERSION: [],
}
"""A key that may only read subjects may be refused (403), and Apicurio cannot check beside a version with references
(422). Once the version before was deleted, nothing is left to be compatible with."""
_SHOWN = 300


class RegistryUrl(RestUrl):
    expected = "a registry has a URL such as https://registry:8081"
    server = "registry"


@dataclass(frozen=True)
class ConfluentRegistry:
    """`SubjectSource` over the nodes of one registry."""

    urls: Sequence[RegistryUrl]
    seconds: float = ANSWER_SECONDS

    def listed(self, deadline: Deadline) -> ReadParts[RegisteredSubject]:
        names = self._ask("/subjects", _names)
        level = self._ask("/config", _level)
        return read_each(names, lambda name: self._subject(name, level), deadline)

    def versions(self, subject: str) -> list[int]:
        return self._ask(f"{_path(subject)}/versions", _numbers, {NO_SUBJECT: []})

    def version(self, subject: str, version: int) -> SubjectVersion:
        return self._ask(f"{_path(subject)}/versions/{version}", _version)

    def incompatibilities(self, version: SubjectVersion, before: int, /) -> list[str] | None:
        """Confluent's answer to `verbose` has the reasons in `messages`, Apicurio's has one in `reason`."""
        body: dict[str, Any] = {"schema": version.text, "schemaType": version.format.value}
        if version.references:
            body["references"] = [reference._asdict() for reference in version.references]
        path = f"/compatibility{_path(version.subject)}/versions/{before}?verbose=true"
        return self._ask(path, _reasons, _NO_REASONS, body)

    def _subject(self, name: str, level: str) -> RegisteredSubject:
        """The subject with its level, or the registry's if it has none."""
        latest = self._ask(f"{_path(name)}/versions/latest", _version)
        path = f"/config{_path(name).removeprefix('/subjects')}"
        return RegisteredSubject(latest, self._ask(path, _level, {NO_LEVEL: level, NO_SUBJECT: level}))

    def _ask(
        self, path: str, read: Callable[[Any], Answer], absent: Mapping[int, Answer] = _NONE, body: Any = None
    ) -> Answer:
        """An answer of the first node that gives one. `absent` is what errors mean, by their codes or their status.
        Raises Unreachable."""

        def ask(url: RegistryUrl) -> Answer:
            try:
                return read(url.ask(path, body, seconds=self.seconds))
            except HttpError as error:
                if meant := {error.code, error.status} & absent.keys():
                    return absent[meant.pop()]
                raise Unreachable(str(error)) from None
            except BadAnswer as error:
                raise Unreachable(f"{url.url}{path.partition('?')[0]}: {error}") from None

        return first_answer(self.urls, ask)


def _path(subject: str) -> str:
    return f"/subjects/{quote(subject, safe='')}"


def _names(answer: Any) -> list[str]:
    if not isinstance(answer, list) or not all(isinstance(name, str) for name in answer):
        raise BadAnswer("the list of subjects is no array of names")
    return answer


def _numbers(answer: Any) -> list[int]:
    if not isinstance(answer, list) or not all(isinstance(number, int) for number in answer):
        raise BadAnswer("the list of versions is no array of numbers")
    return sorted(answer)


def _level(answer: Any) -> str:
    match answer:
        case {"compatibilityLevel": str(level)}:
            return level
    raise BadAnswer("no compatibility level")


def _version(answer: Any) -> SubjectVersion:
    match answer:
        case {"subject": str(subject), "version": int(version), "id": int(id_), "schema": str(text)}:
            pass
        case _:
            raise BadAnswer("no whole version of a subject")
    kind = answer.get("schemaType") or SchemaFormat.AVRO
    if kind not in [*SchemaFormat]:
        raise BadAnswer(f"the format {str(kind)[:50]} is not known")
    references = answer.get("references") or []
    return SubjectVersion(subject, version, id_, SchemaFormat(kind), text, [_reference(entry) for entry in references])


def _reference(entry: Any) -> Reference:
    match entry:
        case {"name": str(name), "subject": str(subject), "version": int(version)}:
            return Reference(name, subject, version)
    raise BadAnswer("a reference without name, subject or version")


def _reasons(answer: Any) -> list[str]:
    match answer:
        case {"is_compatible": True}:
            return []
        case {"is_compatible": False}:
            messages: Mapping[str, Any] = answer
            listed = messages.get("messages") or [messages.get("reason") or "the registry gives no reason"]
            return [str(message)[:_SHOWN] for message in listed]
    raise BadAnswer("no answer whether the version is compatible")
