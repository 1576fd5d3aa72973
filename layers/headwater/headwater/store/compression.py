"""Documents in items: exact JSON, compressed. Equal documents are equal bytes."""

import zlib
from typing import Any

from headwater.openlineage import exact_json


def pack(document: Any) -> bytes:
    """Any JSON document."""
    return pack_text(exact_json.dumps(document))


def pack_text(canonical: str) -> bytes:
    """A document that is already in its one spelling."""
    return zlib.compress(canonical.encode(), 6)


def unpack(packed: bytes) -> Any:
    """The document that was packed."""
    return exact_json.loads_trusted(zlib.decompress(packed).decode())
