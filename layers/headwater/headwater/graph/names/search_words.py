"""The words of names, as the search knows them: in lower case, without what is between them.

raw/customer_orders, raw.CustomerOrders     raw customer orders
"""

import re

FIRST_WORDS, LAST_WORDS = 4, 8
"""Words of a long name that count: the first, which begin the names of jobs, and the last, which end paths."""
MAX_NAME_BYTES = 600
"""Of the words of a name: a sort key has up to 1,024 bytes."""
MIN_SPELLED, MAX_SPELLED = 4, 10
"""Letters of a word that may be mistyped: a shorter word has no variants, of a longer word the first letters count."""
_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def words_of(name: str) -> list[str]:
    """The words of a name."""
    words = _WORD.findall(_HUMP.sub(" ", name).casefold())
    if len(words) > FIRST_WORDS + LAST_WORDS:
        words = words[:FIRST_WORDS] + words[-LAST_WORDS:]
    return " ".join(words).encode()[:MAX_NAME_BYTES].decode(errors="ignore").split()


def plain_name(name: str) -> str:
    """A name as its words."""
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
