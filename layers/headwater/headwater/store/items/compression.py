"""Documents in items: exact JSON, compressed with a dictionary of OpenLineage's boilerplate. Equal documents are equal
bytes.

A Spark event has 7 KB, and all but its names and figures is the same in every other Spark event: the URLs of schemas
and producers, the names of members. zlib finds such text in the dictionary, so an event takes 650 bytes instead of
1,200, and most items stay below the 1 KB of one write unit.

A packed document begins with the checksum of its dictionary (RFC 1950, DICTID); documents of release 0.1.0 have no
dictionary. A dictionary never changes, since items need it for as long as they are stored. A better dictionary is a
further file, beside the older ones.
"""

import sys
import zlib
from pathlib import Path
from typing import Any

import orjson

from headwater.openlineage import exact_json

LEVEL = 6
_HAS_DICTIONARY = 0x20
"""A bit of the second byte of a packed document: four bytes with the checksum of the dictionary follow."""

_LOOKED_AT = frozenset({dict, list, float})
_SHARING = _LOOKED_AT | {str}
"""Texts, and what may have texts in it."""

_NEWEST = Path(__file__).with_name("dictionaries").joinpath("1.jsonl").read_bytes()
DICTIONARIES = {zlib.adler32(dictionary): dictionary for dictionary in (_NEWEST,)}
"""The dictionaries by their checksums."""
_COMPRESSOR = zlib.compressobj(LEVEL, zdict=_NEWEST)
"""Has read the dictionary, which takes longer than packing a document, and is copied for each document."""


def pack(document: Any) -> bytes:
    """Compresses a JSON document."""
    return pack_text(exact_json.dumps(document))


def pack_text(canonical: str) -> bytes:
    """Compresses a document that is canonical JSON."""
    compressor = _COMPRESSOR.copy()
    return compressor.compress(canonical.encode()) + compressor.flush()


def unpack(packed: bytes) -> Any:
    """The compressed document. Raises ValueError or zlib.error if there is none.

    Strings that many documents share, such as names of members and columns and URLs of schemas, are one object in
    memory, so thousands of states take a quarter less.
    """
    text = _inflated(packed)
    try:
        return _with_shared_texts(orjson.loads(text))
    except (_Inexact, orjson.JSONDecodeError):
        return _with_shared_texts(exact_json.loads_trusted(text.decode()))


def unpack_once(packed: bytes) -> Any:
    """The compressed document for somebody who does not keep it: no text is shared, and a decimal or an integer of more
    than 64 bits may be a float. Raises ValueError or zlib.error if there is none."""
    text = _inflated(packed)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return exact_json.loads_trusted(text.decode())


class _Inexact(Exception):
    """orjson reads five times as fast, but a decimal and an integer of more than 64 bits become a float."""


def _with_shared_texts(document: Any) -> Any:
    kind = type(document)
    if kind is str:
        return sys.intern(document)
    if kind is dict:  # texts and numbers here, which saves most of the calls
        return {
            sys.intern(name): sys.intern(member)
            if type(member) is str
            else _with_shared_texts(member)
            if type(member) in _LOOKED_AT
            else member
            for name, member in document.items()
        }
    if kind is list and not _SHARING.isdisjoint(map(type, document)):
        return [_with_shared_texts(entry) for entry in document]
    if kind is float:
        raise _Inexact
    return document


def _inflated(packed: bytes) -> bytes:
    if len(packed) < 6 or not packed[1] & _HAS_DICTIONARY:
        return zlib.decompress(packed)
    dictionary = DICTIONARIES.get(int.from_bytes(packed[2:6]))
    if dictionary is None:
        raise ValueError("compressed with a dictionary that this release does not have")
    # zlib would compute the checksum of the dictionary again, which takes longer than all the rest
    decompressor = zlib.decompressobj(wbits=-zlib.MAX_WBITS, zdict=dictionary)
    content = decompressor.decompress(packed[6:])
    if not decompressor.eof or len(decompressor.unused_data) < 4:
        raise ValueError("the document is cut off")
    if zlib.adler32(content) != int.from_bytes(decompressor.unused_data[:4]) or int.from_bytes(packed[:2]) % 31:
        raise ValueError("the document has another checksum than was stored")
    return content
