"""A body is read in any encoding of API Gateway, in bounded time and memory."""

import base64
import gzip
import tracemalloc
import zlib

import pytest

from headwater.openlineage.body import MAX_WIRE_BYTES, read_body
from headwater.openlineage.faults import InvalidRequest

TEXT = '{"job": "größe"}'
PACKED = gzip.compress(TEXT.encode(), mtime=0)
CAP = 1024 * 1024


def read(body: str | None, *, is_base64: bool = False) -> str:
    return read_body(body, is_base64=is_base64, max_bytes=CAP)


@pytest.mark.parametrize(
    ("body", "is_base64"),
    [
        (base64.b64encode(PACKED).decode(), True),
        (base64.b64encode(PACKED).decode(), False),
        (PACKED.decode("latin-1"), False),
        (TEXT, False),
        (base64.b64encode(TEXT.encode()).decode(), True),
        ("\ufeff" + TEXT, False),
    ],
    ids=["gzip in base64", "base64 not marked so", "gzip as text", "inflated already", "plain in base64", "with a BOM"],
)
def test_every_form_that_a_gateway_may_give_is_read(body: str, is_base64: bool) -> None:
    assert read(body, is_base64=is_base64) == TEXT


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"", "empty"),
        (b"  \n", "empty"),
        (PACKED[:-6], "ends too early"),
        (PACKED[:4], "ends too early"),
        (PACKED + b"junk", "further bytes after its end"),
        (PACKED + PACKED, "further bytes after its end"),
        (b"\x1f\x8bnonsense", "not gzip"),
        (PACKED[:-8] + b"\x00" * 8, "not gzip"),
        (b"\xff\xfe{}", "not UTF-8"),
    ],
)
def test_an_unreadable_body_is_answered_400(raw: bytes, fault: str) -> None:
    with pytest.raises(InvalidRequest, match=fault) as refused:
        read(base64.b64encode(raw).decode(), is_base64=True)
    assert refused.value.status == 400


def test_gzip_that_a_gateway_damaged_has_its_own_message() -> None:
    with pytest.raises(InvalidRequest, match="damaged gzip"):
        read(PACKED.decode("utf-8", "replace"))


def test_base64_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="not base64"):
        read("%%%", is_base64=True)


@pytest.mark.parametrize("length", [CAP + 1, MAX_WIRE_BYTES + 1])
def test_a_body_over_the_cap_or_the_gateway_s_limit_is_refused(length: int) -> None:
    with pytest.raises(InvalidRequest, match="longer than") as refused:
        read("x" * length)
    assert refused.value.status == 413


def test_a_bomb_costs_no_more_memory_than_the_cap() -> None:
    packer = zlib.compressobj(wbits=31)
    bomb = b"".join(packer.compress(b"\0" * CAP) for _ in range(200)) + packer.flush()
    body = base64.b64encode(bomb).decode()
    tracemalloc.start()
    with pytest.raises(InvalidRequest, match="inflates to more than") as refused:
        read(body, is_base64=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert refused.value.status == 413
    assert peak < 4 * CAP
