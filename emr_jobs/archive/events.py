"""Reads the events of the archive. What cannot be read becomes a fault with its place and its reason.

The archive may have an event many times: an earlier rebuild, a redrive or Firehose has doubled it. All states are
joins, to which an event may be given twice; and only the earliest receipt of an event counts for its latency. So no
step looks for duplicates before events are read.

An object is unpacked by one task, since nothing can begin in the middle of gzip. Its lines are handed on to all tasks,
those of a job to one: the events of a run become one state there, and a schema or column lineage that the job sends
again and again is sent on once.
"""

import gzip
import io
import zlib
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Any, NamedTuple

import simplejson
from pyspark import RDD, SparkContext

from headwater.openlineage.instant import NEVER, Instant, parse_instant
from headwater.store.archive_lines import lines_of
from headwater.store.archive_location import ArchiveObject, Location
from headwater.store.aws.client import translated_errors
from headwater.store.errors import StorageError

PARTITION_BYTES = 8 * 1024 * 1024
"""Gzipped lines of events for one task: some 100 MB of text."""
BUFFER_BYTES = 64 * 1024
HANDED_ON_BYTES = 4 * 1024 * 1024
"""Text that is handed on at once: some hundred events."""
LINES_TOGETHER = 64
"""Lines of an object for which a job has one task; the job's further lines go to sixteen, by the runs."""
_START, _EVENT, _END = b'{"receivedAt":', b',"event":', b"}"
_AFTER = " after line "


class ArchivedEvent(NamedTuple):
    """An event as it was received: its canonical text, and the time at which it was received."""

    text: str
    received_at: Instant


class LineFault(NamedTuple):
    """Something in the archive that cannot be read: a line, the rest of an object, a body, or an event."""

    place: str
    reason: str

    @property
    def unfinished_object(self) -> str:
        """The key of the object whose rest cannot be read; empty if a line or an event is the fault."""
        key, separator, _ = self.place.rpartition(_AFTER)
        return key if separator else ""


class Lines(NamedTuple):
    """Lines of an object for one task, each with its number."""

    key: str
    task: int
    numbered: list[tuple[int, bytes]]


class Bounds(NamedTuple):
    """The events to read: those received from `start` on, and before `end`. An empty text means no bound."""

    start: Instant = NEVER
    end: Instant = NEVER

    def has(self, event: ArchivedEvent) -> bool:
        return self.start <= event.received_at and (not self.end or event.received_at < self.end)

    def may_have(self, day: str) -> bool:
        """Whether a day's folder may have such events. A line is never filed under a day before its receipt, but it may
        be under any later one: a redrive archives an event once more."""
        return day.partition("date=")[2][:10] >= self.start[:10]


ALL = Bounds()


def read_archive(context: SparkContext, archive: Location, span: Bounds) -> RDD[ArchivedEvent | LineFault]:
    """The events of a span, and the faults."""
    return read_objects(archive, archive_objects(context, archive, span), span)


def archive_objects(context: SparkContext, archive: Location, span: Bounds = ALL) -> RDD[ArchiveObject]:
    """The objects that may have events of a span."""
    days = [day for day in archive.days() if span.may_have(day)]
    return context.parallelize(days, max(1, len(days))).flatMap(archive.objects)


def read_objects(archive: Location, objects: RDD[ArchiveObject], span: Bounds = ALL) -> RDD[ArchivedEvent | LineFault]:
    """The events of objects in a span, and the faults."""
    listed = objects.cache()
    size = listed.map(lambda found: found.size).sum()
    tasks = int(max(listed.context.defaultParallelism, size // PARTITION_BYTES + 1))
    objects_of_tasks = listed.keyBy(_task).partitionBy(tasks, _itself).values()
    lines = objects_of_tasks.flatMap(lambda found: _lines_by_task(archive, found, tasks))
    read = lines.keyBy(_task).partitionBy(tasks, _itself).values().flatMap(lambda part: _read(archive, part))
    return read.filter(lambda found: isinstance(found, LineFault) or span.has(found))


def _task(part: ArchiveObject | Lines | LineFault) -> int:
    """Spreads objects over the tasks."""
    return part.task if isinstance(part, Lines) else zlib.crc32(part[0].encode())


def _itself(task: int) -> int:
    return task


def _lines_by_task(archive: Location, found: ArchiveObject, tasks: int) -> Iterator[Lines | LineFault]:
    by_task: dict[int, list[tuple[int, bytes]]] = {}
    number = size = 0
    lines_of_jobs: Counter[bytes] = Counter()
    try:
        with closing(archive.open(found.key)) as raw:
            for number, line in enumerate(lines_of(io.BufferedReader(_RawBody(raw), BUFFER_BYTES)), start=1):
                job = _job_in(line)
                lines_of_jobs[job] += 1
                run = b"" if lines_of_jobs[job] <= LINES_TOGETHER else _run_in(line)[-1:]
                by_task.setdefault(zlib.crc32(job + run) % tasks, []).append((number, line))
                size += len(line)
                if size >= HANDED_ON_BYTES:
                    yield from (Lines(found.key, task, lines) for task, lines in by_task.items())
                    by_task, size = {}, 0
    except (StorageError, OSError, EOFError, zlib.error) as error:
        yield LineFault(f"{found.key}{_AFTER}{number}", _reason(error))
    yield from (Lines(found.key, task, lines) for task, lines in by_task.items())


def _job_in(line: bytes) -> bytes:
    """What is the same in all lines of a job: in a canonical event the job's name and namespace come before the
    outputs. Any other line gives some text, and the task of a line changes no result."""
    before, _, _ = line.partition(b',"outputs":')
    return before[before.rfind(b'"name":') :] if len(before) < len(line) else line[-100:]


def _run_in(line: bytes) -> bytes:
    """The id of an event's run, which comes after all else that has a run id in a canonical event."""
    return line[line.rfind(b'"runId":"') + 9 :].partition(b'"')[0]


def _read(archive: Location, part: Lines | LineFault) -> Iterator[ArchivedEvent | LineFault]:
    if isinstance(part, LineFault):
        yield part
        return
    for number, line in part.numbered:
        if line.strip():
            yield _read_line(archive, line, f"{part.key} line {number}")


class _RawBody(io.RawIOBase):
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


def _read_line(archive: Location, line: bytes, place: str) -> ArchivedEvent | LineFault:
    try:
        text = line.strip().removeprefix(BOM_UTF8)
        received, separator, event = text.partition(_EVENT)
        if separator and received.startswith(_START) and text.endswith(_END):
            received_at = simplejson.loads(received.removeprefix(_START))
            return ArchivedEvent(event[:-1].decode(), parse_instant(received_at))
        pointer = simplejson.loads(text)
        if not isinstance(pointer, dict) or not isinstance(pointer.get("s3"), str):
            raise TypeError('neither {"receivedAt": ..., "event": ...} nor {"receivedAt": ..., "s3": ...}')  # noqa: TRY301
        content = gzip.decompress(archive.get(pointer["s3"]))
        return ArchivedEvent(content.decode(), parse_instant(pointer["receivedAt"]))
    except (ValueError, TypeError, KeyError, OSError, EOFError, zlib.error, StorageError) as error:
        return LineFault(place, _reason(error))


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
