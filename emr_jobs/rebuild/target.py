"""The table to compare with or to write into: a table of DynamoDB, or the file of `headwater serve`."""

import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from headwater.config import FormSettings, from_environment
from headwater.process_settings import read_settings
from headwater.store.aws.client import PATIENT_SECONDS, client, translated_errors
from headwater.store.aws.dynamodb import DynamoTable, item_of
from headwater.store.aws.s3 import Bucket
from headwater.store.bulk import Item, Table
from headwater.store.sqlite.database import Database
from headwater.store.sqlite.table import SqliteTable


class Target(NamedTuple):
    """A table by its name, and the bucket with the documents that are too long for an item; or a file. Region, endpoint
    and credentials come from the environment."""

    name: str
    bucket: str = ""

    @property
    def file(self) -> Path | None:
        """The file, if the table is one: it exists, or its name has a slash, which no table of DynamoDB has."""
        path = Path(self.name)
        return path if path.is_file() or "/" in self.name else None

    @property
    def forms(self) -> int:
        """The forms of its items (docs/table.md): those of the file; of a table, what ITEM_FORMS says, as for the
        functions."""
        if self.file:
            return _database(self.file).forms if self.file.is_file() else read_settings().retention.forms
        return from_environment(FormSettings, {"ITEM_FORMS": "new", **os.environ}).item_forms

    def table(self) -> Table:
        """The table; what is written to it raises no alerts."""
        return _table(self)

    def items(self, segment: int, segments: int) -> Iterator[Item]:
        """The items of one of several parts of the table. Raises StorageError."""
        if self.file:
            yield from SqliteTable(_database(self.file)).segment(segment, segments)
            return
        bucket = Bucket(_client("s3"), self.bucket)
        pages = _client("dynamodb").get_paginator("scan")
        with translated_errors():
            for page in pages.paginate(
                TableName=self.name, Segment=segment, TotalSegments=segments, ConsistentRead=True
            ):
                yield from (item_of(stored, bucket) for stored in page["Items"])


@cache
def _table(target: Target) -> Table:
    if target.file:
        return SqliteTable(_database(target.file))
    return DynamoTable(_client("dynamodb"), target.name, Bucket(_client("s3"), target.bucket), is_rebuild=True)


@cache
def _database(path: Path) -> Database:
    return Database(path)


@cache
def _client(service: str) -> Any:
    from botocore.session import Session  # noqa: PLC0415 - a file needs no AWS

    return client(Session(), service, seconds=PATIENT_SECONDS)
