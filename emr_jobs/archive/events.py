"""Reads the events of the archive. What cannot be read becomes a fault with its place and its reason.

The archive may have an event many times: an earlier rebuild, a redrive or Firehose has doubled it. All states
are joins, to which an event may be given twice; and only the earliest receipt of an event counts for its latency. So no
step looks for doubled events before they are read.

An object is unpacked by one task, since nothing can begin in the middle of gzip. Its lines are handed on in chunks: the
events of one large object are normalised by all tasks.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import simplejson
from pyspark import RDD, SparkContext

from emr_jobs.archive.location import ArchiveObject, Location
from headwater.openlineage.instant import NEVER, Instant, parse_instant
from headwater.store.archive_lines import lines_of
from headwater.store.aws import translated_errors
from headwater.store.errors import StorageError

PARTITION_BYTES = 16 * 1024 * 1024
"""Gzipped lines of events for one task: some 150 MB of text."""
BUFFER_BYTES = 64 * 1024
CHUNK_BYTES = 1024 * 1024
"""Text of a chunk: some hundred events, which mostly are of the same runs."""
_START, _EVENT, _END = b'{"receivedAt":', b',"event":', b"}"
_AFTER = " after line "


class ArchivedEvent(NamedTuple):
    """An event as it was received: its canonical text, and the time at which it was received."""

    text: str
    received_at: Instant


class Fault(NamedTuple):
    """Something in the archive that cannot be read: a line, the rest of an object, a body, or an event."""

    place: str
    reason: str

    @property
    def unfinished_object(self) -> str:
        """The key of the object whose rest cannot be read; empty if a line or an event is the fault."""
        key, separator, _ = self.place.rpartition(_AFTER)
        return key if separator else ""


class Chunk(NamedTuple):
    """Consecutive lines of an object, from the number of the first line on."""

    key: str
    first: int
    lines: tuple[bytes, ...]


class Span(NamedTuple):
    """The events to read: those received from `start` on, and before `end`. An empty text is no bound."""

    start: Instant = NEVER
    end: Instant = NEVER

    def has(self, event: ArchivedEvent) -> bool:
        return self.start <= event.received_at and (not self.end or event.received_at < self.end)

    def may_have(self, day: str) -> bool:
        """Whether a day's folder may have such events. A line is never filed under a day before its receipt, but it may
        be under any later one: a redrive archives an event once more."""
        return day.partition("date=")[2][:10] >= self.start[:10]


ALL = Span()


def read_archive(context: SparkContext, archive: Location, span: Span) -> RDD[ArchivedEvent | Fault]:
    """The events of a span, and the faults."""
    return read_objects(archive, archive_objects(context, archive, span), span)


def archive_objects(context: SparkContext, archive: Location, span: Span = ALL) -> RDD[ArchiveObject]:
    """The objects that may have events of a span."""
    days = [day for day in archive.days() if span.may_have(day)]
    return context.parallelize(days, max(1, len(days))).flatMap(archive.objects)


def read_objects(archive: Location, objects: RDD[ArchiveObject], span: Span = ALL) -> RDD[ArchivedEvent | Fault]:
    """The events of objects in a span, and the faults."""
    listed = objects.cache()
    size = listed.map(lambda found: found.size).sum()
    tasks = int(max(listed.context.defaultParallelism, size // PARTITION_BYTES + 1))
    chunks = listed.keyBy(_task).partitionBy(tasks, _itself).values().flatMap(lambda found: _chunks(archive, found))
    read = chunks.keyBy(_task).partitionBy(tasks, _itself).values().flatMap(lambda chunk: _read(archive, chunk))
    return read.filter(lambda found: isinstance(found, Fault) or span.has(found))


def _task(part: ArchiveObject | Chunk | Fault) -> int:
    """Spreads objects and chunks over the tasks."""
    match part:
        case Chunk():
            return zlib.crc32(part.key.encode()) + part.first
    return zlib.crc32(part[0].encode())


def _itself(task: int) -> int:
    return task


def _chunks(archive: Location, found: ArchiveObject) -> Iterator[Chunk | Fault]:
    lines: list[bytes] = []
    number = size = 0
    try:
        with closing(archive.open(found.key)) as raw:
            for number, line in enumerate(_lines(raw), start=1):
                lines.append(line)
                size += len(line)
                if size >= CHUNK_BYTES:
                    yield Chunk(found.key, number - len(lines) + 1, tuple(lines))
                    lines, size = [], 0
    except (StorageError, OSError, EOFError, zlib.error) as error:
        yield Fault(f"{found.key}{_AFTER}{number}", _reason(error))
    if lines:
        yield Chunk(found.key, number - len(lines) + 1, tuple(lines))


def _read(archive: Location, part: Chunk | Fault) -> Iterator[ArchivedEvent | Fault]:
    if isinstance(part, Fault):
        yield part
        return
    for number, line in enumerate(part.lines, start=part.first):
        if line.strip():
            yield _read_line(archive, line, f"{part.key} line {number}")


def _lines(raw: Any) -> Iterator[bytes]:
    return lines_of(io.BufferedReader(_Readable(raw), BUFFER_BYTES))


class _Readable(io.RawIOBase):
    """The body of an answer of S3, or a file, as a raw stream."""

    def __init__(self, body: Any) -> None:
        self._body = body

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with translated_errors():
            content = self._body.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)


def _read_line(archive: Location, line: bytes, place: str) -> ArchivedEvent | Fault:
    try:
        text = line.strip()
        received, separator, event = text.partition(_EVENT)
        if separator and received.startswith(_START) and text.endswith(_END):
            received_at = simplejson.loads(received.removeprefix(_START))
            return ArchivedEvent(event[:-1].decode(), parse_instant(received_at))
        pointer = simplejson.loads(text)
        content = gzip.decompress(archive.get(pointer["s3"]))
        return ArchivedEvent(content.decode(), parse_instant(pointer["receivedAt"]))
    except (ValueError, TypeError, KeyError, OSError, EOFError, zlib.error, StorageError) as error:
        return Fault(place, _reason(error))


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
