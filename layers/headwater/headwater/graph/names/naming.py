"""Which dataset a name means.

Producers name one table in several ways: by another URI scheme, by a partition of the table, by a host that lives as
long as its cluster. Names that certainly mean the same dataset get one identity here, and the rules that were applied
are reported. Names that are only similar stay apart: two datasets taken for one would show lineage that never existed.
"""

import re
from collections.abc import Callable, Mapping
from fnmatch import translate
from functools import lru_cache, wraps
from itertools import dropwhile
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from headwater.openlineage.event import Name

MAX_CACHED = 10_000
"""Names whose results are kept."""
MAX_CACHED_LENGTH = 1_000
"""Names longer than this, with their namespace, are not cached: one request may have hundreds of them."""

Rest = ParamSpec("Rest")
Result = TypeVar("Result")

ONE_STORE = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "wasbs": "wasb"}
"""Schemes that reach the same store by another client, or over TLS; the Spark listener sent them as jobs chose them
until OpenLineage PR 2782, which sends s3."""

_OF_CLIENTS = {"s3a", "s3n", "gcs"}
"""Schemes of Hadoop's clients that OpenLineage's naming rules do not have: there a bucket is `s3://...` or `gs://...`."""

_POSTGRES = re.compile(r"postgresql(?:\+\w+)?://(?P<host>[^/:@,\s\[\]]+)(?::(?P<port>\d+))?/*")
"""The URL of a Postgres server by its other scheme, perhaps with a driver, as Great Expectations sends it."""
POSTGRES_PORT = 5432

FILE_SYSTEMS = frozenset(
    {"file", "hdfs", "webhdfs", "swebhdfs", "viewfs", "s3", "gs", "abfs", "wasb", "adl", "dbfs", *ONE_STORE}
    | {"oss", "cos", "cosn", "obs", "ofs", "o3fs", "alluxio", "maprfs"}
)
"""Schemes of namespaces whose names are paths. A bare scheme is a namespace too: `file`, or `hdfs` (default host)."""

OBJECT_STORES = {"s3", "gs", "abfs", "wasb", "oss", "cos", "cosn", "obs"}
"""Schemes whose names are keys, without a slash before them."""

_INNER = re.compile(
    r"""/(?:
    # Folders of committers, Hive and table formats inside a table's folder; producers report such folders as datasets
    # (OpenLineage issue 4127). A Glue table over Delta even has its location there: `_symlink_format_manifest`.
    (?P<temporary> _temporary | __magic(?:_job-[^/]*)? | \.spark-staging-[^/]* | \.hive-staging[^/]*
        | _spark_metadata | _delta_log | _change_data | _symlink_format_manifest | \.hoodie)
    # Spark ML saves a pipeline's stages as `stages/INDEX_UID`, and the winner of a cross-validation as `bestModel`. A
    # uid ends with 12 random hex digits, new with every training. A path without such digits (`stages/01_raw/orders`),
    # and only `metadata` or `data`, may as well be a table of that name.
    | (?P<model> (?:bestModel/)? stages/\d+_[^/]+_[0-9a-f]{12} | bestModel/(?:data|metadata))
    )(?=/|\Z)""",
    re.VERBOSE,
)

_PARTITION = re.compile(r"[^=]+=[^=]+")
"""A partition's folder. Hive escapes a `=` in a value, so a folder has exactly one `=`; OpenLineage's own
KeyValueTrimmer looks for the same."""

_PART_FILE = re.compile(r"part-(?:[mr]-)?\d{5,}(?:[-._].*)?", re.DOTALL)
"""A task's file, as Spark and MapReduce name it: `part-00000-UUID.c000.snappy.parquet`, `part-r-00001`."""

_FILE = re.compile(r".+\.(?!(?:db|delta|hudi|iceberg|v\d+)\Z)[A-Za-z]\w{0,9}", re.DOTALL)
"""A name with an extension, except those of tables' folders: a stream may read a table, too."""

_GLUE = re.compile(r"arn:aws[^:]*:glue:[^:]+:[^:/]+/*")
_HIVE_TABLE = re.compile(r"([^./]+)\.([^./]+)")
_GLUE_TABLE = re.compile(r"table/([^/]+)/([^/]+)")
_METASTORE = re.compile(r"hive://.*|arn:aws[^:]*:s3tables:.*")


