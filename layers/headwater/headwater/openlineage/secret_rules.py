"""What a secret looks like, in texts, in SQL and in members of a document.

Lineage is made of names: in a member `name` or `namespace`, only the credentials of a URL are replaced. Each quantifier
that can meet a long text is bounded or excludes what follows it, so that the time grows with the length of the text.
"""

import re
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any, NamedTuple

from headwater.concurrent import give_way
from headwater.openlineage.redaction import has_hint

TOLD_VARIABLES = frozenset(
    {
        *("AIRFLOW_HOME", "AWS_DEFAULT_REGION", "AWS_EXECUTION_ENV", "AWS_REGION", "CI", "DBT_TARGET", "ENV"),
        *("ENVIRONMENT", "HADOOP_HOME", "HADOOP_VERSION", "HOSTNAME", "JAVA_HOME", "JAVA_VERSION", "LANG", "LC_ALL"),
        *("OS", "PYTHON_VERSION", "SCALA_VERSION", "SPARK_HOME", "SPARK_VERSION", "STAGE", "TZ"),
    }
)
"""Environment variables whose values are kept."""

_OF_KEYS = ("api", "access", "account", "private", "secret", "shared", "storage", "encryption", "master", "fernet")
_BEFORE_KEY = "|".join(f"(?<={word}k)|(?<={word}[._\\ -]k)" for word in _OF_KEYS)
_BEFORE_PASS = "|".join(f"(?<={word}p)" for word in ("db", "key", "ssh", "store", "user"))
_KIND = rf"""(?P<kind>
    (?-i:[ckpstCKPST])
    (?: (?<=p)(?: ass(?:word|wd|phrase|code) | wd | (?<![a-z]p)ass | (?:{_BEFORE_PASS})ass | (?<=_p)w )
      | (?<=s)(?: ecret(?:_string)? | (?:(?<![a-z]s)|(?<=accesss)|(?<=access[-_]s))ig(?:nature)? )
      | (?<=t)oken | (?<=aut)h\.user\.info | (?<=c)redentials? | (?<=k)(?:{_BEFORE_KEY})ey
    ) )\d{{0,3}}"""
"""What the name of a secret ends with: `db_passwd`, `fs.s3a.secret.key`, `dbPassword2`. The first letter, without the
flag for capitals, lets the search pass over all other letters."""
_OF_AZURE = (
    r"(?:(?:(?<=account.key)|(?<=client.secret)|(?<=fixed.token))\.[\w-]{1,40}\.[a-z]{1,10}\.core\.[\w.]{1,40})?"
)
"""`fs.azure.account.key.ACCOUNT.dfs.core.windows.net`: the account comes after the name."""
_OF_ANY_KIND = _KIND.replace("?P<kind>", "?:")
_START = r"(?!(?:true|false|null|none|yes|no)\b|\*\*\*)"
"""Where a secret may start: not at a placeholder."""
_QUOTED = rf"""'({_START}(?:[^'\\]|\\.|'')+)' | "({_START}(?:[^"\\]|\\.)+)" """
_UNQUOTED = r"""(?! \?(?:\W|\Z) | : | \$[{(\d] | \{\{ | %[(s] | // | \[ | \w{1,80}\(
      | [a-z_]\w{0,80}\.[\w.]{0,80}(?:word|passwd|pwd|secret|token|key)\b
      | (?:(?<=oken:\ )|(?<=cret:\ ))[a-z]{1,15}(?![^\s.,]) )
    ((?:[^\s,;&"'\\]|\\(?!["']))+)"""
"""A value without quotes. `?`, `:new`, `${PW}`, `sha2(x)` and `b.password` are parameters, calls and columns, and a
parser says "unexpected token: FROM"."""


def _rule(pattern: str) -> re.Pattern[str]:
    """A rule. The last group of a match is the secret; the group `kind`, else the name of the last, is its kind."""
    return re.compile(pattern, re.IGNORECASE | re.VERBOSE | re.DOTALL)


