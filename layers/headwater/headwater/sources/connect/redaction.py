"""What may be published of a connector's configuration: settings of an allow-list, and texts without credentials.

A configuration holds passwords and tokens under keys that each connector chooses. So only allowed settings leave this
module, and no text that repeats the value of another setting that may be a secret.
"""

import re
from collections.abc import Mapping
from typing import Any

from headwater.openlineage.redaction import redacted_text
from headwater.openlineage.secret_rules import is_secret, secrets_in

ALLOWED = frozenset(
    {
        "connector.class",
        "tasks.max",
        "topic",
        "topics",
        "topics.regex",
        "topic.prefix",
        "file",
        "transforms",
        "predicates",
        "mode",
        "insert.mode",
        "pk.mode",
        "pk.fields",
        "table.whitelist",
        "table.include.list",
        "table.exclude.list",
        "table.blacklist",
        "table.types",
        "table.name.format",
        "collection.name.format",
        "schema.include.list",
        "database.include.list",
        "collection.include.list",
        "fields.whitelist",
        "auto.create",
        "auto.evolve",
        "delete.enabled",
        "s3.bucket.name",
        "s3.region",
        "gcs.bucket.name",
        "topics.dir",
        "format.class",
        "partitioner.class",
        "flush.size",
        "rotate.interval.ms",
        "iceberg.tables",
        "iceberg.tables.dynamic-enabled",
        "iceberg.tables.route-field",
        "iceberg.catalog.type",
        "snowflake.database.name",
        "snowflake.schema.name",
        "snowflake.topic2table.map",
        "source.cluster.alias",
        "target.cluster.alias",
        "replication.policy.class",
        "key.converter",
        "value.converter",
        "header.converter",
        "errors.tolerance",
        "errors.deadletterqueue.topic.name",
        "plugin.name",
        "snapshot.mode",
    }
)
_ALLOWED_OF_TRANSFORMS = re.compile(
    r"transforms\.[^.]+\.(?:type|regex|topic\.regex|field|fields|renames|include|exclude|whitelist|blacklist|predicate"
    r"|negate|spec)|predicates\.[^.]+\.(?:type|pattern)"
)
_SECRET_KEY = re.compile(
    r"(?i)pass|secret|token|credential|api[._-]?key|access[._-]?key|private|jaas|auth|uri|url|sasl|user\.info"
)
_USER_INFO = re.compile(r"(://)[^/@\s]*@")
MIN_SECRET = 6
MAX_TEXT = 20_000
MAX_OFFSETS = 100


def told_settings(config: Mapping[str, str]) -> dict[str, str]:
    """The settings that may be published."""
    allowed = {key: text for key, text in config.items() if key in ALLOWED or _ALLOWED_OF_TRANSFORMS.fullmatch(key)}
    return {key: without_secrets(text, config) for key, text in sorted(allowed.items())}


def without_secrets(text: str, config: Mapping[str, str]) -> str:
    """A text, such as a stack trace, without credentials: neither those of the configuration nor lookalikes."""
    for secret in sorted(_secrets(config), key=len, reverse=True):
        text = text.replace(secret, "***")
    return redacted_text(text)[:MAX_TEXT]


def without_user_info(text: str) -> str:
    """A text without the user and password of a URL."""
    return _USER_INFO.sub(r"\1", text)


def without_secrets_in(value: Any, config: Mapping[str, str]) -> Any:
    """A JSON value, each of its texts without credentials. Offsets of a custom connector may have any text."""
    match value:
        case str():
            return without_secrets(value, config)
        case list():
            return [without_secrets_in(entry, config) for entry in value[:MAX_OFFSETS]]
        case dict():
            return {
                name: "***" if is_secret(name) else without_secrets_in(entry, config) for name, entry in value.items()
            }
    return value


def _secrets(config: Mapping[str, str]) -> set[str]:
    """The texts of a configuration that may be secrets, whole and in parts: `KEY:SECRET`, the password of a URL or of
    a JAAS configuration. A short text, such as `true`, is in every message."""
    suspects = [text for key, text in config.items() if key not in ALLOWED and _SECRET_KEY.search(key)]
    whole = {text for text in suspects if "://" not in text}
    parts = {part for text in suspects if "://" not in text for part in text.split(":")[1:]}
    assigned = {secret for text in config.values() for secret in secrets_in(text)}
    return {text for text in whole | parts | assigned if len(text) >= MIN_SECRET}
