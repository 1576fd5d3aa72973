"""The text of a SQL statement, as far as a job's name and a producer's word depend on the text.

A full parser would be slower than the fold, and would know one dialect at a time. The expressions here take time in
proportion to the text, also for a comment or literal without an end.
"""

import re
from hashlib import sha256
from typing import NamedTuple

MAX_SQL = 100_000
"""Characters of a query that are looked at."""
FINGERPRINT = 8

_COMMENT = re.compile(r"--[^\n]*|/\*(?:.*?\*/|.*\Z)", re.DOTALL)
_LITERAL = re.compile(r"'(?:[^']|'')*(?:'|\Z)|\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b", re.IGNORECASE)
_VALUES, _ROWS = re.compile(r"\?(?:,\?)+"), re.compile(r"\(\?\)(?:,\(\?\))+")
_STATEMENT = re.compile(
    r"\s* (?P<verb> INSERT | UPDATE | DELETE | MERGE | CREATE | REFRESH | ALTER | DROP | TRUNCATE | CALL | ANALYZE )\b"
    r"(?P<object>"
    r"  (?: \s+ (?: INTO | FROM | OR | REPLACE | TABLE | MATERIALIZED | VIEW | SCHEMA | IF | NOT | EXISTS )\b )* )"
    r" \s+ (?P<target> (?: [\w$]+ | \"[^\"]+\" ) (?: \s*\.\s* (?: [\w$]+ | \"[^\"]+\" ) )* )",
    re.IGNORECASE | re.VERBOSE,
)


class Statement(NamedTuple):
    """The beginning of a statement: `CREATE OR REPLACE VIEW shop.v` has the verb `create` and the target `shop.v`."""

    verb: str
    target: str
    creates_data: bool


def statement_of(query: str) -> Statement | None:
    """The statement that a query begins with; None for a SELECT or another text."""
    match = _STATEMENT.match(without_comments(query))
    if match is None:
        return None
    verb, kind = match["verb"].lower(), match["object"].upper().split()
    creates = verb == "create" and not {"TABLE", "VIEW"}.isdisjoint(kind)
    return Statement(verb, re.sub(r'[\s"]', "", match["target"]), creates)


def without_comments(query: str) -> str:
    """The first `MAX_SQL` characters of a query, with a space for each comment."""
    return _COMMENT.sub(" ", query[:MAX_SQL])


def fingerprint(query: str) -> str:
    """A hash of a query without comments, literals, letter case and white space. A longer list of values has the same
    hash."""
    without_literals = _LITERAL.sub("?", without_comments(query))
    text = _VALUES.sub("?", "".join(without_literals.lower().split()))
    return sha256(_ROWS.sub("(?)", text).encode()).hexdigest()[:FINGERPRINT]
