"""Redaction: passwords, tokens and keys of an event are replaced before anything keeps the event.

    SELECT * FROM users WHERE password = 'hunter2'      SELECT * FROM users WHERE password = '***password***'
    jdbc:postgresql://etl:hunter2@db/shop               jdbc:postgresql://***credentials***@db/shop
    {"name": "DB_HOST", "value": "10.0.0.1"}            {"name": "DB_HOST", "value": "***environment***"}, in a member
                                                        environmentVariables, unless the variable is in TOLD_VARIABLES

A placeholder shows the kind of the secret and nothing of its text: two queries that differ only in a password are equal
afterwards. A redacted text stays as it is.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

HINTS = (
    *("pass", "pwd", "secret", "token", "credential", "authorization", "bearer", "identified", "sig=", "signature"),
    *("@", "%40", "curl ", "hooks.slack", "webhook", "cookie", "basic ", "user.info", "_pw", " -p", "redis-cli"),
    *("crypt", "_pat_", "glpat-", "xox", "xapp-", "_live_", "dapi", "dose", "aiza", "ya29.", "gocspx-", "hvs."),
    *("_key", "-key", ".key", " key", "ikey", "skey", "tkey", "dkey", "ekey", "nkey", "rkey", "\x1b", "\\u001b"),
    *("mentvar", "ment_var", "envvar", "env_var", "akia", "asia", "eyj", "gho_", "ghp_", "ghr_", "ghs_", "ghu_"),
    *("pypi-", "hf_", "npm_", "dbtc_", "dbtu_", "glsa_", "ewogi", "ls0tls1c"),
)
"""What a text with a secret has, in lower case, or `_SK`: `apiKey` has `ikey`. Nearly no event has one of these; the
others are not looked at."""
_PARTS = ("key", "var", "sig", "gh")
"""What several hints have: a text without `key` has none of those with it."""
_OF_PART = {part: tuple(hint for hint in HINTS if part in hint) for part in _PARTS}
_OTHERS = tuple(hint for hint in HINTS if not any(part in hint for part in _PARTS))

_SK = re.compile(r"(?:(?<!\w)|\\[bfnrt]|\\u[0-9a-f]{4})sk-")
"""The beginning of another token, where JSON may have an escape before it: `task-` and `disk-` have no secret."""

MAX_KEPT, MAX_KEPT_LENGTH = 10_000, 200
"""Texts without a hint that are kept, some 2 MB, and their length."""
_without_hints: set[str] = set()
_BETWEEN = ',"'
"""Stands between two members of a document: a fifth of its quotes."""

RULE = r"(?:[\w.:/=@#%&;~<>-]|\\[dws.-]|\[[^\[\]\\\s]+\]|\{\d{1,3}(?:,\d{1,3})?\})+"
"""The form of an operator's own rule: characters, classes and counts."""
_RANGE = re.compile(r"\{\d+,")
_own: list[re.Pattern[str]] = []


class Redacted(NamedTuple):
    """A document without secrets, and where they were:
    `job.facets.sql.query: redacted password`. The document is the same
    object if it has none."""

    document: Any
    places: tuple[str, ...]


def read_rule(text: str) -> re.Pattern[str]:
    """An operator's own rule. No alternatives, no groups, and one range of counts at most: so its time grows with the
    length of a text, and no rule stops ingest. Raises ValueError."""
    if not re.fullmatch(RULE, text) or len(_RANGE.findall(text)) > 1:
        raise ValueError("not a rule")
    try:
        rule = re.compile(text)
    except re.error as error:
        raise ValueError("not a regular expression") from error
    if rule.fullmatch(""):
        raise ValueError("matches nothing")
    return rule


def use_rules(rules: Iterable[str]) -> None:
    """Lets this process replace what these rules match, too."""
    _own[:] = map(read_rule, rules)


def redacted(document: Any, text: str) -> Redacted:
    """The document of an event without secrets. `text` is its JSON."""
    if not _own and not has_hint(text):
        return Redacted(document, ())
    from headwater.openlineage.secret_rules import SecretWalk  # compiling the rules takes a tenth of a second

    walk = SecretWalk([], tuple(_own))
    clean = walk.member(document, "", "")
    return Redacted(clean if walk.places else document, tuple(walk.places))


def redacted_text(text: str) -> str:
    """A text, such as a message or a stack trace, without secrets."""
    if not _own and not has_hint(text):
        return text
    from headwater.openlineage.secret_rules import without_own, without_secrets

    clean = without_own(text, _own, [])
    return without_secrets(clean, []) if has_hint(clean) else clean


def has_hint(text: str) -> bool:
    """Whether a text may have a secret. Most members of an event are as in the events before, and no hint has a quote:
    what had no hint before is not searched again."""
    if text.count(_BETWEEN) > MAX_KEPT:
        return _may_have_hint(text.lower())
    new = {*text.split(_BETWEEN)} - _without_hints
    if not _may_have_hint('"'.join(new).lower()):
        if len(_without_hints) + len(new) > MAX_KEPT:
            _without_hints.clear()
        _without_hints.update(part for part in new if len(part) <= MAX_KEPT_LENGTH)
        return False
    return True


def _may_have_hint(lower: str) -> bool:
    likely = [*_OTHERS, *(hint for part, hints in _OF_PART.items() if part in lower for hint in hints)]
    found = [hint for hint in likely if hint in lower]  # each step of a generator would be a call, which tests count
    return bool(found) or ("sk-" in lower and _SK.search(lower) is not None)
