"""Where the archive is: a folder, or a bucket with a prefix. The objects below have the names of docs/table.md."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors
from headwater.store.aws.s3 import Bucket
from headwater.store.errors import StorageError, UnreadableBody

S3 = "s3://"
EVENTS = "events/"


class ArchiveObject(NamedTuple):
    """An object with lines of events, and its size in bytes."""

    key: str
    size: int


class Location(NamedTuple):
    """A folder, or `s3://BUCKET/PREFIX`. Region, endpoint and credentials come from the environment, and a process
    makes its client when it first uses it: a location travels to the executors as its text."""

    url: str

    def days(self) -> list[str]:
        """The beginnings of the keys of each day's events, such as `events/date=2026-11-20/`. Raises StorageError, even
        if there is no such folder."""
        if not self.is_bucket:
            if not Path(self.url).is_dir():
                raise StorageError(f"{self.url}: there is no such folder")
            folders = Path(self.url, EVENTS).glob("date=*")
            return sorted(f"{EVENTS}{folder.name}/" for folder in folders if folder.is_dir())
        pages = self._listed(f"{EVENTS}date=", Delimiter="/")
        return [page["Prefix"].removeprefix(self._prefix) for each in pages for page in each.get("CommonPrefixes", [])]

    def objects(self, day: str) -> Iterator[ArchiveObject]:
        if self.is_bucket:
            for page in self._listed(day):
                for found in page.get("Contents", []):
                    yield ArchiveObject(found["Key"].removeprefix(self._prefix), found["Size"])
            return
        root = Path(self.url)
        for file in sorted(root.joinpath(day).rglob("*")):
            if file.is_file():
                yield ArchiveObject(file.relative_to(root).as_posix(), file.stat().st_size)

    def open(self, key: str) -> Any:
        """An object as a stream of bytes. Raises StorageError or OSError."""
        if not self.is_bucket:
            return Path(self.url, key).open("rb")
        with translated_errors():
            return _client().get_object(Bucket=self.bucket, Key=self._prefix + key)["Body"]

    def get(self, key: str) -> bytes:
        """An object's content. Raises UnreadableBody if there is no such object, or StorageError."""
        if self.is_bucket:
            return Bucket(_client(), self.bucket).get(self._prefix + key)
        file, within = Path(self.url, key), Path(key)  # an event names the key
        folder = Path(self.url, *within.parts[:-1][:1])  # bodies/ may be a link to another volume
        is_outside = within.is_absolute() or ".." in within.parts
        try:
            if is_outside or not file.resolve().is_relative_to(folder.resolve()):
                raise UnreadableBody(f"{key} is not in {self.url}")
            return file.read_bytes()
        except (FileNotFoundError, ValueError) as error:  # ValueError: a NUL in the key
            raise UnreadableBody(str(error)) from error
        except (OSError, RuntimeError) as error:  # RuntimeError: a link to itself
            raise StorageError(str(error)) from error

    def put(self, key: str, content: bytes) -> None:
        """Stores an object, whole or not at all. Raises StorageError or OSError."""
        if self.is_bucket:
            Bucket(_client(), self.bucket).put(self._prefix + key, content)
            return
        file, part = Path(self.url, key), Path(self.url, f".{uuid4().hex}.part")  # several processes may write here
        file.parent.mkdir(parents=True, exist_ok=True)
        part.write_bytes(content)
        part.replace(file)  # so that no reader meets a part, nor a later export one that was cut off

    @property
    def is_bucket(self) -> bool:
        return self.url.startswith(S3)

    @property
    def bucket(self) -> str:
        """The bucket; empty for a folder."""
        return self.url.removeprefix(S3).partition("/")[0] if self.is_bucket else ""

    @property
    def _prefix(self) -> str:
        prefix = self.url.removeprefix(S3).partition("/")[2].strip("/")
        return f"{prefix}/" if prefix else ""

    def _listed(self, beginning: str, **options: Any) -> Iterator[dict[str, Any]]:
        with translated_errors():
            pages = _client().get_paginator("list_objects_v2")
            yield from pages.paginate(Bucket=self.bucket, Prefix=self._prefix + beginning, **options)


@cache
def _client() -> Any:
    from botocore.session import Session  # noqa: PLC0415 - a folder needs no AWS

    return client(Session(), "s3", seconds=PATIENT_SECONDS)
