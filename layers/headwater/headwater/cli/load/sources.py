"""Events from files, folders, URLs and buckets, each with the place where it stands."""

import io
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from headwater.graph.names.naming import Naming
from headwater.graph.producers.event_normalisation import normalise_event
from headwater.graph.states.normalised_event import NormalisedEvent
from headwater.ingest.event_files import SentEvent, of_stream
from headwater.openlineage import exact_json
from headwater.openlineage.nameless import with_named_datasets
from headwater.openlineage.wire import read_event
from headwater.store.aws.client import errors_as

SUFFIXES = (".jsonl", ".json", ".ndjson", ".gz")
S3, WEB = "s3://", ("http://", "https://")
SECONDS = 60


def events(sources: Iterable[str | Path]) -> Iterator[SentEvent]:
    """Yield the events of sources, in the order of names and lines. What cannot be read of a file costs no other.
    Raises OSError."""
    for source in map(str, sources):
        if source.startswith(S3):
            yield from _of_bucket(source)
        elif source.startswith(WEB):
            with urllib.request.urlopen(source, timeout=SECONDS) as answer:  # noqa: S310
                yield from of_stream(source, answer)
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
        bodies, within = path / "bodies", path.resolve()
        for file in files:
            if not file.resolve().is_relative_to(within):
                yield SentEvent(str(file), "", "a link to a file outside of the folder")
            elif bodies not in file.parents:
                with file.open("rb") as stream:
                    yield from of_stream(str(file), stream, path)
        return
    with path.open("rb") as stream:
        yield from of_stream(str(path), stream)


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
                yield from of_stream(f"{S3}{parts.netloc}/{key}", io.BytesIO(content))
