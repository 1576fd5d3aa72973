"""Events in files and objects: of one JSON event a line, as clients write them or as the archive has them, or of one
document, which is an event or an array of events; plain or gzipped."""

import gzip
import io
import math
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.store.archive_lines import MAX_LINE, lines_of

BATCH = 100
BATCH_CHARACTERS = 8_000_000
_EVENT = '"event":'


class SentEvent(NamedTuple):
    """An event as text, and the place where it stands, such as `events.jsonl line 7`. With a fault, what stands there
    cannot be read, and there is no text."""

    place: str
    text: str
    fault: str = ""


def batches(events: Iterator[SentEvent]) -> Iterator[list[SentEvent]]:
    """Events in lists, which are neither too many nor too long for a request."""
    batch: list[SentEvent] = []
    length = 0
    for event in events:
        length += len(event.text)
        if batch and (len(batch) == BATCH or length > BATCH_CHARACTERS):
            yield batch
            batch, length = [], len(event.text)
        batch.append(event)
    if batch:
        yield batch


def of_stream(name: str, raw: Any, archive: Path | None = None, most_bytes: float = math.inf) -> Iterator[SentEvent]:
    """The events of a file: one a line, or one document, which is an event or an array of events. After so many bytes
    of text, the rest is a fault."""
    number = 0
    try:
        lines = _bounded(lines_of(io.BufferedReader(raw)), most_bytes)
        first = next((line for line in lines if line.strip()), b"").removeprefix(BOM_UTF8)
        if not _is_whole(first):
            yield from _of_document(name, first + b"".join(_bounded(lines, MAX_LINE)), archive)
            return
        for number, line in enumerate(chain([first], lines), start=1):
            if line.strip():
                yield _of_line(f"{name} line {number}", line, archive)
    except (EOFError, zlib.error) as error:
        yield SentEvent(f"{name} after line {number}", "", f"the rest cannot be unpacked: {error}")


def _bounded(lines: Iterable[bytes], most: float) -> Iterator[bytes]:
    """The lines of a text. Raises zlib.error where it is too long: a megabyte of gzip may hold gigabytes."""
    total = 0
    for line in lines:
        total += len(line)
        if total > most:
            raise zlib.error(f"a text of more than {most} bytes")
        yield line


def _of_line(place: str, line: bytes, archive: Path | None) -> SentEvent:
    try:
        return SentEvent(place, event_of(line.decode(), archive))
    except (InvalidRequest, ValueError, LookupError, TypeError, OSError, EOFError, zlib.error) as error:
        return SentEvent(place, "", str(error))


def _is_whole(line: bytes) -> bool:
    """Whether a line is an event of its own, and not the beginning of a document."""
    try:
        return isinstance(exact_json.loads(line.decode()), dict)
    except UnicodeDecodeError:
        return True
    except InvalidRequest:
        return not line.strip().startswith((b"[", b"{")) or line.rstrip().endswith(b"}")


def _is_event(line: bytes) -> bool:
    """Whether a line of a text that is no document is an event of its own."""
    try:
        return b'"eventTime"' in line and isinstance(exact_json.loads(line.decode()), dict)
    except (InvalidRequest, UnicodeDecodeError):
        return False


def _of_document(name: str, content: bytes, archive: Path | None) -> Iterator[SentEvent]:
    try:
        document = exact_json.loads(content.decode()) if content.strip() else []
    except (InvalidRequest, UnicodeDecodeError) as error:
        lines = content.splitlines()
        if any(map(_is_event, lines[1:])):  # only the first of many events is cut off
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield _of_line(f"{name} line {number}", line, archive)
        else:
            yield SentEvent(name, "", str(error))
        return
    for number, event in enumerate(document if isinstance(document, list) else [document], start=1):
        yield SentEvent(f"{name} event {number}", exact_json.dumps(event))


def event_of(line: str, archive: Path | None = None) -> str:
    """The event in a line. The text stays as it is: a number keeps its digits."""
    if not line.startswith('{"receivedAt":'):
        return line.strip()
    if _EVENT in line:
        return line.rstrip()[line.index(_EVENT) + len(_EVENT) : -1]
    key = exact_json.loads(line)["s3"]
    if (
        archive is None
        or not (archive / key).resolve().is_relative_to(archive.resolve())
        or not (archive / key).is_file()
    ):
        raise ValueError(f"an event is only in the bucket; copy it from {key}, and load the folder above events/")
    with gzip.open(archive / key) as packed:
        content = packed.read(MAX_LINE + 1)
    if len(content) > MAX_LINE:
        raise ValueError(f"{key} has more than {MAX_LINE} bytes")
    return content.decode()
