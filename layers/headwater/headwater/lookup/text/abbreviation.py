"""Long names, shortened in the middle so that those that differ stay different."""

from collections import defaultdict
from collections.abc import Collection, Iterable

from headwater.lookup.text.inert import ELLIPSIS, beginning, end, shortened, width_of


class Abbreviations:
    """The short forms of the names in one text. All names are inert."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._forms: dict[int, dict[str, str]] = {}

    def fit(self, name: str, width: int) -> str:
        """A name in at most so many columns. No two names have the same form of one width."""
        if width_of(name) <= width:
            return name
        if width not in self._forms:
            self._forms[width] = _told_apart([known for known in self._names if width_of(known) > width], width)
        return self._forms[width].get(name) or shortened(name, width)


def common_beginning(texts: Collection[str]) -> str:
    """What all of some texts begin with."""
    first, last = min(texts), max(texts)
    differs_at = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return first[: next(differs_at, min(len(first), len(last)))]


def _told_apart(names: Collection[str], width: int) -> dict[str, str]:
    """The names without their middles; where that makes them equal, with the place where they differ."""
    forms: dict[str, str] = {}
    for form, alike in _by_form({name: shortened(name, width) for name in names}).items():
        if len(alike) == 1:
            forms[alike[0]] = form
            continue
        differing = {name: _around_difference(name, len(common_beginning(alike)), width) for name in alike}
        for clearer, still_alike in _by_form(differing).items():
            forms |= {still_alike[0]: clearer} if len(still_alike) == 1 else _numbered(still_alike, width)
    return forms


def _by_form(forms: dict[str, str]) -> dict[str, list[str]]:
    names: dict[str, list[str]] = defaultdict(list)
    for name, form in sorted(forms.items()):
        names[form].append(name)
    return names


def _around_difference(name: str, differs_at: int, width: int) -> str:
    """Beginning and end of a name, and between them what follows the place where it begins to differ."""
    side = max(0, width - 2) // 4
    middle = max(0, width - 2) - 2 * side
    return beginning(name, side) + ELLIPSIS + beginning(name[differs_at:], middle) + ELLIPSIS + end(name, side)


def _numbered(names: Iterable[str], width: int) -> dict[str, str]:
    marks = {name: f"~{number}" for number, name in enumerate(sorted(names), start=1)}
    return {name: shortened(name, max(0, width - len(mark))) + mark for name, mark in marks.items()}