_NAME = _rule(rf"{_KIND}{_OF_AZURE}\Z")
_VALUE = _rule(rf"{_START}.")
_URL = _rule(r"""://(?P<credentials>[^/\s:@"'<>]*:[^/\s?\#"'<>]+)@""")
_OF_URL = _rule(rf"""(?<=[?&;])[\w.-]{{0,40}}?{_KIND}=({_START}[^&;\s\#"']+)""")
_ASSIGNED = _rule(
    rf"""{_KIND} {_OF_AZURE} (?: &quot; | \\{{0,4}}["'`]? )\]? \s{{0,8}} (?> [=-]> | :=? | ==? | (?P<at>%3d) )
    [^\S\n]{{0,8}} (?: \n\s{{0,8}} (?!\"{{3}}) )? (?: \\\n\s{{0,80}} )?+ (?: [bfru]{{1,2}}(?=["']) )?+ {_START}
    (?: {_QUOTED} | (?P<quote>\\{{1,4}}["'] | &quot; | \"{{3}}) ({_START}.+?) (?P=quote)
    | (?(at) ((?:(?!%26|%2f)[^\s,;&"'\\/])+) | {_UNQUOTED} ) )"""
)
_ASSIGNMENTS = (
    _ASSIGNED,
    _rule(rf"""(?<![\w.-])--?[\w.-]{{0,40}}?{_KIND} \s{{1,8}} ["']? ({_START}[^\s"'-][^\s"']*)"""),
    _rule(r"(?P<kind>pass(?:word|wd)|pwd) \s{1,8} '(?!\*\*\*)([^'\n]{1,500})'"),
    _rule(rf"<(?:name>)?[\w.:-]{{0,80}}? {_KIND} (?: </name>\s{{0,80}}<value )? > {_START} ([^<]{{1,500}}) </"),
)
"""`db.password=hunter2`, `"password": "hunter2"` also with escaped quotes, `--db-password hunter2`, and in XML. Three
quotes on the line after `class ApiKey:` begin its documentation."""
_ARGUMENTS = r"\s(?:(?:[^\s|;&\\*]{1,200}+|[^\S\n]|\*(?!\*\*pass)|\\\n|&(?!&)){0,40}?\s)??"
"""Those of a command before the first such option, and before no second: in `sshpass -p x ssh -p 22 h`, that is a
port."""
_CURL = _rule(
    rf"""\bcurl{_ARGUMENTS} (?:-[a-z]{{0,4}}u|--(?:proxy-)?user(?=[\s=])) (?:=|\s\\\n)? \s{{0,8}} ["']?
    (?P<credentials> (?<=')[^:'\n]{{1,80}}:(?!\*\*\*)[^'\n]+ | (?<=")[^:"$\n]{{1,80}}:(?!\*\*\*)[^"$\n]+
      | [^\s:"'$={{]{{1,80}}:(?!\*\*\*|[$]|\{{\{{)[^\s"']+ )"""
)
_ANYWHERE = (
    _URL,
    _rule(
        rf"""\b(?: (?:mysql|mariadb)\w{{0,9}}{_ARGUMENTS}(?-i:-p) | redis-cli{_ARGUMENTS}(?-i:-a)\s{{1,8}}
          | (?:sshpass|(?:docker|podman|az)\ login|mongo\w{{0,9}}|beeline|sqlcmd|bcp){_ARGUMENTS}-p\s{{0,8}} )
        ["']? (?P<password>{_START} (?!(?:[\d.]{{1,15}}:)?\d{{1,5}}:\d{{1,5}}(?![^\s"';])|(?:ort|thread)\b)
          [^\s"'$%{{-][^\s"']*)"""
    ),
    _rule(
        rf"""(?<![\w.-])(?:spark|hadoop|hive|fs)\.[\w.-]{{1,100}}?{_KIND}{_OF_AZURE}
        (?: \s{{0,8}}=\s{{0,8}} | \ {{1,8}}(?=[^\s\d]{{0,80}}\d) ) {_START} {_UNQUOTED}"""
    ),
    _rule(
        r"""\b(?: configure\ set\ [\w.]{1,80}
          | (?:machine\s{1,8}\S{1,100}|default)\s{1,8}login\s{1,8}\S{1,80}\s{1,8}password ) \s{1,8}
        (?P<password>(?!.?\*\*\*)\S{6,})"""
    ),
    _rule(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}[^A-Za-z0-9]{1,12}(?P<key>[A-Za-z0-9/+]{40})(?![\w/+])"),
    _rule(
        r"""(?P<kind>authorization) \\{0,4}["']? \s{0,8} [:=] \s{0,8} \\{0,4}["']?
        ( (?:basic|bearer|token|digest|negotiate)\s{1,8}(?!\*\*\*)[^\s,;"'\\]+ | [\w.~+/=-]{16,} )"""
    ),
    _rule(r"""%3a%2f%2f(?P<credentials>[^\s/@&"'<>%]{0,80}%3a(?:(?!%2f|%3f|%23)[^\s/@&"'<>]){1,200}?)%40"""),
    *(_CURL, _CURL),  # one for the server, and one for the proxy
    _rule(
        r"""(?: hooks\.slack\.com/(?:services|workflows|triggers) | discord(?:app)?\.com/api/webhooks
          | webhook\.office\.com/webhookb2 ) / (?P<token>[\w/@-]{20,})"""
    ),
    _rule(r"\b(?:basic|bearer) \s{1,8} (?=[^\s\d]{0,200}\d) (?P<token>[\w.~+/=-]{12,})"),
    _rule(
        r"""\bcookie \\{0,4}["']? : \s{0,8} \\{0,4}["']? (?P<token>[\w.-]{1,80}=(?!\*\*\*)[^\s"'\\]{8,}[^\n"'\\]*)"""
    ),
    _rule(r"(?: \b(?:thin|oci8?): | \bsqlplus\s{1,8} | \buserid= ) (?P<credentials>[\w$]{1,80}/[^\s@/]{1,200}) @"),
    _rule(
        r"""(?: \b(?:user|role|to)\s{1,8}\S{1,100}\s{1,8}identified | identified(?=[^'\n]{1,80}') ) \s{1,8}
        (?: with\s{1,8}["'`]?\w{1,40}["'`]?\s{1,8}(?:by|as) | by ) \s{1,8} (?:(?:password|values)\s{1,8})?+
        ["']? (?!\*\*\*) (?P<password>[^\s'";]+)"""
    ),
    _rule(
        rf"""\b(?:option|set|put|conf|config|setproperty|map) \(\s{{0,8}} ["'][^"']{{0,100}}?{_KIND}["']
        \s{{0,8}},\s{{0,8}} (?: {_QUOTED} )"""
    ),
    _rule(
        r"""(?P<key> -----BEGIN\ [A-Z\ ]{0,30}PRIVATE\ KEY(?:\ BLOCK)?-----.*?
            (?:-----END\ [A-Z\ ]{0,30}PRIVATE\ KEY(?:\ BLOCK)?-----|\Z) )"""
    ),
    re.compile(
        r"\b(?P<token>eyJ[\w-]{10,}\.eyJ[\w-]{10,}(?:\.[\w-]*)?|(?:AKIA|ASIA)[A-Z0-9]{16}\b|gh[oprsu]_\w{20,}"
        r"|github_pat_\w{20,}|glpat-[\w-]{20,}|xox[abeprs]-[\w-]{10,}|xapp-[\w-]{20,}|[prs]k_live_\w{16,}"
        r"|(?:dapi|dose)[0-9a-f]{32}|AIza[\w-]{35}|ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|hvs\.[\w-]{24,}"
        r"|sk-(?=[\w-]{0,60}\d)(?=[\w-]{0,80}?[A-Za-z0-9]{20})[\w-]{32,}|pypi-(?=[\w-]{0,60}\d)[\w-]{50,}"
        r"|hf_(?=[a-z]{0,60}[A-Z0-9])[A-Za-z0-9]{30,}|npm_(?=[A-Za-z]{0,60}\d)[A-Za-z0-9]{20,}"
        r"|(?:dbt[cu]|dckr_pat|glsa)_[A-Za-z0-9]{20,}\w*"
        r"|(?:eyJ0eXBlIjogInN|eyJ0eXBlIjoic2Vy|ewogICJ0eXBlIjogInN|ewogICAgInR5cGUiOiAic2"
        r"|LS0tLS1CRUdJTiB(?:QUklW|SU0E|FQy|PUEV|FTkNS|EU0E))[\w+/=-]{40,})"
    ),
)
_IN_QUERIES = (
    _rule(rf"""{_KIND}["'`\]]? \s{{1,8}} (?:not\s{{1,8}})? in\s{{0,8}}\(\s{{0,8}} '({_START}[^()]+)' \s{{0,8}}\)"""),
    _rule(
        rf"""{_KIND} (?: (?:\ for\ [^\s=]{{1,100}})? ["'`\]]? \s{{0,8}} \)? \s{{0,8}}
            (?: => | := | <=> | [!=]= | <> | [=:] )
          | \s{{1,8}}like\b | ["'`\]]?\s ) \s{{0,8}} (?: \w{{1,40}}\s?\(\s{{0,4}} ){{0,2}}
        (?! "[a-z]{{1,3}}_?\d{{1,3}}" )
        (?: (?:[nerbx]|u&)?'({_START}(?:[^'\\]|\\.|'')+)'
          | \$\w{{0,20}}\$({_START}(?!\s|begin\b|declare\b)[^$]{{1,500}})\$
          | "({_START}(?:[^"\\]|\\.)+)"(?!\s{{0,8}}[.,)]) | "(?=[^"\s]{{0,80}}\d)({_START}[^"\s]+)"(?!\s{{0,8}}\.) )"""
    ),
    _rule(
        rf"""(?: (?<=\() | (?!'[^'\n]{{1,500}}'\s{{0,8}}\)) ) '(?!\*\*\*|\$\.)(?P<password>[^'\n]{{1,500}})'(?=
          (?: \s{{0,8}}\) | \s{{1,8}}end | \s{{1,8}}as\s{{1,8}}\w{{1,40}}\s{{0,8}}\) ){{0,3}} \s{{1,8}}as\s{{1,8}}
            ["`]?(?!(?:has|is)_)\w{{0,40}}?{_OF_ANY_KIND}\b
          | \s{{0,8}}=\s{{0,8}} (?:\w{{1,40}}\.)? ["`]?\w{{0,40}}?{_OF_ANY_KIND}\b )"""
    ),
    _rule(
        r"""(?: (?:pgp_sym_|aes_)(?:en|de)crypt\w{0,6}\s?\( (?:[^,()']|'[^']{0,200}'|\([^()]{0,200}\)){1,200}, \s{0,8}
          | (?:en|de)cryptbypassphrase\s?\(\s{0,8}n? ) '(?P<key>[^'*\n]{1,500})'"""
    ),
    _rule(r"'(?P<email>[^\s'@]{1,64}@[^\s'@.]{1,100}\.[^\s'@]{1,100})'"),
)
PIECE, OVERLAP = 20_000, 4_000
"""Characters of a long text that a rule searches at once, in 30 ms at most; the next piece begins before the end of the
last, since a secret of a few thousand characters may begin there."""
MOST_OF_NAME = 160
"""Characters of the name of a member that are looked at, or stand in a place."""
_QUERIES = frozenset({"query", "sql", "sqltext", "querytext", "statement"})
_IDENTITIES = frozenset({"namespace", "name"})
_ENVIRONMENT = re.compile(r"(?i)environment_?variables|env_?vars?")
_LITERAL = re.compile(r"'[^']*(?:''[^']*)*'|--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_ROWS = re.compile(r"\(([^()]*)\)\s{0,8}values\b", re.IGNORECASE)
_COLOUR = re.compile(r"(?:\x1b|\\(?:x|u00)1b)(?:\[[\d;:?]{0,20}[A-Za-z]|\][^\x07\x1b]{0,200}(?:\x07|\x1b\\))")


class SecretWalk(NamedTuple):
    """A walk through a document, with the places where secrets were replaced, and the operator's own rules."""

    places: list[str]
    own: tuple[re.Pattern[str], ...] = ()

    def member(self, value: Any, name: str, path: str) -> Any:
        """The value of a member of a name, without secrets. An entry of a list has the name of the list,
        or of the flag before it: `["--password", "hunter2"]`."""
        match value:
            case str():
                return self._text(value, name, path)
            case list() | dict() if _ENVIRONMENT.fullmatch(name):
                return self._variables(value, path)
            case list():
                flags = [name, *(each if _is_flag(each) and is_secret(each) else name for each in value)]
                names = [name if _is_flag(entry) else flag for entry, flag in zip(value, flags, strict=False)]
                return [self.member(entry, names[at], f"{path}[{at}]") for at, entry in enumerate(value)]
            case dict():
                return self._members(value, name, path)
            case int() | Decimal() if not isinstance(value, bool) and is_secret(name):
                return self._replaced(kind_of(name), path)
        return value

    def _members(self, holder: dict[str, Any], name: str, path: str) -> dict[str, Any]:
        """The members of an object. In `{"name": "password", "value": "hunter2"}` the name is that of the value; else
        it is `key`, or the name of the object, if that is the name of a secret. The key of a tag is none."""
        known, key = holder.get("name"), None if name == "tags" else holder.get("key")
        told = (each for each in (key, name) if isinstance(each, str) and is_secret(each))
        names = {"value": next(told, known if isinstance(known, str) else "value")}
        above = f"{path}." if path else ""
        return {
            each: self.member(value, names.get(each, each), above + each[:MOST_OF_NAME])
            for each, value in holder.items()
        }

    def _variables(self, value: Any, path: str) -> Any:
        """Environment variables: a list of `{"name", "value"}`, or an object."""
        match value:
            case list():
                return [self._variables(entry, f"{path}[{at}]") for at, entry in enumerate(value)]
            case {"name": str(name), "value": text}:
                return {**value, "value": self._variable(text, name, f"{path}.value")}
            case dict():
                return {name: self._variable(entry, name, f"{path}.{name}") for name, entry in value.items()}
        return self._variable(value, "", path)

    def _variable(self, value: Any, name: str, path: str) -> Any:
        if isinstance(value, list | dict):
            return self._variables(value, path)
        is_kept = name.startswith("_") or name.upper() in TOLD_VARIABLES or not value or str(value).startswith("***")
        return self.member(value, name, path) if is_kept else self._replaced("environment", path)

    def _text(self, text: str, name: str, path: str) -> str:
        if is_secret(name) and _VALUE.match(text):
            return self._replaced(kind_of(name), path)
        found: list[str] = []
        clean = text if name in _IDENTITIES else without_own(text, self.own, found)
        if has_hint(clean):
            if name in _IDENTITIES:
                clean = _applied((_URL, _OF_URL), clean, found)
            else:
                clean = (query_without_secrets if name.lower() in _QUERIES else without_secrets)(clean, found)
        self.places.extend(f"{path}: redacted {kind}" for kind in found)
        return clean

    def _replaced(self, kind: str, path: str) -> str:
        self.places.append(f"{path}: redacted {kind}")
        return _placeholder(kind)


def without_own(text: str, rules: Iterable[re.Pattern[str]], found: list[str]) -> str:
    """A text without what an operator's own rules match; `rule` is added to `found` for each match."""
    for rule in rules:
        text, count = rule.subn(_placeholder("rule"), text)
        found.extend(["rule"] * count)
    return text


def without_secrets(text: str, found: list[str]) -> str:
    """A text without secrets; their kinds are added to `found`. Colours of a terminal may be inside of a secret."""
    clean = _applied((*_ANYWHERE, *_ASSIGNMENTS), text, found)
    plain = _COLOUR.sub("", clean) if "\x1b" in text or "1b[" in text else clean
    if plain == clean:
        return clean
    before = len(found)
    again = _applied((*_ANYWHERE, *_ASSIGNMENTS), plain, found)
    return again if len(found) > before else clean


def query_without_secrets(query: str, found: list[str]) -> str:
    """A SQL query without secrets. Outside its literals and comments, `password = x` compares columns."""
    clean = _applied((*_ANYWHERE, *_IN_QUERIES), query, found)
    clean = _LITERAL.sub(
        lambda literal: without_secrets(literal[0], found) if has_hint(literal[0]) else literal[0], clean
    )
    for rows in _ROWS.finditer(clean):
        if any(is_secret(column.strip(' "`[]\n')) for column in rows[1].split(",")):
            return clean[: rows.end()] + _LITERAL.sub(lambda literal: _of_row(literal[0], found), clean[rows.end() :])
    return clean


def secrets_in(text: str) -> set[str]:
    """The passwords and keys that a text assigns or has in a URL, without the users beside them."""
    in_urls = {match[1].partition(":")[2] for match in _URL.finditer(text)}
    return in_urls | {match[match.lastindex or 0] for match in _ASSIGNED.finditer(text)}


def is_secret(name: str) -> bool:
    """Whether the value of a member or variable of this name is a secret."""
    return _NAME.search(name[-MOST_OF_NAME:]) is not None


def kind_of(name: str) -> str:
    """The kind of a secret by its name: `aws_secret_access_key` is a key."""
    kinds = {"authorization": "authorization", "credential": "credentials", "token": "token", "key": "key"}
    kinds |= {"sig": "signature", "secret": "secret"}
    return next((kind for part, kind in kinds.items() if part in name[-MOST_OF_NAME:].lower()), "password")


def _is_flag(entry: Any) -> bool:
    return isinstance(entry, str) and re.fullmatch(r"--?[\w.-]{1,80}", entry) is not None


def _of_row(literal: str, found: list[str]) -> str:
    """A literal of a row of VALUES, one of whose columns is a secret: which one is not counted out."""
    if not literal.startswith("'") or literal.startswith("'***"):
        return literal
    found.append("password")
    return f"'{_placeholder('password')}'"


def _applied(rules: Iterable[re.Pattern[str]], text: str, found: list[str]) -> str:
    def replaced(match: re.Match[str]) -> str:
        start, end = (at - match.start() for at in match.span(match.lastindex or 0))
        name = next(iter(rule.groupindex))
        found.append(kind_of(match[name]) if name == "kind" else name)
        return match[0][:start] + _placeholder(found[-1]) + match[0][end:]

    for rule in rules:
        text = rule.sub(replaced, text) if len(text) <= PIECE else _in_pieces(rule, replaced, text)
    return text


def _in_pieces(rule: re.Pattern[str], replaced: Callable[[re.Match[str]], str], text: str) -> str:
    """The same as `rule.sub(replaced, text)`, piece by piece: while a rule searches, no other thread computes."""
    parts: list[str] = []
    done = at = 0
    while at < len(text):
        give_way()
        end = at + PIECE
        match = rule.search(text, at, end)
        if match is None:
            at = end - OVERLAP if end < len(text) else end
            continue
        at = match.start() + 1
        if match.end() == end:  # it may go on in the next piece, or not be one
            match = rule.match(text, match.start())
        if match:
            parts += [text[done : match.start()], replaced(match)]
            done = at = match.end()
    return "".join(parts) + text[done:]


def _placeholder(kind: str) -> str:
    return f"***{kind}***"
