"""Events from files, folders, URLs and buckets, each with the place where it stands."""

import gzip
import io
import urllib.request
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.openlineage import exact_json
from headwater.openlineage.faults import InvalidRequest
from headwater.openlineage.nameless import with_named_datasets
from headwater.openlineage.wire import read_event
from headwater.store.archive_lines import MAX_LINE, lines_of
from headwater.store.aws.client import errors_as

SUFFIXES = (".jsonl", ".json", ".ndjson", ".gz")
S3, WEB = "s3://", ("http://", "https://")
SECONDS = 60
_EVENT = '"event":'


class SentEvent(NamedTuple):
    """An event as text, and the place where it stands, such as `events.jsonl line 7`. With a fault, what stands there
    cannot be read, and there is no text."""

    place: str
    text: str
    fault: str = ""


def events(sources: Iterable[str | Path]) -> Iterator[SentEvent]:
    """Yield the events of sources, in the order of names and lines. What cannot be read of a file costs no other.
    Raises OSError."""
    for source in map(str, sources):
        if source.startswith(S3):
            yield from _of_bucket(source)
        elif source.startswith(WEB):
            with urllib.request.urlopen(source, timeout=SECONDS) as answer:  # noqa: S310
                yield from _of_stream(source, answer)
        else:
            yield from _of_path(Path(source))


def normalised(text: str, naming: Naming) -> NormalisedEvent:
    """The event of a text, as if it had been received when it happened. Raises InvalidRequest."""
    document = with_named_datasets(exact_json.loads(text)).document
    canonical = exact_json.dumps(document)
    event = read_event(document, canonical=canonical)
    return normalise_event(canonical, naming, event.time, event)


def _of_path(path: Path) -> Iterator[SentEvent]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and file.suffix in SUFFIXES)
        bodies = path / "bodies"
        for file in files:
            if bodies not in file.parents:
                with file.open("rb") as stream:
                    yield from _of_stream(str(file), stream, path)
        return
    with path.open("rb") as stream:
        yield from _of_stream(str(path), stream)


def _of_bucket(url: str) -> Iterator[SentEvent]:
    """The events of the objects below a prefix of a bucket."""
    try:
        from botocore.session import Session  # noqa: PLC0415 - an extra of the wheel, only for buckets
    except ModuleNotFoundError as missing:
        raise OSError("a bucket needs the extra aws; pip install 'headwater[aws]'") from missing
    parts = urlsplit(url)
    with errors_as(lambda _, message: OSError(f"{url}: {message}")):
        client: Any = Session().create_client("s3")
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=parts.netloc, Prefix=parts.path.lstrip("/"))
        for key in (found["Key"] for page in pages for found in page.get("Contents", [])):
            if key.endswith(SUFFIXES) and not key.startswith(("bodies/", "quarantine/")):
                content = client.get_object(Bucket=parts.netloc, Key=key)["Body"].read()
                yield from _of_stream(f"{S3}{parts.netloc}/{key}", io.BytesIO(content))


def _of_stream(name: str, raw: Any, archive: Path | None = None) -> Iterator[SentEvent]:
    """The events of a file: one a line, or one document, which is an event or an array of events."""
    number = 0
    try:
        lines = lines_of(io.BufferedReader(raw))
        first = next((line for line in lines if line.strip()), b"").removeprefix(BOM_UTF8)
        if not _is_whole(first):
            yield from _of_document(name, first + b"".join(_bounded(lines)))
            return
        for number, line in enumerate(chain([first], lines), start=1):
            if line.strip():
                yield _of_line(f"{name} line {number}", line, archive)
    except (EOFError, zlib.error) as error:
        yield SentEvent(f"{name} after line {number}", "", f"the rest cannot be unpacked: {error}")


def _bounded(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of one document. Raises zlib.error where it is too long: a megabyte of gzip may hold gigabytes."""
    total = 0
    for line in lines:
        total += len(line)
        if total > MAX_LINE:
            raise zlib.error(f"a document of more than {MAX_LINE} bytes")
        yield line


def _of_line(place: str, line: bytes, archive: Path | None) -> SentEvent:
    try:
        return SentEvent(place, event_of(line.decode(), archive))
    except (ValueError, LookupError, TypeError, OSError, EOFError, zlib.error) as error:
        return SentEvent(place, "", str(error))


def _is_whole(line: bytes) -> bool:
    """Whether a line is an event of its own, and not the beginning of a document."""
    try:
        return isinstance(exact_json.loads(line.decode()), dict)
    except UnicodeDecodeError:
        return True
    except InvalidRequest:
        return not line.strip().startswith((b"[", b"{")) or line.rstrip().endswith(b"}")


def _of_document(name: str, content: bytes) -> Iterator[SentEvent]:
    try:
        document = exact_json.loads(content.decode()) if content.strip() else []
    except (InvalidRequest, UnicodeDecodeError) as error:
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
        raise ValueError(f"an event is in the bucket alone; copy it from {key}, and load the folder above events/")
    with gzip.open(archive / key) as packed:
        content = packed.read(MAX_LINE + 1)
    if len(content) > MAX_LINE:
        raise ValueError(f"{key} has more than {MAX_LINE} bytes")
    return content.decode()
