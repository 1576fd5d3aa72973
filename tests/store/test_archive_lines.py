"""The lines of an object of the archive, whoever compressed it: normalise, Firehose, both or none."""

import gzip
import io
import random
import zlib
from collections.abc import Iterator
from itertools import islice

import pytest

from headwater.store.archive_lines import lines_of

LINES = [b'{"number":%d,"text":"%s"}\n' % (number, b"x" * (number * 37 % 5_000)) for number in range(300)]


def read(content: bytes, buffer: int = 8192) -> Iterator[bytes]:
    return lines_of(io.BufferedReader(io.BytesIO(content), buffer))


def members(*sizes: int) -> bytes:
    """The lines as members with so many lines each; those of the last size go on to the end."""
    lines, content = iter(LINES), b""
    for size in sizes:
        content += gzip.compress(b"".join(islice(lines, size)))
    return content + gzip.compress(b"".join(lines))


def mixed() -> bytes:
    """Plain lines and members, as they come."""
    chance, lines, content = random.Random(1), list(LINES), b""
    while lines:
        part, lines = b"".join(lines[:7]), lines[7:]
        content += gzip.compress(part) if chance.random() < 0.5 else part
    return content


@pytest.mark.parametrize("buffer", [1, 100, 8192, 1024 * 1024])
@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"".join(LINES), id="plain lines"),
        pytest.param(members(), id="one member"),
        pytest.param(members(1, 10, 1, 80), id="a member for each batch"),
        pytest.param(mixed(), id="lines and members"),
        pytest.param(gzip.compress(mixed()), id="lines and members in one member"),
        pytest.param(gzip.compress(members(5, 5)), id="members in one member"),
    ],
)
def test_the_lines_are_the_same(content: bytes, buffer: int) -> None:
    assert list(read(content, buffer)) == LINES


def test_a_line_may_go_on_in_the_next_member() -> None:
    text = b"".join(LINES)
    assert list(read(b"".join(gzip.compress(text[start : start + 999]) for start in range(0, len(text), 999)))) == LINES


def test_the_last_line_may_lack_its_end() -> None:
    assert list(read(b"".join(LINES).rstrip())) == [*LINES[:-1], LINES[-1].rstrip()]
    assert list(read(b"")) == []


@pytest.mark.parametrize(("cut", "error"), [(-300, EOFError), (-4, EOFError), (0, zlib.error)])
def test_the_lines_before_the_damage_are_read(cut: int, error: type[Exception]) -> None:
    whole = members(100)
    damaged = read(whole[:cut] if cut else whole[:-2] + b"??")
    assert list(islice(damaged, 100)) == LINES[:100]
    with pytest.raises(error):
        list(damaged)
