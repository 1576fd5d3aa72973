"""A long response is compressed once for as long as it stays the same."""

import gzip

import pytest

from headwater.serve.app import Compressed


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    contents: list[bytes] = []
    compress = gzip.compress

    def noted(content: bytes, level: int, *, mtime: float) -> bytes:
        contents.append(content)
        return compress(content, level, mtime=mtime)

    monkeypatch.setattr(gzip, "compress", noted)
    return contents


def test_a_response_with_a_known_tag_is_not_compressed_again(made: list[bytes]) -> None:
    compressed = Compressed()
    for tag, content in (("a", b"1"), ("b", b"2"), ("a", b"1"), ("b", b"2")):
        assert gzip.decompress(compressed.of(tag, content)) == content
    assert made == [b"1", b"2"]


def test_a_response_without_a_tag_is_compressed_each_time(made: list[bytes]) -> None:
    compressed = Compressed()
    assert [gzip.decompress(compressed.of(None, content)) for content in (b"1", b"2")] == [b"1", b"2"]
    assert made == [b"1", b"2"]


def test_the_responses_that_were_sent_last_stay(made: list[bytes]) -> None:
    compressed = Compressed(most=2 * len(gzip.compress(b"1", 1, mtime=0)))
    made.clear()
    for tag in ("1", "2", "1", "3", "1", "2"):
        compressed.of(tag, tag.encode())
    assert made == [b"1", b"2", b"3", b"2"]
