"""Writes items in the form that DynamoDB imports into a new table: lines of DynamoDB JSON, gzipped, an object for each
task. An import raises no records of the stream, and costs a tenth of the writes.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataImport.Format.html
"""

import base64
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from headwater.store.archive_location import Location
from headwater.store.aws.dynamodb import attributes_of
from headwater.store.bodies import Bodies
from headwater.store.bulk import Item


def write_objects(number: int, kind: str, items: Iterable[Item], to: Location, bodies: Bodies) -> Iterator[int]:
    """Writes the items of a partition as one object, and yields their number. Documents that are too long for an item
    go to `bodies`, before the object."""
    packed, number_of_items = io.BytesIO(), 0
    with gzip.GzipFile(fileobj=packed, mode="wb", compresslevel=6, mtime=0) as file:
        for item in items:
            number_of_items += 1
            attributes = {name: _json(value) for name, value in attributes_of(item, bodies).items()}
            file.write(f"{json.dumps({'Item': attributes})}\n".encode())
    if number_of_items:
        to.put(f"{kind}-{number:05}.json.gz", packed.getvalue())
        yield number_of_items


def _json(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": base64.b64encode(value["B"]).decode()} if "B" in value else value