def cached_by_name(function: Callable[Concatenate[Name, Rest], Result]) -> Callable[Concatenate[Name, Rest], Result]:
    """The function with a cache of its last results. Very long names are not cached."""
    cached = lru_cache(maxsize=MAX_CACHED)(function)

    @wraps(function)
    def of_name(name: Name, /, *rest: Rest.args, **more: Rest.kwargs) -> Result:
        namespace, text = name  # twice as fast as the names of a tuple's members
        is_short = len(namespace) + len(text) <= MAX_CACHED_LENGTH
        return (cached if is_short else function)(name, *rest, **more)  # type: ignore[arg-type]

    return of_name


class IdentifiedName(NamedTuple):
    """A name, and the dataset that the name means.

    shown       the name as it was sent, after the alias map and the path patterns; a bucket of S3 or GCS has the
                namespace of its store, whichever client reached it: a bucket is listed once
    identity    `shown` with one spelling of schemes and slashes; ids are made of the identity
    rules       the rules that changed the name, in order: why two names mean one dataset. The rules are alias; the path
                patterns temporary, model, stream-file, part-file, partition; scheme; slash
    """

    shown: Name
    identity: Name
    rules: tuple[str, ...]


class Naming:
    """The rules, with the alias map of a deployment: namespace, or a pattern where `*` is any text -> namespace meant.

    EMR in cluster mode reports `hive://ip-10-...:9083` for a table that is in a Glue ARN elsewhere (OpenLineage issue
    4163), and each client of a Kafka cluster names the cluster by its own list of bootstrap servers. Trino names tables
    of Postgres by its own host and the catalog: `trino://trino:8080 pg.` -> `postgres://db:5432 shop.` maps the names
    that begin with `pg.`. A target is mapped further by its exact name, never by a pattern: `kafka://*` does not map
    other Kafka targets. Namespaces that map to each other in a ring all mean the same namespace of the ring.

    With `of_ids`, the rules are those that ids are made with. Rules added later are not among them, since stored items
    already have their ids.
    """

    def __init__(self, aliases: Mapping[str, str] = {}, *, of_ids: bool = False) -> None:
        self._of_ids = of_ids
        catalogs = {source: target for source, target in aliases.items() if " " in source}
        self._catalogs = [(_catalog(source), _catalog(target)) for source, target in sorted(catalogs.items())]
        aliases = {source: target for source, target in aliases.items() if source not in catalogs}
        self._exact = {plain_namespace(pattern): target for pattern, target in aliases.items()}
        patterns = sorted((alias for alias in self._exact if "*" in alias), key=lambda alias: (-len(alias), alias))
        self._patterns = [(_compiled(pattern), self._exact[pattern]) for pattern in patterns]
        self._targets = frozenset(map(plain_namespace, self._exact.values()))
        self._identified = cached_by_name(self._identify)

    def identify(self, name: Name, *, streams_files: bool = False) -> IdentifiedName:
        """The dataset that a name means; `streams_files` says that the dataset is an input of a streaming job.

        Never raises. An identity is its own identity: `identify(identity).identity == identity`. An event names its
        datasets some thirty times, mostly in its column lineage, but each name is computed once.
        """
        return self._identified(name, streams_files)

    def in_catalogs(self, text: str) -> list[Name]:
        """What a text is as a name in the catalogs of query engines: `pg.public.orders` in `trino://trino:8080`."""
        return [Name(source.namespace, text) for source, _ in self._catalogs if text.startswith(source.name)]

    def _identify(self, name: Name, streams_files: bool) -> IdentifiedName:
        aliased = self._aliased(name)
        collapsed, patterns = _collapsed(aliased, streams_files=streams_files)
        schemed = Name(_with_one_scheme(collapsed.namespace), collapsed.name)
        identity = _with_few_slashes(schemed)
        changes = {"alias": aliased != name, **patterns, "scheme": schemed != collapsed, "slash": identity != schemed}
        is_of_client = collapsed.namespace.partition(":")[0] in _OF_CLIENTS
        shown = Name(identity.namespace, collapsed.name) if is_of_client else collapsed
        return IdentifiedName(shown, identity, tuple(rule for rule, changed in changes.items() if changed))

    def _aliased(self, name: Name) -> Name:
        """The name after the alias map: first the catalog of a query engine, then the namespace. Names that map to each
        other in a ring all mean the same name of the ring."""
        trail: list[Name] = []
        while name not in trail:
            trail.append(name)
            name = self._of_namespace(self._of_catalog(name))
        return min(trail[trail.index(name) :])

    def _of_catalog(self, name: Name) -> Name:
        """The name in the store behind a query engine's catalog."""
        for source, target in self._catalogs:
            if name.name.startswith(source.name) and plain_namespace(name.namespace) == source.namespace:
                return _in_glue(Name(target.namespace, target.name + name.name.removeprefix(source.name)))
        return name

    def _of_namespace(self, name: Name) -> Name:
        """The name after the map of namespaces."""
        namespace = self._meant(name.namespace if self._of_ids else _postgres(name.namespace))
        meant = Name(namespace, name.name)
        return _in_glue(meant) if namespace != name.namespace else meant

    def _meant(self, namespace: str) -> str:
        """Follows the map by plain spelling: an alias for `s3://old` holds for `s3a://old/` as well."""
        trail: dict[str, str] = {}
        while (plain := plain_namespace(namespace)) not in trail:
            trail[plain] = namespace
            namespace = self._target(plain) or namespace
        ring = dropwhile(lambda spelling: spelling != plain, trail)
        return trail[min(ring)]

    def _target(self, plain: str) -> str | None:
        if plain in self._exact or plain in self._targets:
            return self._exact.get(plain)
        return next((target for pattern, target in self._patterns if pattern.match(plain)), None)


