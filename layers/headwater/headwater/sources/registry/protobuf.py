"""The columns of a schema in Protocol Buffers (https://protobuf.dev/reference/protobuf/proto3-spec).

The first message of a file is its record, as for Kafka's serialisers unless configured otherwise.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from headwater.sources.registry.columns import BadSchema, RecordColumn, RecordSchema, array, map_of

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[\w.+-]+|[{}\[\]()<>=;,:]|\S""", re.DOTALL
)
_LABELS = frozenset({"optional", "required", "repeated"})
_SCALARS = {
    **dict.fromkeys(("int32", "sint32", "sfixed32"), "int"),
    **dict.fromkeys(("uint32", "fixed32", "int64", "sint64", "sfixed64"), "long"),
    **dict.fromkeys(("uint64", "fixed64"), "decimal(20,0)"),
    "float": "float",
    "double": "double",
    "bool": "boolean",
    "string": "string",
    "bytes": "bytes",
}
_WELL_KNOWN = {
    "google.protobuf.Timestamp": "timestamp",
    "google.type.Date": "date",
    "google.type.TimeOfDay": "time",
    "confluent.type.Decimal": "decimal",
}
_WRAPPERS = {f"google.protobuf.{kind.title().replace('Uint', 'UInt')}Value": kind for kind in _SCALARS}


@dataclass
class _Field:
    name: str
    type: str
    label: str = ""
    key: str = ""
    """The type of the keys of a map."""


@dataclass
class _Message:
    """A message by its full name, with its fields; `is_enum` for an enum, whose values are texts to readers."""

    name: str
    fields: list[_Field] = field(default_factory=list)
    is_enum: bool = False


def read_protobuf(text: str, references: Iterable[str] = ()) -> RecordSchema:
    """The columns of the first message of a file. `references` are the files that it imports. Raises BadSchema."""
    messages: dict[str, _Message] = {}
    for file in (*references, text):
        own = _File(file)
        messages |= own.messages
    first = next((message for message in own.messages.values() if not message.is_enum), None)
    if first is None:
        raise BadSchema("no message")
    return RecordSchema(first.name, RecordColumn("", "struct", _columns(first, messages, (first.name,))))


def record_name(text: str) -> str:
    """The full name of the first message of a file. Raises BadSchema."""
    return next((message.name for message in _File(text).messages.values() if not message.is_enum), "")


def _columns(message: _Message, messages: Mapping[str, _Message], inside: tuple[str, ...]) -> tuple[RecordColumn, ...]:
    """The fields of a message. A message that contains itself ends where it is named again."""
    columns = []
    for of in message.fields:
        column = _type(of.type, message.name, messages, inside)
        if of.key:
            column = map_of(column)
        elif of.label == "repeated":
            column = array(column)
        is_nullable = column.is_nullable or of.label == "optional" or column.type in ("struct", "timestamp", "date")
        columns.append(replace(column, name=of.name, has_default=of.label != "required", is_nullable=is_nullable))
    return tuple(columns)


def _type(name: str, scope: str, messages: Mapping[str, _Message], inside: tuple[str, ...]) -> RecordColumn:
    if name in _SCALARS:
        return RecordColumn("", _SCALARS[name])
    plain = name.lstrip(".")
    if plain in _WRAPPERS:
        return RecordColumn("", _SCALARS[_WRAPPERS[plain]], is_nullable=True)
    if plain in _WELL_KNOWN:
        return RecordColumn("", _WELL_KNOWN[plain])
    message = _found(plain, scope, messages)
    if message is None or message.name in inside:
        return RecordColumn("", "struct")
    if message.is_enum:
        return RecordColumn("", "string")
    return RecordColumn("", "struct", _columns(message, messages, (*inside, message.name)))


def _found(name: str, scope: str, messages: Mapping[str, _Message]) -> _Message | None:
    """The message of a name, looked for from the innermost scope outwards."""
    while True:
        if message := messages.get(f"{scope}.{name}" if scope else name):
            return message
        if not scope:
            return None
        scope = scope.rpartition(".")[0]


class _File:
    """The messages and enums of one file, in the order in which they begin."""

    def __init__(self, text: str) -> None:
        found: list[str] = _TOKEN.findall(text)
        self._tokens = [word for word in found if not word.startswith(("//", "/*"))]
        self._at = 0
        self._package = ""
        self.messages: dict[str, _Message] = {}
        while self._at < len(self._tokens):
            self._statement()

    def _statement(self) -> None:
        match self._next():
            case "package":
                self._package = self._next()
            case "message":
                self._message(self._package)
                return
            case "enum":
                self._enum(self._package)
                return
            case ";":
                return
        self._skip()

    def _message(self, above: str) -> None:
        message = self._begin(above)
        while (word := self._next()) != "}":
            if word == "message":
                self._message(message.name)
            elif word == "enum":
                self._enum(message.name)
            elif word in ("option", "reserved", "extensions", "extend"):
                self._skip()
            elif word == "oneof":
                self._oneof(message)
            elif word != ";":
                self._field(message, word)

    def _oneof(self, message: _Message) -> None:
        self._next()
        self._expect("{")
        while (word := self._next()) != "}":
            if word == "option":
                self._skip()
            elif word != ";":
                self._field(message, word, "optional")

    def _field(self, message: _Message, word: str, label: str = "") -> None:
        if word in _LABELS:
            label, word = word, self._next()
        key = ""
        if word == "map":
            self._expect("<")
            key = self._next()
            self._expect(",")
            word = self._next()
            self._expect(">")
        message.fields.append(_Field(self._next(), word, label, key))
        self._expect("=")
        self._skip()

    def _enum(self, above: str) -> None:
        self._begin(above).is_enum = True
        self._at -= 1
        self._skip()

    def _begin(self, above: str) -> _Message:
        name = self._next()
        message = _Message(f"{above}.{name}" if above else name)
        self.messages[message.name] = message
        self._expect("{")
        return message

    def _skip(self) -> None:
        """Passes over the rest of a statement: up to its semicolon, or over its block."""
        depth = 0
        while True:
            word = self._next()
            depth += (word in "{[") - (word in "}]")
            if depth == 0 and word in ";}":
                return

    def _next(self) -> str:
        if self._at >= len(self._tokens):
            raise BadSchema("the file ends within a statement")
        self._at += 1
        return self._tokens[self._at - 1]

    def _expect(self, word: str) -> None:
        if (found := self._next()) != word:
            raise BadSchema(f"expected {word}, found {found[:100]}")
