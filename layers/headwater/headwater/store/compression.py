"""Documents in items: exact JSON, compressed. Equal documents are equal bytes."""

import zlib
from typing import Any

from headwater.openlineage import exact_json


def pack(document: Any) -> bytes:
    """Compresses a JSON document."""
    return pack_text(exact_json.dumps(document))


def pack_text(canonical: str) -> bytes:
    """Compresses a document that is canonical JSON."""
    return zlib.compress(canonical.encode(), 6)


def unpack(packed: bytes) -> Any:
    """The compressed document."""
    return exact_json.loads_trusted(zlib.decompress(packed).decode())
