"""Which dataset a name means.

Producers name one table in several ways: by the URI scheme they happened to use, by a partition of it, by a host that
lives as long as its cluster. What is certain to be another name of the same dataset becomes the same here, and the
rules that made it so are told. What only looks like it stays apart: two datasets taken for one show lineage that never
was.
"""

import re
from collections.abc import Mapping
from fnmatch import translate
from glob import escape
from itertools import dropwhile
from typing import NamedTuple

from headwater.openlineage.event import Name

ONE_STORE = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "wasbs": "wasb"}
"""Schemes that reach the same store by another client, or over TLS; the Spark listener sent them as jobs chose them
until OpenLineage PR 2782, which sends s3."""

FILE_SYSTEMS = frozenset(
    {"file", "hdfs", "webhdfs", "swebhdfs", "viewfs", "s3", "gs", "abfs", "wasb", "adl", "dbfs", *ONE_STORE}
    | {"oss", "cos", "cosn", "obs", "ofs", "o3fs", "alluxio", "maprfs"}
)
"""Schemes of namespaces whose names are paths. One alone is a namespace too: `file`, or `hdfs` for the default host."""

OBJECT_STORES = {"s3", "gs", "abfs", "wasb", "oss", "cos", "cosn", "obs"}
"""Schemes whose names are keys, without a slash before them."""

_INNER = re.compile(
    r"""/(?:
    # What committers, Hive and table formats keep in a table's folder, as paths of datasets (OpenLineage issue 4127).
    # A Glue table over Delta has even its location in there: `_symlink_format_manifest`.
    (?P<temporary> _temporary | __magic(?:_job-[^/]*)? | \.spark-staging-[^/]* | \.hive-staging[^/]*
        | _spark_metadata | _delta_log | _change_data | _symlink_format_manifest | \.hoodie)
    # Spark ML saves a pipeline's stages as `stages/INDEX_UID`, and the winner of a cross-validation as `bestModel`. A
    # uid ends with 12 random hex digits, new with every training. Where they lack, as in `stages/01_raw/orders`, and
    # for `metadata` or `data` alone, nothing tells a model's folder from a table of that name.
    | (?P<model> (?:bestModel/)? stages/\d+_[^/]+_[0-9a-f]{12} | bestModel/(?:data|metadata))
    )(?=/|\Z)""",
    re.VERBOSE,
)

_PARTITION = re.compile(r"[^=]+=[^=]+")
"""Hive escapes a `=` in a value, so its folders have exactly one: what OpenLineage's own KeyValueTrimmer looks for."""

_PART_FILE = re.compile(r"part-(?:[mr]-)?\d{5,}(?:[-._].*)?", re.DOTALL)
"""A task's file, as Spark and MapReduce name it: `part-00000-UUID.c000.snappy.parquet`, `part-r-00001`."""

_FILE = re.compile(r".+\.(?!(?:db|delta|hudi|iceberg|v\d+)\Z)[A-Za-z]\w{0,9}", re.DOTALL)
"""A name with an extension, but for those that tables' folders have: a stream may read a table, too."""

_GLUE = re.compile(r"arn:aws[^:]*:glue:[^:]+:[^:/]+/*")
_HIVE_TABLE = re.compile(r"([^./]+)\.([^./]+)")


class Identified(NamedTuple):
    """A name understood.

    `shown` is the name as it was sent, but for the alias map and the path patterns; `identity`, which ids are made of,
    has one spelling of schemes and slashes too. `rules` are those that changed something, in order: why two names are
    one. They are alias; the path patterns temporary, model, stream-file, part-file, partition; scheme; slash.
    """

    shown: Name
    identity: Name
    rules: tuple[str, ...]


