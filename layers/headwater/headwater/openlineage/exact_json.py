"""Lossless JSON: a number keeps its digits, and equal documents have one canonical text.

A facet may contain `1e400`, or a decimal with more digits than a double. Both are written as they were read.
"""

import hashlib
import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any

import orjson
import simplejson

from headwater.openlineage.faults import Fault, InvalidRequest, path_of

JsonObject = dict[str, Any]
"""A JSON object."""

MAX_DEPTH = 200
"""Levels of nesting. No producer comes near this limit, which keeps a recursive reader from failing."""

MAX_VALUES = 1_000_000
"""Values in a document: each value costs memory and time, however short. 5,000 datasets have some 200,000 values."""

_ORJSON_DEPTH = 254
_STRICT = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME
_DECODER = simplejson.JSONDecoder(parse_float=Decimal)
_SUSPICIOUS = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""A NUL or a surrogate as a JSON escape. UTF-8 has no unescaped surrogate, JSON no unescaped NUL."""


def loads(text: str) -> Any:
    """The document in a text. Raises InvalidRequest for a text that is not JSON, is too large, or cannot be stored."""
    if len(text) > MAX_VALUES and sum(map(text.count, ",[{")) > MAX_VALUES:
        raise InvalidRequest(Fault("body", f"more than {MAX_VALUES} values; send smaller requests"), status=413)
    try:
        document = _STRICT_DECODER.decode(text)
    except RecursionError:
        raise InvalidRequest(Fault("body", f"nested more than {MAX_DEPTH} levels deep")) from None
    except simplejson.JSONDecodeError as error:
        reason = error.msg.removesuffix(" %r at")
        raise InvalidRequest(Fault("body", f"not JSON: {reason} at line {error.lineno} column {error.colno}")) from None
    except _NotANumber as error:
        raise InvalidRequest(Fault("body", f"not JSON: {error} is not a number")) from None
    except (ValueError, InvalidOperation):
        raise InvalidRequest(Fault("body", "a number has too many digits")) from None
    _check_depth(document)
    if _SUSPICIOUS.search(text):
        _check_texts(document)
    return document


def loads_trusted(text: str) -> Any:
    """The document in a text of `dumps`, without checks."""
    return _DECODER.decode(text)


class DocumentText(simplejson.RawJSON):
    """A part of a document that is JSON already, and is written as it is."""


class DocumentParts(DocumentText):
    """A part of a document that is JSON already, in pieces: of an answer of megabytes, each copy costs."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        super().__init__("")
        self.parts = parts

    @property
    def encoded_json(self) -> str:
        return b"".join(self.parts).decode()

    @encoded_json.setter
    def encoded_json(self, _: str) -> None:
        """simplejson sets it."""


def dumps(document: Any) -> str:
    """The canonical text of a document: members sorted, no spaces, no escapes that JSON does not require.

    A document has the types of `loads`, tuples and floats. Raises TypeError for any other.
    """
    return _written(document, orjson.OPT_SORT_KEYS).decode()


def encode(document: Any) -> bytes:
    """The JSON of a document, its members in their order. Those in pieces are copied once."""
    if not isinstance(document, dict) or not any(isinstance(value, DocumentParts) for value in document.values()):
        return _written(document)
    pieces = [b"{"]
    for name, value in document.items():
        parts = value.parts if isinstance(value, DocumentParts) else [_written(value)]
        pieces += [b"," if len(pieces) > 1 else b"", _written(name), b":", *parts]
    return b"".join([*pieces, b"}"])


def _written(document: Any, option: int = 0) -> bytes:
    """orjson writes five times as fast as simplejson, but no integer of more than 64 bits."""
    try:
        return orjson.dumps(document, _converted, _STRICT | option)
    except orjson.JSONEncodeError:
        encoder = _SORTED_ENCODER if option else _ENCODER
        return encoder.encode(document).encode()


def _converted(value: Any) -> Any:
    """What orjson does not know, as something that it knows."""
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Decimal) and value.is_finite():
        return orjson.Fragment(str(value))
    if isinstance(value, DocumentText):
        return orjson.Fragment(value.encoded_json)
    raise TypeError


def digest(document: Any) -> str:
    """128 bits of SHA-256 over the canonical text, in hex: equal documents have equal digests."""
    return digest_of(dumps(document))


def digest_of(text: str) -> str:
    """The digest of a document by its canonical text."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


class _NotANumber(Exception):
    """NaN or an Infinity, which JavaScript has and JSON lacks."""


def _no_constant(name: str) -> Decimal:
    raise _NotANumber(name)


_CONTAINERS = frozenset({dict, list})
_ENCODER, _SORTED_ENCODER = (
    simplejson.JSONEncoder(
        sort_keys=is_sorted, separators=(",", ":"), ensure_ascii=False, use_decimal=True, namedtuple_as_object=False
    )
    for is_sorted in (False, True)
)
_STRICT_DECODER = simplejson.JSONDecoder(parse_float=Decimal, parse_constant=_no_constant)


def _check_depth(document: Any) -> None:
    if _is_flat(document):
        return
    level = [document] if type(document) in _CONTAINERS else []
    for _ in range(MAX_DEPTH + 1):
        level = [
            member
            for container in level
            for member in (container.values() if type(container) is dict else container)
            if type(member) in _CONTAINERS
        ]
        if not level:
            return
    raise InvalidRequest(Fault("body", f"nested more than {MAX_DEPTH} levels deep"))


def _is_flat(document: Any) -> bool:
    """Whether orjson, which writes at most 254 levels, can write the document within so many more lists: then it has at
    most `MAX_DEPTH` levels. It does so in a third of the time of a walk."""
    within = document
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH):
        within = [within]
    try:
        orjson.dumps(within, _converted, _STRICT)
    except orjson.JSONEncodeError:
        return False
    return True


def _check_texts(document: Any) -> None:
    """Raises InvalidRequest for a NUL or half of a surrogate pair, with its path. Walks without recursion."""
    pending: list[tuple[Any, tuple[str | int, ...]]] = [(document, ())]
    while pending:
        value, path = pending.pop()
        if isinstance(value, str):
            _check_text(value, path)
        elif isinstance(value, dict | list):
            for name, member in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(name, str):
                    _check_text(name, (*path, "(member name)"))
                pending.append((member, (*path, name)))


def _check_text(text: str, path: tuple[str | int, ...]) -> None:
    if "\x00" in text:
        raise InvalidRequest(Fault(path_of(*path), "has a NUL character"))
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            raise InvalidRequest(Fault(path_of(*path), "has half of a surrogate pair")) from None
