"""Reads the text of a request's body, which may be gzipped, and which API Gateway may have encoded in base64.

API Gateway's documentation leaves open how a gzipped body reaches a Lambda: as base64, as text with one character a
byte, or inflated with its Content-Encoding header. So gzip's magic number decides, not the headers.
"""

import base64
import binascii
import zlib

from headwater.openlineage.faults import Fault, InvalidRequest

GZIP_MAGIC = b"\x1f\x8b"
GZIP_MAGIC_IN_BASE64 = "H4sI"
MAX_WIRE_BYTES = 10 * 1024 * 1024
"""API Gateway's limit of a request body, checked here for requests that do not pass API Gateway."""

_DAMAGED_GZIP = Fault("body", "damaged gzip: the bytes were decoded as text on their way; send the body without gzip")


def read_body(body: str | bytes | None, *, is_base64: bool, max_bytes: int) -> str:
    """The text of a body; a body that does not come from API Gateway is bytes. `max_bytes` bounds the inflated size,
    and the memory for inflating.

    Raises InvalidRequest, with status 413 for a body that is too long and 400 for a body that cannot be read.
    """
    raw = body if isinstance(body, bytes) else _wire_bytes(body or "", is_base64)
    if len(raw) > MAX_WIRE_BYTES:
        raise InvalidRequest(Fault("body", f"longer than {MAX_WIRE_BYTES} bytes; send smaller requests"), status=413)
    if raw.startswith(GZIP_MAGIC):
        raw = _inflate(raw, max_bytes)
    if len(raw) > max_bytes:
        raise InvalidRequest(Fault("body", f"longer than {max_bytes} bytes; send smaller requests"), status=413)
    if not raw.strip():
        raise InvalidRequest(Fault("body", "empty; expected JSON"))
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidRequest(Fault("body", f"not UTF-8 at byte {error.start}; send JSON in UTF-8")) from None


def _wire_bytes(body: str, is_base64: bool) -> bytes:
    if is_base64 or body.startswith(GZIP_MAGIC_IN_BASE64):
        try:
            return base64.b64decode(body, validate=True)
        except (binascii.Error, ValueError):
            raise InvalidRequest(Fault("body", "not base64, although the request is marked as base64")) from None
    if body.startswith("\x1f\x8b"):
        try:
            return body.encode("latin-1")
        except UnicodeEncodeError:
            raise InvalidRequest(_DAMAGED_GZIP) from None
    if body.startswith("\x1f\ufffd"):
        raise InvalidRequest(_DAMAGED_GZIP)
    return body.encode("utf-8", "surrogatepass")


def _inflate(raw: bytes, max_bytes: int) -> bytes:
    """Inflates one gzip member. Producers send a single member; a body of many empty members would cost much time."""
    inflater = zlib.decompressobj(wbits=31)
    try:
        inflated = inflater.decompress(raw, max_bytes + 1)
    except zlib.error as error:
        raise InvalidRequest(Fault("body", f"not gzip, although the body begins like gzip: {error}")) from None
    if len(inflated) > max_bytes:
        raise InvalidRequest(
            Fault("body", f"inflates to more than {max_bytes} bytes; send smaller requests"), status=413
        )
    if not inflater.eof:
        raise InvalidRequest(Fault("body", "gzip that ends too early; send the whole body"))
    if inflater.unused_data:
        raise InvalidRequest(Fault("body", "gzip with further bytes after its end; send a single gzip member"))
    return inflated