def _in_glue(name: Name) -> Name:
    """A name after a map; a Hive table whose metastore is Glue gets Glue's form of name: `table/db/table`."""
    table = _HIVE_TABLE.fullmatch(name.name)
    return Name(name.namespace, f"table/{table[1]}/{table[2]}") if table and _GLUE.fullmatch(name.namespace) else name


def table_path(path: str) -> str | None:
    """The path of the table that a path is within, as `wh/orders` of `wh/orders/day=2026-11-20`; None of any other."""
    segments, rules = _dataset_of(_segments(path), streams_files=False)
    return "/".join(segments) if rules else None


def catalog_name(name: Name) -> str | None:
    """The name of a table in a catalogue, `db.table`, as people say it: by a name in Glue, in a Hive metastore, or in
    S3 Tables, where the name may begin with the alias that Spark has for the catalogue. None for another name."""
    if table := _GLUE_TABLE.fullmatch(name.name):
        return f"{table[1]}.{table[2]}" if _GLUE.fullmatch(name.namespace) else None
    parts = name.name.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and _METASTORE.fullmatch(name.namespace) else None


def _catalog(text: str) -> Name:
    """A namespace and the beginning of names in it, with a space between them."""
    namespace, _, beginning = text.partition(" ")
    return Name(plain_namespace(namespace), beginning)


def _compiled(pattern: str) -> re.Pattern[str]:
    """The expression for a pattern. Only `*` is a wildcard, since `[::1]` is a host; the expression does not
    backtrack."""
    return re.compile(translate(re.sub(r"[?[]", r"[\g<0>]", pattern)))


def _collapsed(name: Name, *, streams_files: bool) -> tuple[Name, dict[str, bool]]:
    """A folder or file inside a dataset becomes the dataset's folder, but never the root."""
    if not _is_file_system(name.namespace):
        return name, {}
    segments, rules = _dataset_of(_segments(name.name), streams_files=streams_files)
    start = "/" if name.name.startswith("/") else ""
    return (Name(name.namespace, start + "/".join(segments)) if rules else name), dict.fromkeys(rules, True)


def _dataset_of(segments: list[str], *, streams_files: bool) -> tuple[list[str], list[str]]:
    """The path of a dataset, and the rules applied to the path.

    A file-source stream names each new file as a dataset; to a batch job, one file may well be a dataset.
    """
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
    """The rule by which the last segment of a path belongs to its parent folder."""
    if _PARTITION.fullmatch(segment):
        return "partition"
    return "part-file" if _PART_FILE.fullmatch(segment) else None


def plain_namespace(namespace: str) -> str:
    """A namespace with one spelling of its scheme and slashes, before the alias map."""
    return _without_end(_with_one_scheme(namespace))


def kafka_namespace(bootstrap: str) -> str:
    """The namespace of a Kafka cluster by its list of bootstrap servers: the first of them. `PLAINTEXT://` may precede
    it. Empty for an empty list."""
    first = bootstrap.partition(",")[0].strip().rpartition("://")[2]
    return f"kafka://{first}" if first else ""


def _with_one_scheme(namespace: str) -> str:
    scheme, colon, rest = namespace.partition(":")
    return ONE_STORE.get(scheme, scheme) + colon + rest


def _postgres(namespace: str) -> str:
    """A namespace as OpenLineage's naming rules spell a Postgres server: `postgresql+psycopg2://db` is
    `postgres://db:5432`."""
    match = _POSTGRES.fullmatch(namespace)
    return f"postgres://{match['host']}:{match['port'] or POSTGRES_PORT}" if match else namespace


def _with_few_slashes(name: Name) -> Name:
    """Clients of one file system write slashes differently, and Glue's ARN may end with a slash."""
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
