"""The words of names, as the search knows them: in lower case, without what is between them.

raw/customer_orders, raw.CustomerOrders     raw customer orders
"""

import re
from itertools import islice

FIRST_WORDS, LAST_WORDS = 4, 8
"""Words of a long name that count: the first, which begin the names of jobs, and the last, which end paths."""
MAX_NAME_BYTES = 600
"""The most bytes of a name's words: a sort key has up to 1,024."""
MIN_SPELLED, MAX_SPELLED = 4, 10
"""Letters of a word that may be mistyped: a shorter word has no variants, of a longer word the first letters count."""
MIN_IN_TEXT, MAX_IN_TEXT, MAX_WORDS_IN_TEXT = 3, 40, 100
"""Letters of a word of a text that counts, and such words of a text."""
_OF_ANY_TEXT = frozenset(
    word
    for words in (
        "the and for with that this from are was not has have into per all any its select where join left right inner",
        "outer full cross group order having union insert update delete create table view values case when then else",
        "end distinct between null true false asc desc limit using",
    )
    for word in words.split()
)
"""Words that are in any description or SQL text: nobody looks for them."""
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(name: str) -> list[str]:
    words = _WORD.findall(_HUMP.sub(" ", name).casefold())
    if len(words) > FIRST_WORDS + LAST_WORDS:
        words = words[:FIRST_WORDS] + words[-LAST_WORDS:]
    return " ".join(words).encode()[:MAX_NAME_BYTES].decode(errors="ignore").split()


def words_in(text: str) -> list[str]:
    """The words by which a description or a SQL text is found. A word with a digit does not count: ids and dates are
    new with each run."""
    words = dict.fromkeys(_WORD.findall(_HUMP.sub(" ", text).casefold()))
    telling = (
        word
        for word in words
        if MIN_IN_TEXT <= len(word) <= MAX_IN_TEXT and word.isalpha() and word not in _OF_ANY_TEXT
    )
    return list(islice(telling, MAX_WORDS_IN_TEXT))


def plain_name(name: str) -> str:
    return " ".join(words_of(name))


def variants(word: str) -> set[str]:
    """A word, and the word without each of its letters. Words that differ by one letter (too many, missing, wrong or
    swapped with its neighbour) have a variant in common. A number has none: its neighbours mean something else."""
    if len(word) < MIN_SPELLED or any(letter.isdigit() for letter in word):
        return set()
    beginning = word[:MAX_SPELLED]
    return {beginning, *(beginning[:at] + beginning[at + 1 :] for at in range(len(beginning)))}


def differ_by_a_letter(left: str, right: str) -> bool:
    """Whether a letter is too many, missing, wrong, or swapped with its neighbour; also true of equal words."""
    short, long = sorted((left, right), key=len)
    at = next((at for at, (one, other) in enumerate(zip(short, long, strict=False)) if one != other), len(short))
    if len(long) - len(short) > 1:
        return False
    if len(long) > len(short):
        return short[at:] == long[at + 1 :]
    swapped = short[at + 1 : at + 2] + short[at : at + 1] + short[at + 2 :]
    return short[at + 1 :] == long[at + 1 :] or swapped == long[at:]
