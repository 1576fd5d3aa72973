"""What a change of code may do to lineage: the sections `names` and `policy` of headwater.yml, for `headwater ci`.

names:                                    what a test calls otherwise than production: beginnings of names
  - {from: "file:/tmp/*/lake", to: "s3://lake"}      * stands for one folder
  - {from: ci, to: prod}                             a namespace, of jobs too
policy:
  keep_columns: true                      no column that others certainly read is removed or retyped, and no such table
  keep_lineage: true                      a column that had an origin has one
  sources: ["s3://lake", "kafka://*"]     the namespaces of new sources
  never:                                  a column is never made of another, by whatever way
    - {namespace: "s3://lake", dataset: "report.*", column: "*",
       of: {namespace: "s3://lake", dataset: customers, column: ssn}}
  acknowledged:                           what may go nevertheless; without a column the table
    - {namespace: "s3://lake", dataset: orders, column: status, note: "finance moved off it"}
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from headwater.openlineage.event import Name
from headwater.openlineage.faults import Fault, InvalidRequest, path_of

MOST_ENTRIES, MOST_FAULTS = 1_000, 100
_MEMBERS = ("keep_columns", "keep_lineage", "sources", "never", "acknowledged")
_AUTHORITY = re.compile(r"([\w+.-]+://[^/]+)/*(.*)|(\w+):(.+)", re.DOTALL)
"""A namespace and the beginning of a name: `s3://lake/raw`, `postgres://db:5432`, `file:/tmp/lake`."""
_FILE = "duckdb:"
"""Namespaces of this kind are the path of a file: `duckdb:///srv/shop.duckdb`."""


class _Beginning(NamedTuple):
    """A namespace, and the beginning of the names in it: empty for all."""

    namespace: str
    beginning: str

    @classmethod
    def of(cls, text: str) -> "_Beginning":
        match = _AUTHORITY.fullmatch(text.rstrip("/"))
        if match is None or text.startswith(_FILE):
            return cls(text, "")
        return cls(match[1], match[2]) if match[1] else cls(match[3], match[4])


class NameRule(NamedTuple):
    """Names that begin with one place are meant to begin with another."""

    begins: _Beginning
    becomes: _Beginning

    @classmethod
    def of(cls, begins: str, becomes: str) -> "NameRule":
        return cls(_Beginning.of(begins), _Beginning.of(becomes))

    def applied(self, name: Name) -> Name | None:
        """The name that is meant; None if the rule is not for it. `/tmp/lake` is no beginning of `/tmp/lakehouse`."""
        begins, becomes = self.begins.beginning, self.becomes.beginning
        ends = "/" if "/" in begins else "./"
        beginning = re.escape(begins).replace(r"\*", "[^/]*") + rf"(?=[{ends}]|\Z)"
        match = re.match(beginning if begins else "", name.name)
        if match is None or not _fits(name.namespace, self.begins.namespace):
            return None
        rest = name.name[match.end() :]
        if not becomes:
            inside = rest.lstrip(ends) if begins else rest
            return Name(self.becomes.namespace, inside) if inside else None
        return Name(self.becomes.namespace, becomes + ("" if begins or not rest else "/") + rest)


class Named(NamedTuple):
    """Columns by namespace, dataset and column, each a name or a pattern: `report.*`. Without a column the datasets."""

    namespace: str
    dataset: str
    column: str

    def fits(self, dataset: Name, column: str) -> bool:
        pairs = ((dataset.namespace, self.namespace), (dataset.name, self.dataset), (column, self.column))
        return all(_fits(text, pattern) for text, pattern in pairs)


class Policy(NamedTuple):
    """The map of names, and the rules. `sources` is None if new sources may come from anywhere."""

    names: Sequence[NameRule] = ()
    keeps_columns: bool = False
    keeps_lineage: bool = False
    sources: Sequence[str] | None = None
    never: Sequence[tuple[Named, Named]] = ()
    acknowledged: Sequence[Named] = ()

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Policy":
        """The sections of a document; others are passed over. Raises InvalidRequest, which names each fault."""
        reading = _Reading()
        rules = document.get("policy") or {}
        if not isinstance(rules, dict):
            raise InvalidRequest(Fault("policy", f"expected a section with {', '.join(_MEMBERS)}"))
        reading.known(rules, "policy", _MEMBERS)
        never = reading.entries(rules, "policy.never")
        found = cls(
            [reading.name_rule(entry, path) for path, entry in reading.entries(document, "names")],
            reading.flag(rules, "policy.keep_columns"),
            reading.flag(rules, "policy.keep_lineage"),
            reading.texts(rules, "policy.sources"),
            [(reading.named(entry, path, ("of",)), reading.origin(entry, path)) for path, entry in never],
            [
                reading.named(entry, path, ("note",), of_table=True)
                for path, entry in reading.entries(rules, "policy.acknowledged")
            ],
        )
        if reading.faults:
            raise InvalidRequest(*reading.faults[:MOST_FAULTS])
        return found

    def meant(self, name: Name) -> Name:
        """The name in production, by the first rule that is for the name; without one, the name itself."""
        return next((found for rule in self.names if (found := rule.applied(name))), name)

    def approves(self, namespace: str) -> bool:
        """Whether a new source may be in a namespace."""
        return self.sources is None or any(_fits(namespace, pattern) for pattern in self.sources)

    def is_acknowledged(self, dataset: Name, column: str) -> bool:
        return any(entry.fits(dataset, column) for entry in self.acknowledged)


def _fits(text: str, pattern: str) -> bool:
    """Whether a text fits a pattern, in which only `*` is special."""
    return fnmatchcase(text, re.sub(r"([\[?])", r"[\1]", pattern))


class _Reading:
    """Reads sections, and keeps their faults."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def fault(self, path: str, text: str) -> None:
        self.faults.append(Fault(path, text))

    def known(self, entry: Mapping[str, Any], path: str, members: Sequence[str]) -> None:
        for key in sorted(map(str, entry.keys() - {*members})):
            self.fault(f"{path}.{key}", f"unknown; expected one of {', '.join(members)}")

    def entries(self, section: Mapping[str, Any], path: str) -> list[tuple[str, dict[str, Any]]]:
        listed = section.get(path.rpartition(".")[2]) or []
        if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
            self.fault(path, f"expected a list of at most {MOST_ENTRIES:,} entries")
            return []
        placed = [(path_of(path, place), entry) for place, entry in enumerate(listed)]
        for where, entry in placed:
            if not isinstance(entry, dict):
                self.fault(where, "expected an entry with keys")
        return [(where, entry) for where, entry in placed if isinstance(entry, dict)]

    def name_rule(self, entry: dict[str, Any], path: str) -> NameRule:
        self.known(entry, path, ("from", "to"))
        begins, becomes = (self.text(entry, f"{path}.{key}") for key in ("from", "to"))
        if "*" in becomes:
            self.fault(f"{path}.to", "expected a beginning of names without *")
        return NameRule.of(begins, becomes)

    def named(self, entry: dict[str, Any], path: str, more: Sequence[str] = (), *, of_table: bool = False) -> Named:
        self.known(entry, path, ("namespace", "dataset", "column", *more))
        column = self.text(entry, f"{path}.column") if "column" in entry or not of_table else ""
        return Named(self.text(entry, f"{path}.namespace"), self.text(entry, f"{path}.dataset"), column)

    def origin(self, entry: dict[str, Any], path: str) -> Named:
        origin = entry.get("of")
        if not isinstance(origin, dict):
            self.fault(f"{path}.of", "expected namespace, dataset and column of what it is never made of")
            return Named("", "", "")
        return self.named(origin, f"{path}.of")

    def text(self, entry: Mapping[str, Any], path: str) -> str:
        value = entry.get(path.rpartition(".")[2])
        if not (isinstance(value, str) and value):
            self.fault(path, "expected a text")
            return ""
        return value

    def texts(self, section: Mapping[str, Any], path: str) -> list[str] | None:
        value = section.get(path.rpartition(".")[2])
        if value is not None and not (
            isinstance(value, list) and all(isinstance(each, str) and each for each in value)
        ):
            self.fault(path, "expected a list of namespaces, such as s3://lake or kafka://*")
            return None
        return value

    def flag(self, section: Mapping[str, Any], path: str) -> bool:
        value = section.get(path.rpartition(".")[2], False)
        if value not in (True, False, "true", "false"):
            self.fault(path, "expected true or false")
        return value in (True, "true")
