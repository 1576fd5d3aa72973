"""Reads the lists of the search: which names begin with some words, which nodes have them, which words were meant.

Each list is read once, up to a bound, and the number of lists depends only on the words: a search costs the same in a
table of ten names as of ten million.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import Any, NamedTuple

from headwater.concurrent import concurrent_map
from headwater.graph.names.identity import NamespaceId
from headwater.graph.names.search_words import MIN_IN_TEXT, differ_by_a_letter, variants, words_in, words_of
from headwater.graph.states.search_terms import (
    END,
    Holder,
    NameKind,
    column_texts,
    holder_of,
    holders_list,
    names_list,
    query_list,
    run_of,
    spelling_list,
    texts_of,
)
from headwater.openlineage.event import Facets
from headwater.store.graph_store import GraphReader

MAX_PLACES = 200
"""Places that are read of a list."""
MAX_PLACES_OF_SOME = 1_000
"""The same for a caller of some namespaces, who may not see most of the places."""
MAX_NAMES, MAX_LISTED_NAMESPACES, MAX_CORRECTIONS = 8, 8, 3
_AFTER_ALL = "\U0010ffff"


class FoundLabel(NamedTuple):
    """A name of columns, an owner or a tag, by its words, and the nodes that have it."""

    name: str
    holders: tuple[Holder, ...]


@dataclass
class NameSearch:
    """The lists, as far as a caller may see their places; `namespaces` are those that the caller reads, None for all.
    `is_whole` says whether every list was read to its end."""

    store: GraphReader
    namespaces: frozenset[NamespaceId] | None
    is_whole: bool = field(default=True)

    def nodes(self, kind: NameKind, words: Sequence[str], most: int) -> list[Holder]:
        """The datasets or jobs with a name that has the words in a row, else those with the longest of the words."""
        found = self._nodes(kind, " ".join(words), most)
        return found or (self._nodes(kind, max(words, key=len), most) if len(words) > 1 else [])

    def with_phrase(self, kind: NameKind, phrase: str, most: int) -> list[Holder]:
        """The datasets or jobs with a name that has a phrase, in one call."""
        places = self._read(names_list(kind, phrase), phrase + END, phrase + _AFTER_ALL)
        seen = (holder for place in places if self._sees(holder := holder_of(place.partition(END)[2])))
        return list(dict.fromkeys(islice(seen, most)))

    def with_words(self, words: Sequence[str], most: int) -> list[Holder]:
        """The datasets and jobs with a text that has words that begin with each of these."""
        asked = [word for word in words if len(word) >= MIN_IN_TEXT]
        found = concurrent_map(lambda word: self._read(names_list(NameKind.TEXT, word), word, word + _AFTER_ALL), asked)
        holders = [dict.fromkeys(holder_of(place.partition(END)[2]) for place in places) for places in found]
        first = holders[0] if holders else {}
        return [holder for holder in first if self._sees(holder) and all(holder in each for each in holders)][:most]

    def runs_of_query(self, query_id: str) -> list[tuple[Holder, str]]:
        """The runs that an engine knows by an id, each with its job. A text without a digit is not an id."""
        has_digit = any(letter.isdigit() for letter in query_id)
        runs = map(run_of, self._read(query_list(query_id), "", _AFTER_ALL) if has_digit else ())
        return [(job, run_id) for job, run_id in dict.fromkeys(runs) if self._sees(job)]

    def labels(self, kind: NameKind, words: Sequence[str], most: int) -> list[FoundLabel]:
        """The names of columns, the owners or the tags that have the words in a row, each with a few of its nodes."""
        places = self._places(kind, " ".join(words))
        names = sorted(dict.fromkeys((len(before), " ".join(filter(None, (before, name)))) for name, before in places))
        plain = list(dict.fromkeys(name for _, name in sorted(names, key=lambda pair: (pair[0] > 0, len(pair[1])))))
        return [FoundLabel(name, self._holders(kind, name, most)) for name in plain[:MAX_NAMES]]

    def corrections(self, words: Iterable[str]) -> list[list[str]]:
        """The words with some of them replaced by known words that differ by a letter, the likeliest first."""
        likely = [self._spelled_like(word) or [word] for word in words]
        return [list(each) for each in islice(product(*likely), MAX_CORRECTIONS)]

    def _spelled_like(self, word: str) -> list[str]:
        lists = concurrent_map(lambda variant: self._read(spelling_list(variant), "", _AFTER_ALL), variants(word))
        known = {each for words in lists for each in words if differ_by_a_letter(word, each)}
        return [word] if word in known else sorted(known, key=lambda each: (each[0] != word[0], len(each), each))

    def _nodes(self, kind: NameKind, phrase: str, most: int) -> list[Holder]:
        seen = (holder for _, rest in self._places(kind, phrase) if self._sees(holder := holder_of(rest)))
        return list(dict.fromkeys(islice(seen, most)))

    def _places(self, kind: NameKind, phrase: str) -> list[tuple[str, str]]:
        """The places with a phrase, before those that only begin with it; each as its phrase and what follows."""
        name = names_list(kind, phrase)
        exact = self._read(name, phrase + END, phrase + " ")
        others = self._read(name, phrase + " ", phrase + _AFTER_ALL)
        return [(found, rest) for found, _, rest in (place.partition(END) for place in (*exact, *reversed(others)))]

    def _holders(self, kind: NameKind, name: str, most: int) -> tuple[Holder, ...]:
        """The nodes with a label. Those of a few namespaces are read apart: others may have thousands."""
        own = self.namespaces if self.namespaces is not None else ()
        beginnings: Collection[str] = sorted(own) if 0 < len(own) <= MAX_LISTED_NAMESPACES else [""]
        listed = holders_list(kind, name)
        found = [place for each in beginnings for place in self._read(listed, each, each + _AFTER_ALL)]
        return tuple(islice((holder for place in found if self._sees(holder := holder_of(place))), most))

    def _sees(self, holder: Holder) -> bool:
        return self.namespaces is None or holder.namespace in self.namespaces

    def _read(self, name: str, after: str, before: str) -> list[str]:
        most = MAX_PLACES if self.namespaces is None else MAX_PLACES_OF_SOME
        places = self.store.places_in(name, after=after or "\x01", before=before, limit=most)
        self.is_whole &= len(places) < most
        return places


def matched_texts(facets: Facets, schema: Any, words: Sequence[str]) -> list[str]:
    """Where the texts of a node have words that begin with each of some words: `description`, `sql`, an exposure, or
    the name of a column whose description has them."""
    asked = [word for word in words if len(word) >= MIN_IN_TEXT]
    places = [*texts_of(facets), *((f"description of {column}", text) for column, text in column_texts(schema))]
    return [place for place, text in places if asked and all(_begins(words_in(text), word) for word in asked)]


def matched_tags(tags: Iterable[str], words: Sequence[str]) -> list[str]:
    """The tags of a node that have words that begin with each of some words, as places: `tag classification=PII`."""
    return [f"tag {tag}" for tag in sorted(tags) if all(_begins(words_of(tag), word) for word in words)]


def _begins(words: Iterable[str], beginning: str) -> bool:
    return any(word.startswith(beginning) for word in words)
