"""The columns that a SELECT makes, by its text: only if the text names each of them.

select o.id, price * 2 as total, max(day) last_day from ...      id, total, last_day
with paid as (select id, total from ...) select * from paid      id, total
select * from shop.orders                                        unknown: the text does not name the columns
select count(*) from ...                                         unknown: each database calls this column otherwise
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from headwater.graph.facets.members import MAX_SQL, without_comments

_TOKEN = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|[\w$]+|\S")
_ENDS = {"where", "group", "having", "order", "limit", "qualify", "window", "offset", "fetch", "sample", "tablesample"}
"""Words that end a FROM."""
_SET_OPERATIONS = {"union", "intersect", "except", "minus"}
_AFTER_SET_OPERATION = {"(", "all", "by", "corresponding", "distinct", "select", "strict", "values", "with"}
_NO_NAMES = {
    *("all", "and", "as", "between", "case", "distinct", "end", "false", "from", "in", "interval", "is"),
    *("like", "not", "null", "or", "prior", "select", "then", "top", "true", "when"),
}
"""Words that name no column where a column may stand."""
_SEVERAL = {"columns", "explode", "flatten", "inline", "json_tuple", "posexplode", "stack", "unnest"}
"""Functions that may make several columns."""
_OTHER_COLUMNS = {"apply", "lateral", "match_recognize", "pivot", "unpivot"}
"""Words of a FROM whose columns are not those of its tables."""

_JOINS = {"anti", "asof", "cross", "full", "inner", "left", "natural", "on", "positional", "right", "semi", "using"}
"""Words after a table that are not what the query calls it."""
_OTHER_TEXT = re.compile(r"\\'|\\\"|\"\"\"|'''|\$\w*\$|#|//|\|>")
"""Texts, comments and pipes of some databases that others read otherwise."""
_TEXT_WITH_COMMENT = re.compile(r"'[^'\n]*(?:--|/\*)[^'\n]*'")
"""What may be a text, and is taken for a comment."""
MAX_DEPTH = 50
"""Brackets in one another."""

Tokens = Sequence[str]
Columns = tuple[str, ...] | None


def columns_of_query(query: str) -> Columns:
    """The names of the columns in their order, as the text spells them; None if the text does not tell them all."""
    text = without_comments(query).strip("; \n") if len(query) <= MAX_SQL else ""
    tokens = _TOKEN.findall(text)
    depths = accumulate((word == "(") - (word == ")") for word in tokens)
    is_unclear = _OTHER_TEXT.search(query) or _TEXT_WITH_COMMENT.search(query)
    return None if is_unclear or max(depths, default=0) > MAX_DEPTH else _of_query(tokens, {})


def _of_query(tokens: Tokens, known: Mapping[str, Columns]) -> Columns:
    """The columns of a query. `known` are those of the common table expressions around it."""
    if tokens and tokens[0] == "(" and _closing(tokens, 0) == len(tokens) - 1:
        return _of_query(tokens[1:-1], known)
    if _word(tokens, 0) == "with":
        return _of_with(tokens, dict(known))
    for at in _outside(tokens):
        if (
            _word(tokens, at) in _SET_OPERATIONS
            and _word(tokens, at + 1) in _AFTER_SET_OPERATION
            and (tokens[at - 1 : at] not in (["*"], ["."]))
        ):
            by_name = {"by", "corresponding"} & {_word(tokens, at + 1), _word(tokens, at + 2)}
            return None if by_name else _of_query(tokens[:at], known)
    return _of_select(tokens, known) if _word(tokens, 0) == "select" else None


def _of_with(tokens: Tokens, known: dict[str, Columns]) -> Columns:
    at = 2 if _word(tokens, 1) == "recursive" else 1
    while True:
        name, at = _name(tokens[at : at + 1]), at + 1
        columns: Columns = None
        if tokens[at : at + 1] == ["("]:
            listed = [_name(item) for item in _split(tokens[at + 1 : _closing(tokens, at)])]
            columns, at = tuple(filter(None, listed)) or None, _closing(tokens, at) + 1
        at += 1 + (_word(tokens, at + 1) == "not")
        at += _word(tokens, at) == "materialized"
        end = _closing(tokens, at)
        if name is None or tokens[at : at + 1] != ["("] or end == len(tokens):
            return None
        known[name.lower()] = columns or _of_query(tokens[at + 1 : end], known)
        if tokens[end + 1 : end + 2] != [","]:
            return _of_query(tokens[end + 1 :], known)
        at = end + 2


def _of_select(tokens: Tokens, known: Mapping[str, Columns]) -> Columns:
    begin = 2 if _word(tokens, 1) in ("distinct", "all") else 1
    if _word(tokens, begin) == "on" and tokens[begin + 1 : begin + 2] == ["("]:
        begin = _closing(tokens, begin + 1) + 1
    froms = (at for at in _outside(tokens) if _word(tokens, at) == "from" and at > begin)
    end = next((at for at in froms if _word(tokens, at - 1) != "distinct"), len(tokens))  # IS DISTINCT FROM
    items = _split(tokens[begin:end])
    sources = _sources(tokens[end + 1 :], known) if _word(tokens, end) == "from" else {}
    columns: list[str] = []
    for item in items[:-1] if items and not items[-1] else items:
        named = _of_item(item, sources)
        if named is None:
            return None
        columns += named
    is_clear = len({name.lower() for name in columns}) == len(columns)
    return tuple(columns) if is_clear and columns else None


def _of_item(item: Tokens, sources: Mapping[str, Columns]) -> Columns:
    """The columns of an item: one, or for `*` and `orders.*` those of a known source."""
    if item[-1:] == ["*"]:
        if len(item) == 1:
            return next(iter(sources.values())) if len(sources) == 1 else None
        return sources.get((_name(item[:1]) or "").lower()) if len(item) == 3 and item[1] == "." else None
    if item[:1] == ["*"] or any(item[at : at + 2] == [".", "*"] for at in range(len(item))):
        return None
    if any(_word(item, at) in _SEVERAL and item[at + 1] == "(" for at in range(len(item) - 1)):
        return None
    name = _name(item[-1:])
    before = item[:-1]
    is_alias = _word(item, len(item) - 2) in ("as", "end") or before[-1:] == [")"] or _is_path(before)
    return (name,) if name and (not before or is_alias or _is_path(item)) else None


def _is_path(item: Tokens) -> bool:
    """Whether an item is a column, such as `o.price`."""
    return len(item) % 2 == 1 and all(map(_name, ([each] for each in item[::2]))) and set(item[1::2]) <= {"."}


def _sources(tokens: Tokens, known: Mapping[str, Columns]) -> dict[str, Columns]:
    """The columns of the sources of a FROM, by what the query calls them; empty if they may have others."""
    outside = list(_outside(tokens))
    end = next(
        (at for at in outside if _word(tokens, at) in _ENDS and _word(tokens, at - 1) not in ("as", ".")), len(tokens)
    )
    if any(_word(tokens, at) in _OTHER_COLUMNS for at in range(end)):
        return {}
    breaks = [at for at in outside if at < end and (tokens[at] == "," or _word(tokens, at) == "join")]
    starts, stops = [0, *(at + 1 for at in breaks)], [*breaks, end]
    sources: dict[str, Columns] = {}
    for source in (tokens[start:stop] for start, stop in zip(starts, stops, strict=True)):
        length = (
            _closing(source, 0) + 1
            if source[:1] == ["("]
            else next((at for at in range(1, len(source)) if "." not in (source[at - 1], source[at])), len(source))
        )
        table, rest = source[:length], source[length:]
        if ("(" in rest[:3] and _word(rest, 0) not in _JOINS) or rest[:1] == ["-"]:
            return {}  # a function, names for the columns, or a name that has to be quoted elsewhere
        rest = () if _word(rest, 0) in _JOINS else rest[1:2] if _word(rest, 0) == "as" else rest[:1]
        alias = _name(rest) or _name(table[-1:])
        if alias is None or alias.lower() in sources:
            return {}
        is_query = table[:1] == ["("]
        columns = _of_query(table[1:-1], known) if is_query else known.get((_name(table) or "").lower())
        sources[alias.lower()] = columns
    return sources


def _split(tokens: Tokens) -> list[Tokens]:
    """The parts between commas."""
    commas = [at for at in _outside(tokens) if tokens[at] == ","]
    return [
        tokens[start:end] for start, end in zip([0, *(at + 1 for at in commas)], [*commas, len(tokens)], strict=True)
    ]


def _outside(tokens: Tokens) -> Iterator[int]:
    """The positions that are in no brackets, without the brackets."""
    depth = 0
    for at, word in enumerate(tokens):
        depth -= word in ")]}"
        if depth == 0 and word not in "()[]{}":
            yield at
        depth += word in "([{"


def _closing(tokens: Tokens, opening: int) -> int:
    """The position of the bracket that closes another; the length without one."""
    depth = 0
    for at in range(opening, len(tokens)):
        depth += (tokens[at] == "(") - (tokens[at] == ")")
        if depth == 0:
            return at
    return len(tokens)


def _word(tokens: Tokens, at: int) -> str:
    """The word at a position in lower case, empty outside of the tokens."""
    return tokens[at].lower() if 0 <= at < len(tokens) else ""


def _name(tokens: Tokens) -> str | None:
    """The name that a single token is; None for another token, or several."""
    if len(tokens) != 1:
        return None
    (token,) = tokens
    if token[0] in '"`':
        return token[1:-1] or None
    is_name = re.match(r"[^\W\d]", token) and token.lower() not in _NO_NAMES
    return token if is_name else None
