"""The lines of an object of the archive, no matter what compressed it.

An object in `events/` is a sequence of gzip members, each with the lines of one batch of events. Before, Firehose
compressed plain lines as one member. While a deployment changes the stream from one form to the other, an object may
have plain lines beside members, and a member that Firehose made may have members inside:

    member member member            events that normalise compressed
    member( line line line )        lines that Firehose compressed
    line line member line           either, in an object that Firehose left as it came
    member( line member line )      either, in an object that Firehose compressed

A line of JSON never begins with the first byte of a member.
"""

import io
import zlib
from collections.abc import Iterator

MEMBER = b"\x1f"
"""The first byte of a gzip member (RFC 1952)."""
MAX_LINE = 128 * 1024 * 1024
"""Bytes of a line: more than an event may have."""
NESTED = 2
"""The members that a line is inside of, at most."""
_WITH_GZIP_HEADER = 31


def lines_of(stream: io.BufferedReader) -> Iterator[bytes]:
    """The lines of a stream with members, lines or both. A line may go on in the next member.

    Raises EOFError or zlib.error where a member is cut off or damaged, after the lines before.
    """
    begun = b""
    for piece in _pieces(stream, NESTED):
        begun += piece
        if len(begun) > MAX_LINE:
            raise zlib.error(f"a line of more than {MAX_LINE} bytes")
        if begun.endswith(b"\n"):
            yield begun
            begun = b""
    if begun:
        yield begun


def _pieces(stream: io.BufferedReader, nested: int) -> Iterator[bytes]:
    """Lines; the last line of a member may lack its end."""
    while following := stream.peek(1):
        if nested and following.startswith(MEMBER):
            yield from _pieces(io.BufferedReader(_Member(stream)), nested - 1)
        else:
            yield stream.readline(MAX_LINE + 1)


class _Member(io.RawIOBase):
    """The text of the gzip member at which a stream stands. What follows the member stays in the stream."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream
        self._decompressor = zlib.decompressobj(_WITH_GZIP_HEADER)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview") -> int:  # type: ignore[override]
        content, decompressor = b"", self._decompressor
        while not content and not decompressor.eof:
            packed = self._stream.peek(1)
            content = decompressor.decompress(packed, len(buffer))
            if not packed and not content:
                raise EOFError("a gzip member is cut off")
            self._stream.read(len(packed) - len(decompressor.unused_data or decompressor.unconsumed_tail))
        buffer[: len(content)] = content
        return len(content)
