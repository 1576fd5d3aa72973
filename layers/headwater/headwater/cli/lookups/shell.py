"""Words of a command line, to be typed or pasted into a shell."""

import shlex

from headwater.lookup.text.inert import inert


def command(*words: str) -> str:
    """A command in which each word is one word to a shell, and no word does anything to a terminal."""
    return " ".join(map(_word, words))


def _word(word: str) -> str:
    """A word in quotes if it needs any. What cannot be seen is written as bash and zsh read it: `$'two\\nlines'`."""
    if inert(word) == word:
        return shlex.quote(word)
    return "$'" + "".join(map(_escaped, word)) + "'"


def _escaped(character: str) -> str:
    if character in "'\\":
        return f"\\{character}"
    return character if character.isprintable() else f"\\U{ord(character):08x}"
