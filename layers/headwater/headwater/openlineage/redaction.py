"""Redaction: passwords, tokens and keys of an event are replaced before anything keeps the event.

    SELECT * FROM users WHERE password = 'hunter2'      SELECT * FROM users WHERE password = '***password***'
    jdbc:postgresql://etl:hunter2@db/shop               jdbc:postgresql://***credentials***@db/shop
    {"name": "DB_HOST", "value": "10.0.0.1"}            {"name": "DB_HOST", "value": "***environment***"}, in a member
                                                        environmentVariables, unless the variable is in TOLD_VARIABLES

A placeholder tells the kind of the secret and nothing of its text: two queries that differ in a password alone are
equal afterwards. A redacted text stays as it is.
"""

from typing import Any, NamedTuple

HINTS = (
    *(
        "pass",
        "pwd",
        "secret",
        "token",
        "credential",
        "authorization",
        "bearer",
        "identified",
        "sig=",
        "signature",
        "@",
    ),
    *("_key", "-key", ".key", " key", "ikey", "skey", "tkey", "dkey", "ekey", "nkey", "rkey", "\x1b", "\\u001b"),
    *("mentvar", "ment_var", "envvar", "env_var", "akia", "asia", "eyj", "gho_", "ghp_", "ghr_", "ghs_", "ghu_"),
    *("github_pat_", "glpat-", "xox", "_live_", "dapi", "aiza"),
)
"""What a text with a secret has, in lower case: `apiKey` has `ikey`. Nearly no event has one of these; the others are
not looked at."""


class Redacted(NamedTuple):
    """A document without secrets, and where they were:
    `job.facets.sql.query: redacted password`. The document is the same
    object if it has none."""

    document: Any
    places: tuple[str, ...]


def redacted(document: Any, text: str) -> Redacted:
    """The document of an event without secrets. `text` is its JSON."""
    if not has_hint(text):
        return Redacted(document, ())
    from headwater.openlineage.secret_rules import SecretWalk  # compiling the rules takes a tenth of a second

    walk = SecretWalk([])
    clean = walk.member(document, "", "")
    return Redacted(clean if walk.places else document, tuple(walk.places))


def redacted_text(text: str) -> str:
    """A text, such as a message or a stack trace, without secrets."""
    if not has_hint(text):
        return text
    from headwater.openlineage.secret_rules import without_secrets

    return without_secrets(text, [])


def has_hint(text: str) -> bool:
    """Whether a text may have a secret."""
    lower = text.lower()
    return any(hint in lower for hint in HINTS)
