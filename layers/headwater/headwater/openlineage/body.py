"""From what API Gateway hands over to text: base64 or not, gzip or not.

How a gzip body reaches a Lambda is not settled by API Gateway's documentation: as base64, as text with one character
a byte, or already inflated with its Content-Encoding kept. So gzip's magic number decides, not the headers.
"""

import base64
import binascii
import zlib

from headwater.openlineage.faults import Fault, InvalidRequest

GZIP_MAGIC = b"\x1f\x8b"
GZIP_MAGIC_IN_BASE64 = "H4sI"
MAX_WIRE_BYTES = 10 * 1024 * 1024
"""API Gateway's limit on a request body; the same here, so that every way in has the same bounds."""


def read_body(body: str | None, *, is_base64: bool, max_bytes: int) -> str:
    """The request's text. `max_bytes` bounds the inflated size, and the memory that inflating takes.

    Raises `InvalidRequest` (413 for what is too long, 400 for what cannot be read).
    """
    raw = _wire_bytes(body or "", is_base64)
    if len(raw) > MAX_WIRE_BYTES:
        raise InvalidRequest(Fault("body", f"longer than {MAX_WIRE_BYTES} bytes"), status=413)
    if raw.startswith(GZIP_MAGIC):
        raw = _inflate(raw, max_bytes)
    if len(raw) > max_bytes:
        raise InvalidRequest(Fault("body", f"longer than {max_bytes} bytes"), status=413)
    if not raw.strip():
        raise InvalidRequest(Fault("body", "empty; send one OpenLineage event as JSON"))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(Fault("body", f"not UTF-8 at byte {error.start}")) from None


def _wire_bytes(body: str, is_base64: bool) -> bytes:
    if is_base64 or body.startswith(GZIP_MAGIC_IN_BASE64):
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidRequest(Fault("body", "not base64, although it is marked so")) from None
    if body.startswith("\x1f\x8b"):
        try:
            return body.encode("latin-1")
        except UnicodeEncodeError:
            raise InvalidRequest(Fault("body", "gzip that was damaged on its way, read as text")) from None
    if body.startswith("\x1f\ufffd"):
        raise InvalidRequest(Fault("body", "gzip that was damaged on its way, read as text"))
    return body.encode("utf-8", "surrogatepass")


def _inflate(raw: bytes, max_bytes: int) -> bytes:
    """One gzip member, as every producer sends: many empty ones would cost time out of all proportion."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        inflated = inflater.decompress(raw, max_bytes + 1)
    except zlib.error as error:
        raise InvalidRequest(Fault("body", f"not gzip, although it starts so: {error}")) from None
    if len(inflated) > max_bytes:
        raise InvalidRequest(Fault("body", f"inflates to more than {max_bytes} bytes"), status=413)
    if not inflater.eof:
        raise InvalidRequest(Fault("body", "gzip that ends too early"))
    if inflater.unused_data:
        raise InvalidRequest(Fault("body", "gzip with something else behind it"))
    return inflated