class Naming:
    """The rules, with the alias map of a deployment: namespace, or a pattern where `*` is any text -> namespace meant.

    EMR in cluster mode reports `hive://ip-10-...:9083` for what is a Glue ARN elsewhere (OpenLineage issue 4163), and
    each client of a Kafka cluster names it by the bootstrap servers that it was given. A target is mapped further by
    its own name alone, so that `kafka://*` leaves the other targets be; of namespaces in a ring, one stands for all.
    """

    def __init__(self, aliases: Mapping[str, str] = {}) -> None:
        self._exact = {_plain(pattern): target for pattern, target in aliases.items()}
        patterns = sorted((each for each in self._exact if "*" in each), key=lambda each: (-len(each), each))
        self._patterns = [(_compiled(pattern), self._exact[pattern]) for pattern in patterns]
        self._targets = frozenset(map(_plain, self._exact.values()))

    def identify(self, name: Name, *, streams_files: bool = False) -> Identified:
        """What a dataset's name means; `streams_files` says that it is an input of a streaming job.

        Never raises, and an identity is its own: `identify(identity).identity == identity`.
        """
        aliased = self._aliased(name)
        shown, patterns = _collapsed(aliased, streams_files=streams_files)
        schemed = Name(_with_one_scheme(shown.namespace), shown.name)
        identity = _with_few_slashes(schemed)
        changes = {"alias": aliased != name, **patterns, "scheme": schemed != shown, "slash": identity != schemed}
        return Identified(shown, identity, tuple(rule for rule, changed in changes.items() if changed))

    def _aliased(self, name: Name) -> Name:
        """A Hive table whose metastore is really Glue is named as Glue names it: `table/db/table`."""
        namespace = self._meant(name.namespace)
        table = _HIVE_TABLE.fullmatch(name.name)
        if namespace != name.namespace and table and _GLUE.fullmatch(namespace):
            return Name(namespace, f"table/{table[1]}/{table[2]}")
        return Name(namespace, name.name)

    def _meant(self, namespace: str) -> str:
        """Follows the map by plain spelling: whoever maps `s3://old` means `s3a://old/` as well."""
        trail: dict[str, str] = {}
        while (plain := _plain(namespace)) not in trail:
            trail[plain] = namespace
            namespace = self._target(plain) or namespace
        ring = dropwhile(lambda each: each != plain, trail)
        return trail[min(ring)]

    def _target(self, plain: str) -> str | None:
        if plain in self._exact or plain in self._targets:
            return self._exact.get(plain)
        return next((target for pattern, target in self._patterns if pattern.match(plain)), None)


def _compiled(pattern: str) -> re.Pattern[str]:
    """Of fnmatch's wildcards `*` alone, since `[::1]` is a host. What fnmatch makes of it does not backtrack."""
    return re.compile(translate(escape(pattern).replace("[*]", "*")))


def _collapsed(name: Name, *, streams_files: bool) -> tuple[Name, dict[str, bool]]:
    """A folder or file inside a dataset becomes the folder that is the dataset, but never the root."""
    if not _is_file_system(name.namespace):
        return name, {}
    segments, rules = _dataset_of(_segments(name.name), streams_files=streams_files)
    start = "/" if name.name.startswith("/") else ""
    return (Name(name.namespace, start + "/".join(segments)) if rules else name), dict.fromkeys(rules, True)


def _dataset_of(segments: list[str], *, streams_files: bool) -> tuple[list[str], list[str]]:
    """A file-source stream names each file it finds as a dataset; to a batch job, one file may well be a dataset."""
    rules: list[str] = []
    if inner := _INNER.search("/".join(segments)):
        segments = inner.string[: inner.start()].split("/")
        rules.append("model" if inner["model"] else "temporary")
    elif streams_files and len(segments) > 1 and not _trailing(segments[-1]) and _FILE.fullmatch(segments[-1]):
        segments.pop()
        rules.append("stream-file")
    while len(segments) > 1 and (rule := _trailing(segments[-1])):
        segments.pop()
        rules.append(rule)
    return segments, rules


def _trailing(segment: str) -> str | None:
    """The rule by which a path's last segment belongs to the folder above it."""
    if _PARTITION.fullmatch(segment):
        return "partition"
    return "part-file" if _PART_FILE.fullmatch(segment) else None


def _plain(namespace: str) -> str:
    return _without_end(_with_one_scheme(namespace))


def _with_one_scheme(namespace: str) -> str:
    scheme, colon, rest = namespace.partition(":")
    return ONE_STORE.get(scheme, scheme) + colon + rest


def _with_few_slashes(name: Name) -> Name:
    """Clients of one file system write slashes differently, and Glue's ARN comes with one at its end."""
    if not _has_paths(name.namespace):
        return name
    scheme = name.namespace.partition(":")[0]
    start = "" if scheme in OBJECT_STORES or scheme == "arn" else "/"
    return Name(_without_end(name.namespace), start + "/".join(_segments(name.name)) or "/")


def _without_end(namespace: str) -> str:
    """A namespace without the slashes at its end; the Spark listener calls `file:///` just `file`."""
    scheme, _, rest = namespace.partition(":")
    return (namespace.rstrip("/") if rest.strip("/") else scheme) if _has_paths(namespace) else namespace


def _has_paths(namespace: str) -> bool:
    return namespace.startswith("arn:") or _is_file_system(namespace)


def _is_file_system(namespace: str) -> bool:
    return namespace.partition(":")[0] in FILE_SYSTEMS


def _segments(path: str) -> list[str]:
    return [segment for segment in path.split("/") if segment]
